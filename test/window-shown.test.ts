import { describe, expect, it } from 'vitest'
import type { Parley } from '../src/parley.ts'
import { createParley } from '../src/parley.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import type { HandlerView, WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { createScripted, says } from './chat-harness.ts'
import { anyDatabase, toOptions } from './harness.ts'
import { isMemoRequest } from './window-harness.ts'

const cases: [string, WindowSettings, WindowHandlers][] = [
  ['nothing set', {}, {}],
  ['a limit of messages', { limit: { messages: 4 } }, {}],
  ['a limit of two messages', { limit: { messages: 2 } }, {}],
  ['a limit of characters', { limit: { chars: 300 } }, {}],
  ['rounds', { preset: 'rounds-4-3' }, {}],
  ['turns', { resize: { every_n_turns: 3 } }, {}],
  ['a memo', { mode: 'memo', limit: { messages: 4 } }, {}],
  ['a policy that never cuts', { limit: { messages: 4, chars: 300 } }, { policyHandler: () => null }],
  ['a policy that cuts always', { limit: { messages: 4 } }, { policyHandler: () => 'lite' }],
  [
    'a policy and a cut of its own',
    { mode: 'memo', limit: { messages: 4 } },
    {
      policyHandler: ({ messages }: HandlerView) => (messages.length > 7 ? 'own' : undefined),
      resizeHandlers: { own: ({ messages }: HandlerView) => ({ window: messages.slice(-4) }) },
    },
  ],
  [
    'a cut of its own',
    { limit: { messages: 6 } },
    { resizeHandlers: { lite: ({ messages }: HandlerView) => ({ window: messages.slice(-2) }) } },
  ],
]

describe.each(anyDatabase)('what is shown of a window on %s', (_name, openDatabase) => {
  it.each(cases)('is what the next turn is sent, with %s', async (_what, session, windowHandlers) => {
    await using database = await openDatabase()
    const model = createScripted((request, call) =>
      says(isMemoRequest(request) ? `{"facts": ["memo ${call}"]}` : `answer ${call} `.padEnd(40, '.')),
    )
    await using parley = await createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => model } },
      session,
      windowHandlers,
    })
    const { id } = await parley.sessions.create()
    for (let turn = 1; turn <= 10; turn++) await checkTurn(parley, id, `question ${turn}`)
    // settings of the session itself, for a log that is longer than they let it be
    await parley.sessions.setWindow(id, { limit: { messages: 3, chars: 0 } })
    await checkTurn(parley, id, 'after a change of the settings')
    await checkTurn(parley, id, 'and after that')

    async function checkTurn({ sessions, windows }: Parley, sessionId: string, text: string) {
      await windows.settled(sessionId)
      const preview = await sessions.prompt(sessionId)
      const view = await sessions.window(sessionId)
      await sessions.chat(sessionId, text)
      await windows.settled(sessionId)
      const sent = model.requests.findLast((request) => !isMemoRequest(request))!.messages.slice(0, -1)
      expect(
        preview.messages.map(({ role, content }) => ({ role, content })),
        text,
      ).toEqual(sent)
      const heads = sent.filter((message) => /<(memo|left_window)>/.test(JSON.stringify(message))).length
      expect(view.messages, text).toBe(sent.length - heads)
      expect(view.startSeq, text).toBe(view.logMessages - view.messages + 1)
    }
  })
})

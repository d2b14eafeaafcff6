/** What is told of an earlier model call, held against what the model really got. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { isMemoRequest } from './window-harness.ts'

const look = defineTool({
  name: 'look',
  description: 'Looks at something.',
  input: z.strictObject({ at: z.string() }),
  execute: async ({ at }) => ({ seen: at }),
})

describe.each(anyDatabase)('an earlier prompt on %s', (_name, openDatabase) => {
  it('is told as it was sent, after cuts, memos and changes on disk', async () => {
    let turn = 0
    const model = createScripted((request, call) => {
      if (isMemoRequest(request)) return says(JSON.stringify({ facts: [`fact of call ${call}`] }))
      return request.messages.at(-1)!.role === 'tool' ? says('done') : calls(['look', { at: `${turn}` }])
    })
    await using chat = await openChat(openDatabase, model, {
      tools: [look],
      session: { mode: 'memo', limit: { messages: 6 } },
      disk: () => ({
        rules: `<rules from="AGENTS.md">\nrule ${Math.ceil(turn / 3)}\n</rules>`,
        workspace: `two\n\n<paragraphs of turn ${turn}`,
        references: `file ${turn}`,
      }),
    })
    const runIds: string[] = []
    for (turn = 1; turn <= 9; turn++) runIds.push((await chat.ask(`question ${turn}`)).runId)

    const told = await Promise.all(
      runIds.flatMap((id) => [1, 2].map((step) => chat.chats.inspectStep('default', id, step))),
    )
    const sent = model.requests.filter((request) => !isMemoRequest(request))
    expect(told.map(({ system }) => system)).toEqual(sent.map(({ system }) => system))
    expect(told.map(({ messages }) => messages.map(({ role, content }) => ({ role, content })))).toEqual(
      sent.map(({ messages }) => messages),
    )
    expect(told.every(({ isExact }) => isExact)).toBe(true)
    expect(new Set(told.map(({ windowStart }) => windowStart)).size).toBeGreaterThan(2)
    expect(told.at(-1)!.fragments.map(({ name, text }) => [name, typeof text])).toContainEqual([
      'memo',
      'string',
    ])
    expect(told.at(-1)!.toolTokens.look).toBeGreaterThan(5)
  })

  it('says so where it is not sure any more, and refuses what never was', async () => {
    await using chat = await openChat(
      openDatabase,
      createScripted(() => says('ok')),
    )
    const { runId } = await chat.ask('long '.repeat(100))
    await chat.store.updateSession('default', chat.sessionId, { window: { limit: { chars: 100 } } })
    expect(await chat.chats.inspectStep('default', runId, 1)).toMatchObject({ step: 1, isExact: false })
    await expect(chat.chats.inspectStep('default', runId, 2)).rejects.toThrow(/no step/)
    await expect(chat.chats.inspectStep('other', runId, 1)).rejects.toThrow(/no run/)
  })
})

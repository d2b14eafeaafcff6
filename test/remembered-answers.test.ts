/** An answer that is remembered means exactly what was asked, unless the person widens it. */
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createParley } from '../src/parley.ts'
import type { DecideApproval } from '../src/core/protocol/approval.ts'
import { defineTool, type Access } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

type Effect = Access['effect'] | 'unnamed'

/** A Parley with one tool of each kind, whose model calls the tool with the text that it is told. */
async function arrange() {
  const folder = temporaryFolder()
  const made: string[] = []
  const toolFor = (name: Effect) =>
    defineTool({
      name,
      description: 'For tests.',
      input: z.object({ text: z.string() }),
      access: ({ text }) => ({
        action: 'do',
        effect: name === 'unnamed' ? 'write' : name,
        resources: name === 'unnamed' ? [] : [text],
      }),
      execute: async ({ text }) => void made.push(text),
    })
  let wanted: [Effect, string] | undefined
  const script: Script = () => {
    const next = wanted
    wanted = undefined
    return next ? calls([next[0], { text: next[1] }]) : says('Done.')
  }
  const parley = await createParley({
    dataDir: folder.path,
    models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
    tools: (['execute', 'network', 'unnamed'] as const).map(toolFor),
    shutdownMs: 200,
  })
  const { id } = await parley.sessions.create()
  const pending = async () => (await parley.approvals.list()).items
  const isOver = async () => (await parley.sessions.messages(id)).items.at(-1)?.parts.at(-1)?.text === 'Done.'
  const settled = async () => (await isOver()) || (await pending()).length > 0
  return {
    /** Whether a person was asked; answered with no when nothing else is said. */
    async isAsked(effect: Effect, text: string, answer: Partial<DecideApproval> = { decision: 'deny' }) {
      made.length = 0
      wanted = [effect, text]
      await parley.sessions.send(id, 'Go on.')
      await expect.poll(settled).toBe(true)
      const [ask] = await pending()
      if (!ask) expect(made).toEqual([text])
      else {
        await parley.approvals.decide(ask.id, { decision: 'approve', ...answer })
        await expect.poll(isOver).toBe(true)
      }
      return ask !== undefined
    },
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

it.each<[string, Effect, string, string[]]>([
  ['a command with a star', 'execute', 'ls *.md', ['ls a.md', 'ls x; id .md', 'ls *.md; id', 'ls']],
  ['a command with a backslash', 'execute', 'echo \\*', ['echo *', 'echo x']],
  [
    'an address',
    'network',
    'https://example.com/a',
    [
      'https://example.com/b',
      'https://example.com/a?token=1',
      'https://example.com:444/a',
      'http://example.com/a',
      'https://evil.test/?u=https://example.com/a',
    ],
  ],
  [
    'an address with a query',
    'network',
    'https://example.com/a?q=*',
    ['https://example.com/a?q=secret', 'https://example.com/a'],
  ],
  ['a call that names nothing', 'unnamed', 'one', ['two', 'ONE', 'one ']],
])('%s is not asked about again, and what is like it is', async (_, effect, text, others) => {
  await using test = await arrange()
  expect(await test.isAsked(effect, text, { remember: 'session' })).toBe(true)
  expect(await test.isAsked(effect, text)).toBe(false)
  for (const other of others) expect(await test.isAsked(effect, other), other).toBe(true)
})

it('is about a whole host, or every call of a tool, where the person says so', async () => {
  await using test = await arrange()
  const host = { remember: 'session', widen: 'host' } as const
  expect(await test.isAsked('network', 'https://example.com/a', host)).toBe(true)
  expect(await test.isAsked('network', 'https://example.com/b?c')).toBe(false)
  expect(await test.isAsked('network', 'https://other.example.com/b')).toBe(true)
  expect(await test.isAsked('unnamed', 'one', { remember: 'session', widen: 'tool' })).toBe(true)
  expect(await test.isAsked('unnamed', 'two')).toBe(false)
})

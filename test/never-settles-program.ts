/**
 * A program that hands in functions which never come back, one after the other, and waits for what it asked at its top
 * level: nothing else keeps its process alive. Prints what came of each as a line of JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { createAgent, createParley, defineTool, type ModelAdapter } from '../src/index.ts'

const never = () => new Promise<never>(() => {})
const timeoutMs = 200
const memo = { mode: 'memo', limit: { messages: 4 }, memo: { timeout_ms: timeoutMs } } as const

const model = (answer: (call: number, isMemo: boolean) => AsyncGenerator<never> | string): ModelAdapter => {
  let calls = 0
  return {
    id: 'own/test',
    async *stream({ cacheKey }) {
      const text = answer(++calls, cacheKey.endsWith(':memo'))
      if (typeof text !== 'string') return yield* text
      const [, tool] = /^use (\w+)$/.exec(text) ?? []
      if (tool) yield { type: 'tool-call', toolCallId: `call-${calls}`, toolName: tool, input: '{}' }
      else yield { type: 'text-delta', text }
      yield { type: 'finish', reason: tool ? 'tool-calls' : 'stop', usage: {} }
    },
  }
}
const silent = async function* (): AsyncGenerator<never> {
  yield await never()
}
const callsTool = () => model((call) => (call === 1 ? 'use wait' : 'done'))
const tool = (execute: () => Promise<unknown>) =>
  defineTool({ name: 'wait', description: 'Waits', input: z.strictObject({}), timeoutMs, execute })

const turns = ['one', 'two', 'three'].flatMap((text) => [
  {
    role: 'user' as const,
    parts: [
      { type: 'text', text },
      { type: 'file', mediaType: 'text/plain', url: 'https://example.org/a' },
    ],
  },
  { role: 'assistant' as const, content: `re: ${text}` },
])

/** The window after a resize that was due, and what is told of it. */
async function resizeWith(options: Parameters<typeof createAgent>[0]) {
  await using agent = createAgent({ model: model(() => 'ok'), session: memo, ...options })
  const session = agent.attachSession()
  await session.add(turns)
  const { text } = await agent.ask('and now?')
  return { text, resizes: (await session.window()).resizes.map(({ message }) => message) }
}

async function outputOf(options: Parameters<typeof createAgent>[0]) {
  await using agent = createAgent({ model: callsTool(), ...options })
  const { text, parts } = await agent.ask('go')
  return { text, outcome: parts.find(({ type }) => type === 'dynamic-tool')?.errorText }
}

const failureOf = (asked: PromiseLike<unknown>) =>
  asked.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )

const programs: Record<string, () => Promise<unknown>> = {
  policyHandler: () => resizeWith({ handlers: { policyHandler: never } }),
  resizeHandler: () => resizeWith({ handlers: { resizeHandlers: { lite: never } } }),
  attachmentSummaryHandler: () => resizeWith({ handlers: { attachmentSummaryHandler: never } }),
  memoUpdateHandler: () => resizeWith({ handlers: { memoUpdateHandler: never } }),
  memoModel: () => resizeWith({ model: model((_, isMemo) => (isMemo ? silent() : 'ok')) }),
  tool: () => outputOf({ tools: [tool(never)] }),
  onAsk: () =>
    outputOf({
      tools: [tool(async () => 'made')],
      permissions: { rules: [{ tool: 'wait', decision: 'ask' }], onAsk: never, timeoutMs },
    }),
  async hook() {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-never-'))
    try {
      await using parley = await createParley({
        dataDir,
        models: { model: 'own/test', extra: { own: callsTool } },
        tools: [tool(async () => 'made')],
        hooks: [{ event: 'PreToolUse', id: 'slow', run: never, timeoutMs, onFailure: 'deny' }],
      })
      const { id } = await parley.sessions.create()
      const { message } = await parley.sessions.chat(id, 'go')
      return { outcome: message?.parts.find(({ type }) => type === 'dynamic-tool')?.errorText }
    } finally {
      rmSync(dataDir, { recursive: true })
    }
  },
  async recordHandler() {
    await using agent = createAgent({ model: model(() => 'ok') })
    const session = agent.attachSession()
    agent.setRecordHandler(never, { timeoutMs })
    const failure = await failureOf(agent.ask('lost'))
    agent.setRecordHandler()
    return { failure, text: (await agent.ask('again')).text, messages: (await session.log()).length }
  },
  async model() {
    await using agent = createAgent({
      model: model((call) => (call === 1 ? silent() : 'ok')),
      limits: { modelIdleMs: timeoutMs, maxAttempts: 1 },
    })
    return { failure: await failureOf(agent.ask('lost')), text: (await agent.ask('again')).text }
  },
}

for (const [name, work] of Object.entries(programs))
  process.stdout.write(`${JSON.stringify([name, await work()])}\n`)

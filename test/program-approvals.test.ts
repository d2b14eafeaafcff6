import { pino } from 'pino'
import { expect, it } from 'vitest'
import { z } from 'zod'
import type { OnApproval } from '../src/core/approvals/ask-program.ts'
import type { Approval } from '../src/core/protocol/approval.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { createParley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'

async function open(database: TestDatabase, onApproval?: OnApproval, options: Partial<ParleyOptions> = {}) {
  const done: string[] = []
  const paint = defineTool({
    name: 'paint',
    description: 'Paints',
    input: z.strictObject({ colour: z.string() }),
    access: () => ({ action: 'paint', effect: 'write', resources: ['wall:1'] }),
    execute: async ({ colour }) => void done.push(colour),
  })
  const model = createScripted(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? says('Done') : calls(['paint', { colour: 'red' }]),
  )
  const parley = await createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    tools: [paint],
    onApproval,
    ...options,
  })
  return Object.assign(parley, { done, model })
}

const resultOf = ({ model }: Awaited<ReturnType<typeof open>>) =>
  JSON.stringify(model.requests.at(-1)!.messages.at(-1))

it.each(anyDatabase)(
  'a program allows a call, or denies it with a reason (%s)',
  async (_name, openDatabase) => {
    await using database = await openDatabase()
    const asks: Approval[] = []
    await using parley = await open(database, async (ask) => {
      asks.push(ask)
      return asks.length === 1
        ? { decision: 'approve', remember: 'session' }
        : { decision: 'deny', message: 'Not today.' }
    })
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'Paint')
    await parley.sessions.chat(id, 'Paint again')
    expect(asks).toMatchObject([
      {
        sessionId: id,
        toolName: 'paint',
        input: { colour: 'red' },
        status: 'pending',
        resources: ['wall:1'],
      },
    ])
    expect(parley.done).toEqual(['red', 'red'])
    const other = await parley.sessions.create()
    await parley.sessions.chat(other.id, 'Paint')
    expect(parley.done).toHaveLength(2)
    expect(resultOf(parley)).toContain('Not today.')
    const { items } = await parley.approvals.list({ status: 'denied' })
    expect(items).toMatchObject([{ decidedBy: 'library', message: 'Not today.' }])
  },
)

it('may change the input of a call', async () => {
  await using database = await sqliteDatabase()
  await using parley = await open(database, () => ({ decision: 'approve', input: { colour: 'blue' } }))
  const { id } = await parley.sessions.create()
  await parley.sessions.chat(id, 'Paint')
  expect(parley.done).toEqual(['blue'])
})

it.each([
  ['has no opinion', () => undefined],
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['answers what is no answer', () => ({ decision: 'yes' }) as never],
  ['never answers', () => new Promise<never>(() => {})],
])('leaves an ask open for people when it %s', async (_what, onApproval) => {
  await using database = await sqliteDatabase()
  const warnings: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  await using parley = await open(database, onApproval, { logger })
  const { id } = await parley.sessions.create()
  const turn = parley.sessions.chat(id, 'Paint').then((answer) => answer)
  await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
  const [ask] = (await parley.approvals.list()).items
  await parley.approvals.decide(ask!.id, { decision: 'approve' })
  expect((await turn).run.status).toBe('completed')
  expect(parley.done).toEqual(['red'])
  const isFault = _what === 'throws' || _what.startsWith('answers')
  expect(warnings.filter((line) => line.includes('onApproval failed'))).toHaveLength(isFault ? 1 : 0)
})

it('is told when nobody waits for its answer any more', async () => {
  await using database = await sqliteDatabase()
  const reasons: string[] = []
  const onApproval: OnApproval = (_ask, signal) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => {
        reasons.push('aborted')
        resolve({ decision: 'approve' })
      }),
    )
  await using parley = await open(database, onApproval, { approvals: { timeoutMs: 100 } })
  const { id } = await parley.sessions.create()
  const { run } = await parley.sessions.chat(id, 'Paint')
  expect(run.status).toBe('completed')
  expect(reasons).toEqual(['aborted'])
  expect(parley.done).toEqual([])
  expect(resultOf(parley)).toContain('Nobody answered in time')
})

it('is asked once more by whoever goes on with the turn', async () => {
  await using database = await sqliteDatabase()
  const asked: string[] = []
  {
    const parley = await open(database, ({ id }) => void asked.push(id), { shutdownMs: 0 })
    const { id } = await parley.sessions.create()
    await parley.sessions.send(id, 'Paint')
    await expect.poll(() => asked.length).toBe(1)
    await parley.close()
  }
  await using parley = await open(database, ({ id }) => {
    asked.push(id)
    return { decision: 'approve' }
  })
  await expect.poll(() => parley.done).toEqual(['red'])
  expect(asked).toHaveLength(2)
  expect(asked[1]).toBe(asked[0])
})

it('is not asked where nobody is there to be asked', async () => {
  await using database = await sqliteDatabase()
  await using parley = await open(database, () => ({ decision: 'approve' }))
  const { id } = await parley.sessions.create()
  await parley.sessions.chat(id, { content: 'Paint', headless: true })
  expect(parley.done).toEqual([])
})

import { describe, it } from 'vitest'
import { createParley, type Parley } from '../src/index.ts'
import type { Message } from '../src/core/protocol/message.ts'
import { anyDatabase, toOptions, type OpenDatabase } from './harness.ts'

async function open(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const permissions = { rules: [{ tool: 'cron', decision: 'allow' as const }] }
  const parley = await createParley({ ...toOptions(database), permissions, shutdownMs: 2_000 })
  return {
    parley,
    database,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const soon = { timeout: 200_000, interval: 100 }

/** What the tool answered in a turn. */
async function call(
  { sessions }: Parley,
  sessionId: string,
  input: object,
): Promise<Record<string, unknown>> {
  const { message } = await sessions.chat(sessionId, `use cron ${JSON.stringify(input)}`)
  return outputOf(message)
}

function outputOf(message: Message | undefined): Record<string, unknown> {
  const part = message?.parts.find(({ toolName }) => toolName === 'cron')
  if (part?.state !== 'output-available') throw new Error(String(part?.errorText))
  return part.output as Record<string, unknown>
}

// all of them at once: most wait for the next second, or the one after it
describe.concurrent.each(anyDatabase)('a Parley with crons on %s', (_name, openDatabase) => {
  it('fires them, executes their sessions, and lets those be continued', async ({ expect }) => {
    await using opened = await open(openDatabase)
    const { crons, sessions } = opened.parley
    const cron = await crons.create({ schedule: '* * * * * *', prompt: 'Hello cron', overlap: 'queue' })
    await expect
      .poll(async () => (await crons.fires(cron.id)).items.map(({ outcome }) => outcome), soon)
      .toContain('completed')
    await crons.pause(cron.id)
    const { items } = await crons.fires(cron.id)
    const done = items.find(({ outcome }) => outcome === 'completed')!
    const session = await sessions.get(done.sessionId!)
    expect(session).toMatchObject({ kind: 'background', bgStatus: 'completed', title: 'Hello cron' })
    const { run } = await sessions.chat(session.id, 'and now?')
    expect(run.status).toBe('completed')
    expect(Date.parse(done.fireAt) % 1_000).toBe(0)
    expect((await crons.get(cron.id)).failures).toBe(0)
  })

  it('counts a session that fails, and pauses', async ({ expect }) => {
    await using opened = await open(openDatabase)
    const { crons } = opened.parley
    const { id } = await crons.create({ schedule: '* * * * * *', prompt: 'fail auth', maxFailures: 2 })
    await expect.poll(async () => (await crons.get(id)).status, soon).toBe('paused')
    expect((await crons.get(id)).reason).toMatch(/2 fires in a row failed/)
    const failed = (await crons.fires(id)).items.filter(({ outcome }) => outcome === 'failed')
    expect(failed).toHaveLength(2)
    expect(failed[0]!.reason).toMatch(/\w/)
  })

  it('starts a session when something happens, with what it was', async ({ expect }) => {
    await using opened = await open(openDatabase)
    const { eventHooks, sessions, background } = opened.parley
    const hook = await eventHooks.create({
      event: 'bg:session.failed',
      filter: { label: 'nightly' },
      prompt: 'Say why it failed',
    })
    // the one that is to start nothing has failed before the other one, which starts a session
    for (const label of ['other', 'nightly'])
      await (
        await background.trigger('default', { prompt: 'fail auth', label }, { triggerType: 'api' })
      ).promise
    const started = async () =>
      (await sessions.list({ kind: 'background' })).items.filter(({ bgMeta }) => bgMeta?.sourceId === hook.id)
    await expect
      .poll(async () => (await started()).map(({ bgStatus }) => bgStatus), soon)
      .toEqual(['completed'])
    expect((await started())[0]!.bgMeta).toMatchObject({ triggerType: 'event_hook' })
    expect(await eventHooks.get(hook.id)).toMatchObject({ starts: 1, skipped: 0 })
  })

  it('gives models a tool for them, whose results come back to the conversation', async ({ expect }) => {
    await using opened = await open(openDatabase)
    const { parley } = opened
    const { sessions, crons } = parley
    const chat = await sessions.create()
    const preview = await call(parley, chat.id, { action: 'preview', schedule: '@daily', count: 2 })
    expect(preview.items).toHaveLength(2)
    const made = await call(parley, chat.id, {
      action: 'create',
      name: 'greeting',
      schedule: '0 9 * * *',
      time_zone: 'Europe/Berlin',
      prompt: 'Hello from the cron',
    })
    expect(made).toMatchObject({ name: 'greeting', status: 'active', timeZone: 'Europe/Berlin' })
    expect(await crons.get(String(made.id))).toMatchObject({ createdIn: chat.id, announceTarget: chat.id })
    expect(await call(parley, chat.id, { action: 'list' })).toMatchObject([{ id: made.id }])
    expect(await call(parley, chat.id, { action: 'trigger', id: made.id })).toMatchObject({
      outcome: 'started',
    })
    await expect
      .poll(async () => JSON.stringify((await sessions.messages(chat.id)).items), soon)
      .toContain('data-task-result')
    expect(await call(parley, chat.id, { action: 'get', id: made.id })).toMatchObject({
      cron: { id: made.id },
      fires: [{ cause: 'manual', outcome: 'completed' }],
    })
    expect(await call(parley, chat.id, { action: 'pause', id: made.id })).toMatchObject({ status: 'paused' })
    expect(await call(parley, chat.id, { action: 'resume', id: made.id })).toMatchObject({ status: 'active' })
    expect(await call(parley, chat.id, { action: 'delete', id: made.id })).toEqual({
      id: made.id,
      deleted: true,
    })
    for (const [input, words] of [
      [{ action: 'create', prompt: 'x' }, '"create" needs "schedule"'],
      [{ action: 'create', prompt: 'x', schedule: '61 * * * *' }, 'minute'],
      [{ action: 'pause' }, '"pause" needs "id"'],
      [{ action: 'get', id: 'cron_unknown' }, 'cron_unknown'],
    ] as const)
      await expect(call(parley, chat.id, input)).rejects.toThrow(words)
  })

  it('shows a background session only the crons that it made itself', async ({ expect }) => {
    await using opened = await open(openDatabase)
    const { parley } = opened
    const { id } = await parley.crons.create({ schedule: '@daily', prompt: 'x' })
    const answer = async (input: object) => {
      const started = await parley.background.trigger(
        'default',
        { prompt: `use cron ${JSON.stringify(input)}` },
        { triggerType: 'api' },
      )
      await started.promise
      const { items } = await parley.sessions.messages(started.sessionId)
      return items.find(({ role }) => role === 'assistant')
    }
    expect(outputOf(await answer({ action: 'list' }))).toEqual([])
    const paused = await answer({ action: 'pause', id })
    expect(() => outputOf(paused)).toThrow(id)
    const made = outputOf(await answer({ action: 'create', schedule: '@daily', prompt: 'y' }))
    const cron = await parley.crons.get(String(made.id))
    expect(cron.announceTarget).toBeUndefined()
    expect(cron.createdIn).toMatch(/^ses_/)
    expect((await parley.crons.get(id)).status).toBe('active')
  })

  it('fires nothing where it does not take up what waits', async ({ expect }) => {
    await using database = await openDatabase()
    await using parley = await createParley({ ...toOptions(database), takesUpRuns: false })
    const everySecond = { schedule: '* * * * * *', prompt: 'x' }
    const { id } = await parley.crons.create(everySecond)
    // seconds in which it could have
    await using other = await open(openDatabase)
    const { crons } = other.parley
    const fired = await crons.create(everySecond)
    await expect.poll(async () => (await crons.fires(fired.id)).items.length, soon).toBeGreaterThan(1)
    expect((await parley.crons.fires(id)).items).toEqual([])
  })
})

/** Types of workflow steps and modes of rooms that extensions add. */
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import roundTable from '../examples/round-table/extension.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import {
  defineExtension,
  rooms,
  workflows,
  z,
  type Extension,
  type WorkflowStepType,
} from '../src/extension.ts'
import { createParley } from '../src/parley.ts'
import { createApp, createMetrics } from '../src/server/index.ts'
import { createScripted, says } from './chat-harness.ts'
import { createGate } from './gates.ts'
import { anyDatabase, sqliteDatabase, temporaryFolder, toOptions, type TestDatabase } from './harness.ts'

async function open<const Extensions extends readonly Extension[]>(
  database: TestDatabase,
  extensions: Extensions,
) {
  const model = createScripted(({ system }) => says(`${/You are (\w+)/.exec(system)?.[1] ?? ''} here.`))
  return createParley({
    ...toOptions(database),
    models: { model: model.id, extra: { scripted: () => model } },
    extensions,
  })
}

const withStep = (type: WorkflowStepType, name = 'stepping') =>
  defineExtension({
    name,
    needs: [workflows],
    create(_core, { use }) {
      use(workflows).registerStep(type)
      return { service: undefined }
    },
  })

const lottery = `name: lottery
args:
  people: {}
steps:
  - id: drawn
    type: draw_lots
    among: $args.people
    winners: 2
  - id: first
    type: transform
    transform: "First: $drawn.data.drawn"
`

type Opened = Awaited<ReturnType<typeof open>>

async function finished({ workflows: { getRun } }: Opened, id: string) {
  await expect.poll(async () => (await getRun(id)).status).not.toMatch(/pending|running/)
  return getRun(id)
}

describe.each(anyDatabase)('a type of workflow step on %s', (_name, openDatabase) => {
  it('is run with its names filled in, and others speak of what it came to', async () => {
    await using database = await openDatabase()
    await using parley = await open(database, [roundTable])
    expect(await parley.workflows.validate({ text: lottery })).toMatchObject({ valid: true })
    const { id } = await parley.workflows.start({ text: lottery, args: { people: 'ann, bob, cid' } })
    const run = await finished(parley, id)
    expect(run).toMatchObject({ status: 'completed' })
    const [drawn, first] = run.steps
    expect(drawn).toMatchObject({ type: 'draw_lots', status: 'completed' })
    expect((drawn!.data as { drawn: string[] }).drawn).toHaveLength(2)
    expect(first!.output).toContain((drawn!.data as { drawn: string[] }).drawn[0])
  })

  it('is tried again, has its time, and fails its run with what it threw', async () => {
    await using database = await openDatabase()
    const tries: string[] = []
    const type: WorkflowStepType = {
      type: 'shaky',
      description: 'Fails',
      fields: { how: z.string() },
      run({ how }, { key, signal }) {
        tries.push(key)
        if (how === 'late') return new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
        if (tries.length < 3) throw new Error('not yet')
        return { output: String(how) }
      },
    }
    await using parley = await open(database, [withStep(type)])
    const start = async (step: string) =>
      finished(
        parley,
        (await parley.workflows.start({ text: `name: a\nsteps:\n  - id: s\n    type: shaky\n${step}` })).id,
      )
    expect(await start('    how: fine\n    retryConfig: { maxRetries: 3, retryDelayMs: 1 }\n')).toMatchObject(
      {
        status: 'completed',
        output: 'fine',
        steps: [{ attempt: 3 }],
      },
    )
    expect(new Set(tries).size).toBe(3)
    expect(await start('    how: late\n    timeoutMs: 1000\n')).toMatchObject({
      status: 'timeout',
      steps: [{ status: 'timeout', error: 'It took longer than 1000 ms.' }],
    })
    expect(await start('    how: $prev.data\n')).toMatchObject({ status: 'failed' })
  })

  it('is called again by whoever goes on with the run', async () => {
    await using database = await openDatabase()
    const keys: string[] = []
    const gate = createGate()
    const slow = (isBroken: boolean): WorkflowStepType => ({
      type: 'slow',
      description: 'Waits',
      fields: {},
      async run(_fields, { key }) {
        keys.push(key)
        if (isBroken) await gate.wait()
        return { output: 'done' }
      },
    })
    let id: string
    {
      const parley = await createParley({
        ...toOptions(database),
        extensions: [withStep(slow(true))],
        shutdownMs: 0,
      })
      id = (await parley.workflows.start({ text: 'name: a\nsteps:\n  - type: slow\n' })).id
      await gate.reached
      await parley.close()
    }
    await using parley = await open(database, [withStep(slow(false))])
    expect(await finished(parley, id)).toMatchObject({ status: 'completed', output: 'done' })
    expect(keys).toEqual([keys[0], keys[0]])
  })
})

describe('definitions', () => {
  it('are refused with types that this Parley does not have, by name, and with fields of none', async () => {
    await using database = await sqliteDatabase()
    await using other = await sqliteDatabase()
    await using parley = await open(database, [roundTable])
    await using plain = await open(other, [])
    const unknown = await plain.workflows.validate({ text: lottery })
    expect(unknown.valid).toBe(false)
    expect(unknown.problems[0]).toMatchObject({ path: 'steps[0].type', line: 6 })
    const wrong = await parley.workflows.validate({
      text: lottery.replace('winners: 2', 'winers: 2').replace('$args.people', '$arg.output'),
    })
    expect(wrong.problems.map(({ message }) => message).join()).toContain('winers')
    const slip = await parley.workflows.validate({ text: lottery.replace('$args.people', '$args.peple') })
    expect(slip.problems).toMatchObject([{ path: 'steps[0].among', line: 7 }])
  })

  it('have its types in the schema for editors, nested ones too, and only there', async () => {
    await using database = await sqliteDatabase()
    await using other = await sqliteDatabase()
    await using parley = await open(database, [roundTable])
    await using plain = await open(other, [])
    expect(JSON.stringify(await parley.workflows.schema())).toContain('draw_lots')
    expect(JSON.stringify(await plain.workflows.schema())).not.toContain('draw_lots')
    const nested = `name: nested
steps:
  - id: each
    type: foreach
    items: ["ann,bob", "cid,dan"]
    steps:
      - { id: one, type: draw_lots, among: $item }
`
    const { id } = await parley.workflows.start({ text: nested })
    expect((await finished(parley, id)).steps.map(({ type }) => type)).toEqual([
      'foreach',
      'draw_lots',
      'draw_lots',
    ])
  })

  it('with own types are taken over HTTP, whose document stays valid', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, [roundTable])
    const deps = {
      ...parley,
      clock: systemClock,
      logger: pino({ level: 'silent' }),
      version: '0.0.0',
      limits: { bodyBytes: 1_000_000, jsonDepth: 20, pageSize: 50 },
    }
    const app = createApp(
      { ...deps, metrics: createMetrics(deps) },
      { apiKeys: [], allowedHosts: ['*'], allowedOrigins: [] },
    )
    const post = (path: string, body: object) =>
      app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const made = await post('/api/workflows', { text: lottery })
    expect(made.status).toBe(201)
    expect((await app.request('/openapi.json')).status).toBe(200)
    const modes = (await (await app.request('/api/modes')).json()) as { items: { name: string }[] }
    expect(modes.items.map(({ name }) => name)).toContain('round_table')
  })
})

describe('a mode of rooms', () => {
  it('decides who speaks, with options of its own', async () => {
    await using database = await sqliteDatabase()
    await using parley = await open(database, [roundTable])
    const { id } = await parley.sessions.create({
      agents: ['mira', 'pip'],
      mode: 'round_table',
      modeState: { laps: 2 },
    })
    await parley.sessions.chat(id, 'What shall we play?')
    const { items } = await parley.sessions.messages(id)
    expect(items.map(({ metadata, role }) => (metadata as { agent?: string })?.agent ?? role)).toEqual([
      'user',
      'mira',
      'pip',
      'mira',
      'pip',
      'assistant',
    ])
    expect((await parley.sessions.get(id)).modeState).toMatchObject({ laps: 2, of: 2 })
    await expect(
      parley.sessions.create({ agents: ['mira', 'pip'], mode: 'round_table', modeState: { laps: 9 } }),
    ).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('is not noticed by another Parley', async () => {
    await using database = await sqliteDatabase()
    await using other = await sqliteDatabase()
    await using parley = await open(database, [roundTable])
    await using plain = await open(other, [])
    const names = async ({ rooms: { modes } }: Opened) => (await modes()).items.map(({ name }) => name)
    expect(await names(parley as Opened)).toContain('round_table')
    expect(await names(plain as Opened)).not.toContain('round_table')
    await expect(plain.sessions.create({ agents: ['mira', 'pip'], mode: 'round_table' })).rejects.toThrow(
      'There is no mode "round_table"',
    )
  })
})

describe('what is refused', () => {
  const step = { type: 'one', description: 'One', fields: {}, run: () => ({}) }
  const refusal = async (...extensions: Extension[]) => {
    using folder = temporaryFolder()
    return createParley({ dataDir: folder.path, extensions }).then(
      (parley) => parley.close(),
      (error: Error) => error.message,
    )
  }
  const withMode = (name: string) =>
    defineExtension({
      name: 'seating',
      needs: [rooms],
      create(_core, { use }) {
        use(rooms).registerMode({ name } as never)
        return { service: undefined }
      },
    })

  it('names that are taken or are none', async () => {
    expect(await refusal(withStep({ ...step, type: 'agent' }))).toContain('named "agent"')
    expect(await refusal(withStep(step, 'a'), withStep(step, 'b'))).toContain('named "one"')
    expect(await refusal(withStep({ ...step, type: 'My Step' }))).toContain('not "My Step"')
    expect(
      await refusal(withStep({ ...step, fields: { condition: z.string() } } as WorkflowStepType)),
    ).toContain('the field "condition"')
    expect(await refusal(withMode('quiz'))).toContain('named "quiz"')
    expect(await refusal(withMode('plan'))).toContain('"plan" is the mode of sessions that are not rooms')
    expect(await refusal(withMode('Round table'))).toContain('not "Round table"')
  })

  it('a service that is not among the needs', async () => {
    const sneaky = defineExtension({
      name: 'sneaky',
      create: (_core, { use }) => ({ service: use(rooms) }),
    })
    expect(await refusal(sneaky)).toBe('The extension "sneaky" does not name "room" among its needs.')
  })
})

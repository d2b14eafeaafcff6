import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { Hook, HookedCall } from './hook.ts'
import { createHooks } from './hooks.ts'

const silent = pino({ level: 'silent' })
const never = new AbortController().signal
const open = (hooks: readonly Hook[], timeoutMs = 5_000, logger = silent) =>
  createHooks(hooks, { timeoutMs, logger })

const call: HookedCall = {
  scope: 'default',
  sessionId: 'ses_1',
  runId: 'run_1',
  toolCallId: 'call-1',
  tool: 'file',
  action: 'write',
  effect: 'write',
  resources: ['/work/a'],
  input: { path: 'a' },
}
/** Takes any input with a path. */
const checkChanged = (input: unknown) => {
  const { path } = input as { path?: string }
  return path === undefined ? 'A path is missing.' : { ...call, input, resources: [`/work/${path}`] }
}
const before = (hooks: readonly Hook[], given = call) => open(hooks).beforeCall(given, checkChanged, never)

type Before = Extract<Hook, { event: 'PreToolUse' }>
const pre = (id: string, run: Before['run'], more: Partial<Before> = {}): Hook => ({
  event: 'PreToolUse',
  id,
  run,
  ...more,
})

describe('hooks before a call', () => {
  it('are asked by priority, then in the order given; one of the same id takes the place of the earlier', async () => {
    const asked: string[] = []
    const say = (id: string, priority?: number, word = id) =>
      pre(id, () => void asked.push(word), priority === undefined ? {} : { priority })
    await before([
      say('late', 200),
      say('c'),
      say('a'),
      say('b', 100),
      say('first', -1),
      say('c', 100, 'new c'),
    ])
    expect(asked).toEqual(['first', 'a', 'b', 'new c', 'late'])
  })

  it.each([
    [undefined, true],
    ['*', true],
    ['file', true],
    ['fi*', true],
    ['{file,terminal}', true],
    ['files', false],
    ['File', false],
    ['il', false],
  ])('for the tool %j are asked about file: %s', async (tool, isAsked) => {
    const advice = await before([pre('it', () => ({ decision: 'deny' }), { tool })])
    expect(advice.opinion !== undefined).toBe(isAsked)
  })

  it('hand on the input that they changed, with what it would touch', async () => {
    const seen: unknown[] = []
    const advice = await before([
      pre('one', () => ({ input: { path: 'b' } })),
      pre('two', ({ input, resources }) => {
        seen.push(input, resources)
        return { input: { path: 'c' } }
      }),
      pre('three', ({ input }) => ({ input })),
    ])
    expect(seen).toEqual([{ path: 'b' }, ['/work/b']])
    expect(advice).toMatchObject({ call: { input: { path: 'c' } }, changedBy: ['one', 'two'] })
  })

  it('end with the first no', async () => {
    const asked: string[] = []
    const advice = await before([
      pre('asks', () => ({ decision: 'ask' })),
      pre('denies', () => ({ decision: 'deny', reason: 'Not today.' })),
      pre('later', () => void asked.push('later')),
    ])
    expect(advice.opinion).toEqual({ decision: 'deny', hook: 'denies', reason: 'Not today. (hook denies)' })
    expect(asked).toEqual([])
  })

  it('ask with the words of the first that does, whatever others allow', async () => {
    const advice = await before([
      pre('kind', () => ({ decision: 'allow' })),
      pre('one', () => ({ decision: 'ask', reason: 'Sure?' })),
      pre('two', () => ({ decision: 'ask', reason: 'Really?' })),
      pre('kinder', () => ({ decision: 'allow' })),
    ])
    expect(advice.opinion).toMatchObject({ decision: 'ask', hook: 'one', reason: 'Sure? (hook one)' })
  })

  it('allow the input that they saw, and no other one', async () => {
    const allow = pre('allow', () => ({ decision: 'allow' }))
    const change = pre('change', () => ({ input: { path: 'other' } }))
    expect((await before([allow, change])).opinion).toBeUndefined()
    expect((await before([change, allow])).opinion?.decision).toBe('allow')
  })

  it('that change the input to one that does not fit have the call refused', async () => {
    const advice = await before([pre('odd', () => ({ input: { name: 'x' } }))])
    expect(advice.opinion).toEqual({
      decision: 'deny',
      hook: 'odd',
      reason: 'The hook odd changed the input, and that does not fit. A path is missing.',
    })
  })

  it('cannot change what they are given behind anybody’s back', async () => {
    const answer = { input: { path: 'b' } }
    const { promise: changed, resolve } = Promise.withResolvers<void>()
    const advice = await before([
      pre('sly', (given) => {
        ;(given.input as { path: string }).path = '/etc/passwd'
        setImmediate(() => resolve(void (answer.input.path = '/etc/passwd')))
        return answer
      }),
      pre('slow', () => changed),
    ])
    expect(call.input).toEqual({ path: 'a' })
    expect(advice.call.input).toEqual({ path: 'b' })
  })

  it.each<[string, Before['run']]>([
    [
      'throws',
      () => {
        throw new Error('Broken.')
      },
    ],
    ['rejects', () => Promise.reject(new Error('Broken.'))],
    ['does not answer', () => new Promise(() => {})],
    ['answers with something else', () => ({ descision: 'deny' }) as object],
    ['answers what cannot be copied', () => ({ input: { path: 1n } })],
  ])('that %s count for nothing, or as a no where that is set', async (_what, run) => {
    const lines: string[] = []
    const logger = pino({}, { write: (line) => void lines.push(line) })
    const ask = (more: Partial<Before>) =>
      open(
        [pre('it', run, more), pre('next', () => ({ additionalContext: 'asked' }))],
        50,
        logger,
      ).beforeCall(call, checkChanged, never)
    expect(await ask({})).toMatchObject({ call, notes: [{ hook: 'next', text: 'asked' }] })
    expect((await ask({})).opinion).toBeUndefined()
    expect((await ask({ onFailure: 'allow' })).opinion).toBeUndefined()
    const denied = await ask({ onFailure: 'deny' })
    expect(denied.opinion).toMatchObject({ decision: 'deny', hook: 'it' })
    expect(denied.notes).toEqual([])
    expect(lines[0]).toContain('"hook":"it"')
  })

  it('are given up when nobody waits any more, which no failure is', async () => {
    const stopping = new AbortController()
    let told: AbortSignal | undefined
    const asking = open([
      pre('it', (_given, signal) => {
        told = signal
        return new Promise(() => {})
      }, { onFailure: 'deny' }), // oxfmt-ignore
    ]).beforeCall(call, checkChanged, stopping.signal)
    stopping.abort(new Error('Stopped.'))
    await expect(asking).rejects.toThrow('Stopped.')
    expect(told?.aborted).toBe(true)
  })

  it('say no more than a model can bear', async () => {
    const long = Array.from({ length: 5 }, (_, index) =>
      pre(`h${index}`, () => ({
        additionalContext: 'x'.repeat(9_000),
        reason: 'y'.repeat(9_000),
        decision: 'ask',
      })),
    )
    const { notes, opinion } = await before(long)
    expect(notes.map(({ text }) => text.length)).toEqual([4_000, 4_000, 2_000])
    expect(opinion!.reason.length).toBeLessThan(1_100)
  })

  it('of an event that there is not are refused at once', () => {
    expect(() => open([{ event: 'PreToolUSe', run: () => undefined } as unknown as Hook])).toThrow(
      /no event "PreToolUSe"/,
    )
  })
})

describe('hooks after a call', () => {
  const after = (hooks: readonly Hook[], outcome: { value: unknown } | { error: unknown }) =>
    open(hooks).afterCall(call, outcome, never)

  it('see what those before them left, and may put a result in the place of an error', async () => {
    const seen: unknown[] = []
    const hooks: Hook[] = [
      {
        event: 'PostToolUse',
        id: 'one',
        run(given) {
          seen.push(given.output, given.error)
          return { output: { clean: true }, additionalContext: 'Look.' }
        },
      },
      { event: 'PostToolUse', id: 'two', run: ({ output }) => void seen.push(output) },
      { event: 'PostToolUse', id: 'other', tool: 'terminal', run: () => ({ output: 'never' }) },
    ]
    expect(await after(hooks, { error: new Error('Failed.') })).toEqual({
      outcome: { value: { clean: true } },
      notes: [{ hook: 'one', text: 'Look.' }],
      changedBy: ['one'],
    })
    expect(seen).toEqual([undefined, 'Failed.', { clean: true }])
  })

  it('that fail leave the result as it is', async () => {
    const hook: Hook = {
      event: 'PostToolUse',
      run() {
        throw new Error('Broken.')
      },
    }
    expect(await after([hook], { value: 1 })).toMatchObject({ outcome: { value: 1 }, changedBy: [] })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { tries } from '../../../test/property-runs.ts'
import type { Definition } from './named-steps.ts'
import { requireDefinition } from './parse-definition.ts'
import { isFinished, type StepState } from './step-state.ts'
import { Unread, withoutOutput } from './unread-outputs.ts'
import { walk } from './walk.ts'
import type { Walk } from './walk-state.ts'
import { answered } from './answered-questions.ts'

const limits = { maxStepOutputChars: 10_000, approvalTimeoutMs: 60_000, maxRunSteps: 10_000 }

const condition = fc.constantFrom('true', "$prev.output != ''", 'false')
const noMore = { requiredKeys: ['type', 'prompt'] as ['type', 'prompt'] }

/** Steps in steps, with conditions that depend on what came before. */
const arbitraryDefinition = fc
  .letrec<{ steps: object[]; step: object }>((tie) => ({
    steps: fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
    step: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.record({ type: fc.constant('agent'), prompt: fc.constant('do it'), condition }, noMore),
      fc.record({
        type: fc.constant('approve'),
        approvePrompt: fc.constant('ok?'),
        onReject: fc.constant('continue'),
      }),
      fc.record({ type: fc.constant('transform'), transform: fc.constant('<$prev.output>') }),
      fc.record({
        type: fc.constant('parallel'),
        branches: fc.record({ a: tie('steps'), b: tie('steps') }),
        maxConcurrency: fc.constantFrom(1, 2),
      }),
      fc.record({
        type: fc.constant('foreach'),
        items: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
        steps: tie('steps'),
        maxConcurrency: fc.constantFrom(1, 2, 5),
      }),
      fc.record({
        type: fc.constant('branch'),
        cases: fc.tuple(fc.record({ when: fc.constantFrom(true, false), steps: tie('steps') })),
        else: tie('steps'),
      }),
      fc.record({
        type: fc.constant('loop'),
        steps: tie('steps'),
        until: fc.constantFrom('$iteration == 2', 'true'),
        maxIterations: fc.constantFrom(2, 3),
        onLimit: fc.constant('continue'),
      }),
    ),
  }))
  .steps.map((steps) => requireDefinition(stringify({ name: 'any', steps })))

interface Ended {
  output?: string
  status: string
  /** How often each step was begun. */
  begun: Map<string, number>
  asked: number
}

/**
 * Does a run as the engine does, but whoever ends next is up to `choose`, and all that is not stored is forgotten after
 * every look.
 */
function simulate(definition: Definition, choose: (count: number) => number): Ended {
  const stored = new Map<string, string>()
  const begun = new Map<string, number>()
  let asked = 0
  for (let now = 1; now < 5_000; now++) {
    const states = new Map([...stored].map(([path, text]) => [path, JSON.parse(text) as StepState]))
    const found = walk({ definition, args: { topic: 'tea' }, states, now, limits })
    const put = (state: StepState) => stored.set(state.path, JSON.stringify(state))
    for (const state of found.changed.values()) put(state)
    // a crash may come between any two of them
    const kept = found.begins.slice(0, choose(found.begins.length + 1))
    for (const { state } of kept) {
      begun.set(state.path, (begun.get(state.path) ?? 0) + 1)
      put({ ...state, status: 'running', startedAt: now })
    }
    if (found.end) return { status: found.end.status, output: found.end.output, begun, asked }
    const open = [...stored.values()]
      .map((text) => JSON.parse(text) as StepState)
      .filter(({ status, type }) => status === 'paused' || (status === 'running' && type === 'agent'))
    if (open.length === 0) continue
    const state = open[choose(open.length)]!
    if (state.status === 'paused') {
      asked++
      const step = { id: state.stepId, type: 'approve', approvePrompt: 'ok?' } as const
      put(answered(step, state, { approved: true, now }))
    } else put({ ...state, status: 'completed', output: `${state.path} said`, finishedAt: now })
  }
  throw new Error('It does not come to an end.')
}

interface Passed {
  end: Walk['end']
  begun: string[]
  linked: string[]
  /** The most steps that a walk was given. */
  most: number
}

/** What a step says, or that it fails, is up to its name: whatever is read and when, it is the same. */
const endOf = (state: StepState): StepState =>
  /[37]\/(?:a|b)$/.test(state.path)
    ? { ...state, status: 'failed', error: `${state.path} failed` }
    : { ...state, status: 'completed', output: `${state.path} said` }

/**
 * Does a run to its end. With `isSparing`, as the engine does it: a walk is given steps that are over without what they
 * came to, those that were passed not at all, and the rest when it asks.
 */
function run(definition: Definition, choose: (count: number) => number, isSparing: boolean): Passed {
  const stored = new Map<string, StepState>()
  const passed = new Set<string>()
  const begun: string[] = []
  const linked: string[] = []
  let most = 0
  for (let now = 1; now < 50_000; now++) {
    const known = new Map<string, StepState>()
    for (const [path, state] of stored)
      if (!isSparing) known.set(path, state)
      else if (!passed.has(path))
        known.set(path, isFinished(state) ? withoutOutput(state, { hasOutput: true }) : state)
    most = Math.max(most, known.size)
    const found = walkSparingly(definition, known, stored, now)
    for (const state of [...found.changed.values(), ...found.noted.values()])
      stored.set(state.path, structuredClone(state))
    for (const path of found.passed) passed.add(path)
    for (const { state } of found.begins) {
      begun.push(state.path)
      stored.set(state.path, { ...state, status: 'running' })
    }
    for (const { state, actions } of found.links) {
      linked.push(state.path)
      stored.set(state.path, { ...stored.get(state.path)!, linked: state.linked + actions.length })
    }
    if (found.end) return { end: found.end, begun: begun.sort(), linked: linked.sort(), most }
    const open = [...stored.values()].filter(({ status, type }) => status === 'running' && type === 'agent')
    const ending = open[choose(open.length)]
    if (ending) stored.set(ending.path, endOf(ending))
  }
  throw new Error('It does not come to an end.')
}

function walkSparingly(
  definition: Definition,
  known: Map<string, StepState>,
  stored: ReadonlyMap<string, StepState>,
  now: number,
): Walk {
  for (;;)
    try {
      return walk({ definition, args: { topic: 'tea' }, states: new Map(known), now, limits })
    } catch (error) {
      if (!(error instanceof Unread)) throw error
      const { outputs = [], below } = error.wanted
      for (const [path, state] of stored)
        if (outputs.includes(path) || (below !== undefined && path.startsWith(below))) known.set(path, state)
    }
}

const arbitraryList = fc
  .record({
    items: fc.integer({ min: 1, max: 50 }),
    maxConcurrency: fc.constantFrom(1, 3, 50),
    errorStrategy: fc.constantFrom('fail_fast', 'continue', 'continue', 'continue'),
    inner: fc.constantFrom('two', 'transform', 'condition', 'branch', 'loop', 'parallel', 'list', 'none'),
    hasLinks: fc.boolean(),
    isTold: fc.constantFrom(true, true, false),
  })
  .map(({ items, maxConcurrency, errorStrategy, inner, hasLinks, isTold }) => {
    const linkedActions = hasLinks
      ? [{ type: 'notify', params: { title: '$prev', body: '$item' } }]
      : undefined
    const a = { id: 'a', type: 'agent', prompt: 'do $item', ...(linkedActions && { linkedActions }) }
    const b = { id: 'b', type: 'agent', prompt: 'do $prev' }
    const insides: Record<string, object[]> = {
      two: [a, b],
      transform: [a, { id: 't', type: 'transform', transform: '<$prev.output>' }],
      condition: [{ ...a, condition: '$index != 2' }, b],
      branch: [a, { id: 'br', type: 'branch', cases: [{ when: '$a contains "1"', steps: [b] }] }],
      loop: [
        {
          id: 'l',
          type: 'loop',
          steps: [a],
          until: '$iteration == 2',
          maxIterations: 2,
          onLimit: 'continue',
        },
      ],
      parallel: [{ id: 'p', type: 'parallel', branches: { x: [a], y: [b] } }],
      list: [{ id: 'li', type: 'foreach', items: Array(20).fill(1), steps: [a] }, b],
      none: [{ id: 't', type: 'transform', transform: '$item' }],
    }
    const steps = [
      { id: 'first', type: 'agent', prompt: 'begin' },
      {
        id: 'each',
        type: 'foreach',
        items: Array.from({ length: items }, (_, index) => index),
        maxConcurrency,
        steps: insides[inner],
      },
      ...(isTold ? [agent('tell', { prompt: 'tell of $each and $first' }), agent('end')] : []),
    ]
    return requireDefinition(stringify({ name: 'list', config: { errorStrategy }, steps }))
  })

describe('a walk', () => {
  it('has the same outcome when it is given little and requests the rest', () => {
    fc.assert(
      fc.property(
        arbitraryList,
        fc.infiniteStream(fc.nat()),
        fc.boolean(),
        (definition, numbers, inOrder) => {
          const chosen: number[] = []
          const whole = run(
            definition,
            (count) => {
              chosen.push(inOrder ? 0 : (numbers.next().value ?? 0))
              return count === 0 ? 0 : chosen.at(-1)! % count
            },
            false,
          )
          let turn = 0
          const sparing = run(
            definition,
            (count) => {
              const number = chosen[turn++] ?? 0
              return count === 0 ? 0 : number % count
            },
            true,
          )
          expect({ ...sparing, most: 0 }).toEqual({ ...whole, most: 0 })
        },
      ),
      tries(60),
    )
  })

  it('knows what failed in a list that was passed while something was still to be done for its last item', () => {
    const notify = { type: 'notify', params: { title: 'a', body: 'b' } }
    const definition = requireDefinition(
      stringify({
        name: 'list',
        config: { errorStrategy: 'continue' },
        steps: [
          {
            id: 'each',
            type: 'foreach',
            items: Array.from({ length: 40 }, (_, index) => index),
            steps: [agent('a', { linkedActions: [notify] })],
          },
          agent('tell'),
          agent('end'),
        ],
      }),
    )
    const sparing = run(definition, () => 0, true)
    expect(sparing.end!.failedSteps).toEqual(
      [3, 7, 13, 17, 23, 27, 33, 37].map((number) => `each#${number}/a`),
    )
    expect(sparing.linked).toHaveLength(32)
  })

  it('is given no more of a long list than of a short one', () => {
    const most = (items: number) =>
      run(
        requireDefinition(
          stringify({
            name: 'list',
            config: { errorStrategy: 'continue' },
            steps: [
              {
                id: 'each',
                type: 'foreach',
                items: Array.from({ length: items }, (_, index) => index),
                steps: [agent('a'), agent('b')],
              },
            ],
          }),
        ),
        () => 0,
        true,
      ).most
    expect(most(400)).toBe(most(60))
  })

  it('comes to the same end whoever is faster and whenever it is interrupted, and begins nothing twice', () => {
    fc.assert(
      fc.property(arbitraryDefinition, fc.infiniteStream(fc.nat()), (definition, numbers) => {
        const inOrder = simulate(definition, (count) => Math.max(0, count - 1))
        const random = simulate(definition, (count) =>
          count === 0 ? 0 : (numbers.next().value ?? 0) % count,
        )
        expect(random.output).toBe(inOrder.output)
        expect(random.status).toBe('completed')
        expect([...random.begun.values()].every((times) => times === 1)).toBe(true)
        expect([...random.begun.keys()].sort()).toEqual([...inOrder.begun.keys()].sort())
        expect(random.asked).toBe(inOrder.asked)
      }),
      tries(100),
    )
  })

  it('finds nothing to do in a waiting run, however often it is walked', () => {
    const definition = requireDefinition(
      stringify({ name: 'w', steps: [{ id: 'ask', type: 'approve', approvePrompt: 'ok?' }] }),
    )
    const states = new Map<string, StepState>()
    const first = walk({ definition, args: {}, states, now: 1, limits })
    expect(first.changed.size).toBe(1)
    expect(first.wakeAt).toBe(1 + limits.approvalTimeoutMs)
    const second = walk({ definition, args: {}, states, now: 2, limits })
    expect(second).toMatchObject({ begins: [], links: [], wakeAt: 1 + limits.approvalTimeoutMs })
    expect(second.changed.size).toBe(0)
    expect(second.end).toBeUndefined()
  })

  it('waits longer before each further try, up to an hour', () => {
    const definition = requireDefinition(
      stringify({
        name: 'w',
        steps: [
          {
            id: 'x',
            type: 'agent',
            prompt: 'p',
            retryConfig: { maxRetries: 20, retryDelayMs: 600_000, backoff: 3 },
          },
        ],
      }),
    )
    const waits: number[] = []
    let state: StepState = {
      path: 'x',
      stepId: 'x',
      type: 'agent',
      status: 'failed',
      attempt: 1,
      details: {},
      linked: 0,
    }
    for (let attempt = 0; attempt < 4; attempt++) {
      const states = new Map([['x', state]])
      const found = walk({ definition, args: {}, states, now: 0, limits })
      waits.push(found.wakeAt!)
      expect(found.begins).toEqual([])
      state = { ...states.get('x')!, status: 'failed' }
    }
    expect(waits).toEqual([600_000, 1_800_000, 3_600_000, 3_600_000])
  })
})

const agent = (id: string, more: object = {}) => ({ id, type: 'agent', prompt: `do ${id}`, ...more })

const stateOf = (path: string, type: StepState['type'], more: Partial<StepState>): StepState => ({
  path,
  stepId: path.replace(/.*\//, ''),
  type,
  status: 'completed',
  attempt: 1,
  details: {},
  linked: 0,
  ...more,
})

const look = (steps: object[], states: StepState[]) =>
  walk({
    definition: requireDefinition(stringify({ name: 'flow', steps })),
    args: {},
    states: new Map(states.map((state) => [state.path, state])),
    now: 1_000,
    limits,
  })

it('begins nothing beside what has failed, also while something is still to be done for what succeeded', () => {
  const notify = { type: 'notify', params: { title: 'a', body: 'b' } }
  const steps = (more: object) => [
    {
      id: 'both',
      type: 'parallel',
      branches: { left: [agent('l1', more), agent('l2')], right: [agent('r')] },
    },
  ]
  const states = [
    stateOf('both', 'parallel', { status: 'running' }),
    stateOf('both/l1', 'agent', { output: 'one' }),
    stateOf('both/r', 'agent', { status: 'failed', error: 'no' }),
  ]
  expect(look(steps({}), states)).toMatchObject({ begins: [], end: { status: 'failed' } })
  const linking = look(steps({ linkedActions: [notify] }), states)
  expect(linking.begins).toEqual([])
  expect(linking.links).toHaveLength(1)
  expect(linking.end).toBeUndefined()
})

it('has no output for a branch that did nothing', () => {
  const never = agent('never', { condition: false })
  const { end } = look(
    [agent('before'), { id: 'both', type: 'parallel', branches: { idle: [never], busy: [agent('one')] } }],
    [stateOf('before', 'agent', { output: 'earlier' }), stateOf('both/one', 'agent', { output: 'done' })],
  )
  expect(end).toMatchObject({ status: 'completed', data: { idle: null, busy: 'done' } })
})

it('does nothing more for a rejected approval, also where the run continues', () => {
  const notify = { type: 'notify', params: { title: 'a', body: 'b' } }
  const steps = [
    { id: 'ask', type: 'approve', approvePrompt: 'ok?', onReject: 'continue', linkedActions: [notify] },
  ]
  const links = (approved: boolean) => look(steps, [stateOf('ask', 'approve', { approved })]).links
  expect(links(true)).toHaveLength(1)
  expect(links(false)).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { tries } from '../../test/property-runs.ts'
import type { Definition } from './named.ts'
import { requireDefinition } from './parse.ts'
import type { StepState } from './step-state.ts'
import { walk } from './walk.ts'
import { answered } from './answered.ts'

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

describe('a walk', () => {
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

  it('finds nothing to do in a run that waits, however often it is looked at', () => {
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

it('says nothing of a branch that did nothing', () => {
  const never = agent('never', { condition: false })
  const { end } = look(
    [agent('before'), { id: 'both', type: 'parallel', branches: { idle: [never], busy: [agent('one')] } }],
    [stateOf('before', 'agent', { output: 'earlier' }), stateOf('both/one', 'agent', { output: 'done' })],
  )
  expect(end).toMatchObject({ status: 'completed', data: { idle: null, busy: 'done' } })
})

it('does nothing more for an approval that was refused, also where the run goes on', () => {
  const notify = { type: 'notify', params: { title: 'a', body: 'b' } }
  const steps = [
    { id: 'ask', type: 'approve', approvePrompt: 'ok?', onReject: 'continue', linkedActions: [notify] },
  ]
  const links = (approved: boolean) => look(steps, [stateOf('ask', 'approve', { approved })]).links
  expect(links(true)).toHaveLength(1)
  expect(links(false)).toEqual([])
})

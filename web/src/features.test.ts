import { afterAll, describe, expect, it, vi } from 'vitest'
import type { ScopeEvent } from '../../src/client/index.ts'
import { sessionKeys } from './api/session-queries.ts'
import { staleKeys } from './api/stale-queries.ts'
import { planKeys } from './plans/queries.ts'
import { roomKeys } from './rooms/queries.ts'
import { actions } from './shell/actions.ts'

// what is written and not sent is kept there
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
const { features } = await import('./features.ts')
afterAll(() => vi.unstubAllGlobals())

const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index)

describe('the list of features', () => {
  it('has no two of one name', () => {
    expect(twice(features.map(({ id }) => id))).toEqual([])
    expect(twice(features.flatMap(({ pages = [] }) => pages.map(({ path }) => path)))).toEqual([])
    expect(twice(features.flatMap(({ docks = [] }) => docks.map(({ name }) => name)))).toEqual([])
    expect(twice(features.flatMap(({ parts = {} }) => Object.keys(parts)))).toEqual([])
    expect(twice(features.flatMap(({ tools = {} }) => Object.keys(tools)))).toEqual([])
    expect(twice(features.flatMap(({ queries = {} }) => Object.keys(queries)))).toEqual([])
  })

  it('gives no keys to two actions', () => {
    const ofPages = features.flatMap(({ pages = [] }) => pages.flatMap(({ nav }) => nav?.action ?? []))
    expect(twice([...actions, ...ofPages].map(({ name }) => name))).toEqual([])
    expect(twice([...actions, ...ofPages].flatMap(({ keys }) => keys))).toEqual([])
  })

  it('has one list at the left', () => {
    expect(features.filter(({ Sidebar }) => Sidebar)).toHaveLength(1)
  })

  it('keeps a name in the URL for one feature alone', () => {
    const kept = features.flatMap(({ keptSearch = [] }) => keptSearch)
    const docks = features
      .flatMap((feature) => feature.docks ?? [])
      .flatMap(({ search = {} }) => Object.keys(search))
    expect(twice([...kept, ...docks, 'scope', 'dock', 'message'])).toEqual([])
  })
})

const queries = features.flatMap(({ queries: own }) => (own ? [own] : []))
const touchedBy = (event: Partial<ScopeEvent>) =>
  staleKeys(queries, { data: {}, ...event } as ScopeEvent).map((key) => key.join('/'))
const touched = (type: string, sessionId?: string) => touchedBy({ type, sessionId })

describe('what an event makes stale', () => {
  it.each([
    ['lock-changed', true],
    ['document-deleted', true],
    ['todo-changed', true],
    ['session-deleted', true],
    ['session-updated', false],
    ['run-finished', false],
  ])('%s asks again for locks: %s', (type, isAsked) => {
    expect(touched(type).includes('locks')).toBe(isAsked)
  })

  it.each([
    ['workflow-saved', 'workflows'],
    ['workflow-deleted', 'workflows'],
    ['workflow-step', 'workflow-runs'],
    ['workflow-paused', 'workflow-runs'],
    ['workflow-completed', 'workflow-runs'],
  ])('%s asks again for %s alone', (type, kind) => {
    expect(touched(type).filter((key) => key.startsWith('workflow'))).toEqual([kind])
  })

  it('asks again for a plan that was changed, and for one node of it when that goes on', () => {
    const ofPlans = (type: string, data: ScopeEvent['data']) =>
      touchedBy({ type, data }).filter((key) => key.startsWith('plan'))
    expect(ofPlans('plan-changed', { planId: 'p' })).toEqual(['plans', 'plan-runs', 'plan/p'])
    expect(ofPlans('plan-node', { planId: 'p', nodeId: 3 })).toEqual(['plans', 'plan-runs', 'plan/p/node/3'])
    expect(planKeys.tree('p').join('/')).toBe('plan/p/tree')
  })

  it.each([
    ['agent-saved', ['agents']],
    ['agent-deleted', ['agents']],
    ['thread-updated', ['threads']],
    ['session-updated', ['threads']],
    ['run-finished', []],
  ])('%s asks again for %j of rooms', (type, kinds) => {
    expect(touched(type).filter((key) => key === 'agents' || key === 'threads')).toEqual(kinds)
  })

  it('asks again for a room when something happens in it', () => {
    const [kind, id] = roomKeys.room('ses_1', 'ada')
    expect(touched('session-updated', 'ses_1')).toContain(`${kind}/${id}`)
    expect(roomKeys.rounds('ses_1').slice(0, 2)).toEqual([kind, id])
  })

  it('asks again for all of a session when something happens in it, its checkpoints among it', () => {
    const [kind, id] = sessionKeys.checkpoints('ses_1')
    expect(touched('run-finished', 'ses_1')).toContain(`${kind}/${id}`)
    expect(touched('run-finished', 'ses_2')).not.toContain(`${kind}/${id}`)
  })
})

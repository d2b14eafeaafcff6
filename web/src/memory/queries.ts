import type { StaleQueries } from '../api/stale-queries.ts'

export const memoryKeys = {
  memories: (filter: object = {}) => ['memories', filter] as const,
}

export const memoryQueries: StaleQueries = {
  memories: {
    events: ['*'],
    key: ({ type, data }) =>
      touching.test(type) || touchingExactly.has(type) || 'rolledBackTo' in data ? ['memories'] : undefined,
  },
}

const touching = /^(memor(y|ies)|document)-/
// a turn counts what it is told; what goes takes along what was learned of it
const touchingExactly: ReadonlySet<string> = new Set(['run-finished', 'session-deleted'])

import { expect, it } from 'vitest'
import { problemOf, readFilter, typesOf } from './memory-query.ts'

it('reads what the URL asks for, and nothing that is not there', () => {
  expect(readFilter({})).toEqual({ status: 'active' })
  expect(readFilter({ layer: 'planet', type: 'gossip', status: 'lost', q: '  ', session: '' })).toEqual({
    status: 'active',
  })
  const filter = {
    layer: 'scope',
    type: 'foresight',
    status: 'deleted',
    q: '发布',
    session: 'ses_1',
  } as const
  expect(readFilter({ ...filter, q: ' 发布 ' })).toEqual(filter)
})

it('knows which searches the server refuses', () => {
  expect(problemOf(readFilter({ status: 'deleted', layer: 'session' }))).toBeUndefined()
  expect(problemOf(readFilter({ q: 'tea' }))).toBeUndefined()
  expect(problemOf(readFilter({ q: 'tea', status: 'deleted' }))).toBe('searchDeleted')
  expect(problemOf(readFilter({ q: 'tea', layer: 'session' }))).toBe('searchSessions')
  expect(problemOf(readFilter({ q: 'tea', layer: 'session', session: 'ses_1' }))).toBeUndefined()
})

it('offers profiles of users alone', () => {
  expect(typesOf('user')).toContain('profile')
  expect(typesOf('scope')).not.toContain('profile')
})

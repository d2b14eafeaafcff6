import { expect, it } from 'vitest'
import { findPlaces, innermost, toKey } from './yaml-paths.ts'

const text = `name: demo
steps:
  - id: x
    type: agent
    prompt: |
      - id: no step
  - { id: y, type: loop, "steps": [{id: z, type: agent}] }
  - type: parallel
    branches:
      one:
        - id: q
`
const places = findPlaces(text)
const at = (...path: (string | number)[]) => {
  const span = places.get(toKey(path))
  return span && text.slice(span.from, span.to)
}

it('finds steps in blocks, in flows, and inside of other steps', () => {
  expect(at('steps', 0)).toMatch(/^id: x\n {4}type: agent/)
  expect(at('steps', 1)).toMatch(/^\{ id: y/)
  expect(at('steps', 1, 'steps', 0)).toBe('{id: z, type: agent}')
  expect(at('steps', 2, 'branches', 'one', 0)).toMatch(/^id: q/)
  expect(at('steps', 3)).toBeUndefined()
})

it('reads JSON too', () => {
  const json = '{"steps": [{"id": "a"}, {"id": "b"}]}'
  const span = findPlaces(json).get(toKey(['steps', 1]))!
  expect(json.slice(span.from, span.to)).toBe('{"id": "b"}')
})

it('knows the innermost step of a place', () => {
  const spans = [
    ['y', places.get(toKey(['steps', 1]))!],
    ['z', places.get(toKey(['steps', 1, 'steps', 0]))!],
  ] as const
  expect(innermost(spans, text.indexOf('id: z'))).toBe('z')
  expect(innermost(spans, text.indexOf('type: loop'))).toBe('y')
  expect(innermost(spans, 0)).toBeUndefined()
})

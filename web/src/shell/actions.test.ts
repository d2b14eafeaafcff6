import { expect, it } from 'vitest'
import { actionNamed, actions, actionWithKeys, keysOf } from './actions.ts'

it('gives no keys to two actions', () => {
  const all = actions.flatMap(({ keys }) => keys)
  expect(all).toEqual([...new Set(all)])
})

it('lets a person choose other keys, or none', () => {
  const palette = actionNamed('palette')
  expect(keysOf(palette, {})).toEqual(['mod+k'])
  expect(keysOf(palette, { palette: 'mod+p' })).toEqual(['mod+p'])
  expect(keysOf(palette, { palette: '' })).toEqual([])
})

it('finds who has keys, and that nobody has those that were given up', () => {
  expect(actionWithKeys('?', {})?.name).toBe('shortcuts')
  expect(actionWithKeys('mod+k', { palette: 'mod+p' })).toBeUndefined()
  expect(actionWithKeys('mod+p', { palette: 'mod+p' })?.name).toBe('palette')
})

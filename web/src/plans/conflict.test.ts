import { expect, it } from 'vitest'
import { ParleyError } from '../../../src/client/index.ts'
import { changeNode, conflictOf } from './conflict.ts'

const conflict = (version: number, nodes: number[]) =>
  new ParleyError('conflict', 'The plan was changed.', { details: { version, nodes } })

it('knows a conflict of versions from other refusals', () => {
  expect(conflictOf(conflict(4, [1]))).toEqual({ version: 4, nodes: [1] })
  expect(conflictOf(new ParleyError('conflict', 'A run works on it.'))).toBeUndefined()
  expect(conflictOf(new Error('no'))).toBeUndefined()
})

it('changes a node although others were changed since', async () => {
  const asked: (number | undefined)[] = []
  const answer = await changeNode(2, 3, async (version) => {
    asked.push(version)
    if (asked.length < 3) throw conflict(asked.length * 10, [7])
    return 'changed'
  })
  expect(answer).toBe('changed')
  expect(asked).toEqual([3, 10, 20])
})

it('is refused when the node itself was changed, and does not go on for ever', async () => {
  let asked = 0
  const refused = (nodes: number[]) =>
    changeNode(2, 3, async () => {
      asked++
      throw conflict(9, nodes)
    })
  await expect(refused([2])).rejects.toThrow('changed')
  expect(asked).toBe(1)
  await expect(refused([5])).rejects.toThrow('changed')
  expect(asked).toBeLessThan(10)
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tries } from '../../../test/property-runs.ts'
import type { NodeLinks } from './store/plans.ts'
import { nextNodes } from './next-nodes.ts'

/** Nodes that wait for some before them; a few of them went wrong. */
const arbitraryStates = fc
  .array(
    fc.record({
      status: fc.constantFrom('pending', 'pending', 'pending', 'completed', 'failed'),
      parent: fc.nat(),
      dependencies: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((drafts) =>
    drafts.map(({ status, parent, dependencies }, index): NodeLinks => ({
      id: index + 1,
      parentId: 0,
      sort: index,
      status: status as NodeLinks['status'],
      dependencies: [...dependencies, ...(parent % 3 === 0 ? [] : [parent % 20])].filter(
        (id) => id > 0 && id <= index,
      ),
    })),
  )

it('says the same of those that are left when some of what is blocked is stored, the last first', () => {
  fc.assert(
    fc.property(arbitraryStates, fc.nat(), (states, kept) => {
      const all = [...nextNodes(states, () => true).blocked]
      // as far as a process came that blocked them from the end
      const left = all.slice(0, kept % (all.length + 1))
      const stored = new Set(all.slice(left.length).map(([id]) => id))
      const after = states.map((state) =>
        stored.has(state.id) ? { ...state, status: 'blocked' as const } : state,
      )
      expect([...nextNodes(after, () => true).blocked]).toEqual(left)
    }),
    tries(200),
  )
})

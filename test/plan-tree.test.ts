import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../src/core/protocol/error.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { NodeRecord, PlanRecord } from '../src/extensions/plan/store/plans.ts'
import type { Store } from '../src/core/store/store.ts'
import { changePlan, type PlanCaller, type PlanEdit } from '../src/extensions/plan/change-plan.ts'
import { addNode, deleteNode, maxNodes, moveNode, updateNode } from '../src/extensions/plan/nodes.ts'
import { outlineOf } from '../src/extensions/plan/outline.ts'
import { farthest } from '../src/extensions/plan/order-gaps.ts'
import { PlanShape } from '../src/extensions/plan/tree-shape.ts'
import { undoChange } from '../src/extensions/plan/undo-change.ts'
import { databases, type OpenDatabase } from './harness.ts'
import { takeSeed } from './seed.ts'

const caller: PlanCaller = { scope: 'default', actor: { type: 'user', id: 'ann' } }

async function openPlan(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope('default')
  let time = 1
  const { id } = await store.createPlan({ scope: 'default', title: 'A plan', description: '', metadata: {} })
  const change = async <Answer>(
    work: (edit: PlanEdit, now: number) => Promise<Answer>,
    baseVersion?: number,
  ) => {
    const now = ++time
    const { answer } = await changePlan(store, caller, id, { action: 'test', baseVersion, now }, (edit) =>
      work(edit, now),
    )
    return answer
  }
  return {
    store,
    id,
    change,
    plan: () => store.requirePlan('default', id),
    add: (name: string, parentId = 0, dependencies: number[] = []) =>
      change((edit, now) => addNode(edit, { name, dependencies }, { parentId }, now)),
    undo: async (version: number) => (await undoChange(store, caller, id, version, ++time)).plan,
    children: async (parentId = 0) => (await store.listChildren(id, parentId)).map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

describe.each(databases)('the tree of a plan on %s', (_name, openDatabase) => {
  it('takes nodes in at every place', async () => {
    await using plan = await openPlan(openDatabase)
    const [a, b] = [await plan.add('a'), await plan.add('b')]
    const add = (name: string, place: Parameters<typeof addNode>[2]) =>
      plan.change((edit, now) => addNode(edit, { name }, place, now))
    await add('before b', { before: b.id })
    await add('after a', { after: a.id })
    await add('first', { parentId: 0, position: 'first_child' })
    await add('last', { parentId: 0, position: 'last_child' })
    await add('third', { parentId: 0, position: 2 })
    await add('far', { parentId: 0, position: 99 })
    expect(await plan.children()).toEqual(['first', 'a', 'third', 'after a', 'before b', 'b', 'last', 'far'])
    await expect(add('nowhere', { parentId: 77 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(add('nowhere', { after: 77 })).rejects.toMatchObject({ code: 'not_found' })
    expect((await plan.plan()).version).toBe(8)
  })

  it('finds room between two nodes however often', async () => {
    await using plan = await openPlan(openDatabase)
    const first = await plan.add('first')
    await plan.add('last')
    for (let index = 0; index < 80; index++)
      await plan.change((edit, now) => addNode(edit, { name: `n${index}` }, { after: first.id }, now))
    expect(await plan.children()).toEqual([
      'first',
      ...Array.from({ length: 80 }, (_, index) => `n${79 - index}`),
      'last',
    ])
  })

  it('refuses what would make a circle, and changes nothing', async () => {
    await using plan = await openPlan(openDatabase)
    const root = await plan.add('root')
    const child = await plan.add('child', root.id)
    const leaf = await plan.add('leaf', child.id)
    const other = await plan.add('other', 0, [leaf.id])
    const before = await plan.plan()
    const refused = async (work: (edit: PlanEdit, now: number) => Promise<unknown>, words: RegExp) =>
      expect(plan.change(work)).rejects.toThrow(words)
    await refused((edit, now) => moveNode(edit, root.id, { parentId: leaf.id }, now), /below itself/)
    await refused((edit, now) => moveNode(edit, root.id, { after: child.id }, now), /below itself/)
    await refused((edit, now) => updateNode(edit, leaf.id, { dependencies: [leaf.id] }, now), /itself/)
    await refused((edit, now) => updateNode(edit, leaf.id, { dependencies: [root.id] }, now), /waits for it/)
    await refused((edit, now) => updateNode(edit, leaf.id, { dependencies: [other.id] }, now), /4 → 3/)
    // a part is done before the whole, so the whole may wait for what waits for a part
    await plan.change((edit, now) => updateNode(edit, root.id, { dependencies: [other.id] }, now))
    await plan.undo((await plan.plan()).version)
    await refused((edit, now) => updateNode(edit, leaf.id, { dependencies: [99] }, now), /no such node/)
    // what waits for a part of a node cannot become a part of it
    await refused((edit, now) => moveNode(edit, other.id, { parentId: leaf.id }, now), /waits for 3: 4 → 3/)
    expect((await plan.plan()).version).toBe(before.version + 2)
  })

  it('refuses a circle that a move closes through a part of what is moved', async () => {
    await using plan = await openPlan(openDatabase)
    const whole = await plan.add('whole')
    const moved = await plan.add('moved')
    const part = await plan.add('part', moved.id)
    await plan.change((edit, now) => updateNode(edit, part.id, { dependencies: [whole.id] }, now))
    await expect(
      plan.change((edit, now) => moveNode(edit, moved.id, { parentId: whole.id }, now)),
    ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('2 → 3 → 1') })
    await plan.change((edit, now) => moveNode(edit, moved.id, { before: whole.id }, now))
    expect(await plan.children()).toEqual(['moved', 'whole'])
  })

  it('refuses to delete what is running, also deep below', async () => {
    await using plan = await openPlan(openDatabase)
    const root = await plan.add('root')
    const child = await plan.add('child', root.id)
    const leaf = await plan.add('leaf', child.id)
    await plan.change((edit, now) => updateNode(edit, leaf.id, { status: 'running' }, now))
    await expect(plan.change((edit, now) => deleteNode(edit, root.id, now))).rejects.toMatchObject({
      code: 'conflict',
      details: { nodeId: leaf.id },
    })
    expect(await plan.store.listNodes(plan.id)).toHaveLength(3)
  })

  it('is 100 levels deep at most, also by a move', async () => {
    await using plan = await openPlan(openDatabase)
    const nodes = await plan.change(async (edit, now) => {
      const made: NodeRecord[] = []
      for (let level = 0; level < 100; level++)
        made.push(await addNode(edit, { name: `level ${level}` }, { parentId: made.at(-1)?.id ?? 0 }, now))
      return made
    })
    await expect(plan.add('too deep', nodes.at(-1)!.id)).rejects.toThrow(/100 levels deep at most; .* 101/)
    const pair = await plan.add('pair')
    await plan.add('below', pair.id)
    const move = (parentId: number) => plan.change((edit, now) => moveNode(edit, pair.id, { parentId }, now))
    await expect(move(nodes[98]!.id)).rejects.toThrow(/100 levels/)
    await move(nodes[97]!.id)
  })

  it('takes 20,000 nodes and no more', async () => {
    await using plan = await openPlan(openDatabase)
    const [first] = await plan.change(async (edit, now) => {
      const made = Array.from({ length: maxNodes - 1 }, (_, index) => ({
        ...emptyNode(edit.nextId(), now),
        sort: index,
      }))
      await edit.addAll(made)
      return made
    })
    await plan.add('the last')
    await expect(plan.add('one more')).rejects.toThrow(/20000 nodes at most/)
    await plan.change((edit, now) => deleteNode(edit, first!.id, now))
    await plan.add('in its place')
    await expect(plan.add('one more')).rejects.toThrow(/20000 nodes at most/)
  })

  it('starts from the middle again when places have gone too far', async () => {
    await using plan = await openPlan(openDatabase)
    const [a, b] = [await plan.add('a'), await plan.add('b')]
    await plan.store.setSorts(plan.id, [
      { id: a.id, sort: farthest - 1 },
      { id: b.id, sort: farthest },
    ])
    await plan.add('c')
    await plan.change((edit, now) => addNode(edit, { name: 'first' }, { parentId: 0, position: 0 }, now))
    expect(await plan.children()).toEqual(['first', 'a', 'b', 'c'])
    for (const { sort } of await plan.store.listNodes(plan.id)) expect(Math.abs(sort)).toBeLessThan(2 ** 40)
  })

  it('deletes a node with all below it, and nobody waits for them any more', async () => {
    await using plan = await openPlan(openDatabase)
    const root = await plan.add('root')
    const child = await plan.add('child', root.id)
    await plan.add('leaf', child.id)
    const waiting = await plan.add('waiting', 0, [child.id])
    await plan.change((edit, now) => deleteNode(edit, root.id, now))
    expect((await plan.store.listNodes(plan.id)).map(({ name }) => name)).toEqual(['waiting'])
    expect((await plan.store.getNode(plan.id, waiting.id))!.dependencies).toEqual([])
    const { version } = await plan.plan()
    await plan.undo(version)
    expect((await plan.store.listNodes(plan.id)).map(({ name }) => name)).toEqual([
      'root',
      'child',
      'leaf',
      'waiting',
    ])
    expect((await plan.store.getNode(plan.id, waiting.id))!.dependencies).toEqual([child.id])
    // a number is never used twice
    expect((await plan.add('new')).id).toBe(5)
  })

  it('names who changed it when somebody goes by an old version', async () => {
    await using plan = await openPlan(openDatabase)
    const node = await plan.add('one')
    const { version } = await plan.plan()
    await plan.change((edit, now) => updateNode(edit, node.id, { name: 'mine' }, now), version)
    await expect(
      plan.change((edit, now) => updateNode(edit, node.id, { name: 'theirs' }, now), version),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('user:ann'),
      details: { version: version + 1, nodes: [node.id] },
    })
    const edits = Array.from({ length: 10 }, (_, index) => plan.add(`at once ${index}`))
    await Promise.all(edits)
    expect((await plan.plan()).version).toBe(version + 11)
    expect(await plan.children()).toHaveLength(11)
  })

  it('takes back what nobody changed since, and says so where somebody did', async () => {
    await using plan = await openPlan(openDatabase)
    const node = await plan.add('one')
    await plan.change((edit, now) => updateNode(edit, node.id, { name: 'two', metadata: { a: 1 } }, now))
    await plan.change((edit, now) => updateNode(edit, node.id, { metadata: { b: 2 } }, now))
    expect((await plan.store.getNode(plan.id, node.id))!.metadata).toEqual({ a: 1, b: 2 })
    await expect(plan.undo(2)).rejects.toMatchObject({ code: 'conflict', details: { nodeId: node.id } })
    await plan.undo(3)
    await plan.undo(2)
    expect(await plan.store.getNode(plan.id, node.id)).toMatchObject({ name: 'one', metadata: {} })
    await plan.undo(5)
    expect(await plan.store.getNode(plan.id, node.id)).toMatchObject({ name: 'two', metadata: { a: 1 } })
    await expect(plan.undo(99)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('makes no version of what changes nothing', async () => {
    await using plan = await openPlan(openDatabase)
    const node = await plan.add('one')
    await plan.change((edit, now) => updateNode(edit, node.id, { name: 'one', metadata: {} }, now))
    await plan.change(async (edit, now) => {
      await edit.removeAll([await addNode(edit, { name: 'for a moment' }, { parentId: 0 }, now)])
    })
    expect((await plan.plan()).version).toBe(1)
    expect(await plan.store.getNode(plan.id, node.id)).toEqual(node)
  })

  it('knows which change is the later one within a millisecond', async () => {
    await using plan = await openPlan(openDatabase)
    const change = (action: string, work: (edit: PlanEdit) => Promise<unknown>) =>
      changePlan(plan.store, caller, plan.id, { action, now: 1 }, work)
    await change('add', (edit) => addNode(edit, { name: 'one' }, { parentId: 0 }, 1))
    await change('first', (edit) => updateNode(edit, 1, { name: 'two' }, 1))
    await change('second', (edit) => updateNode(edit, 1, { name: 'three' }, 1))
    await expect(plan.undo(2)).rejects.toMatchObject({ code: 'conflict' })
    expect((await plan.store.getNode(plan.id, 1))!.name).toBe('three')
  })

  it('takes nothing back that would not fit any more, and says why', async () => {
    await using plan = await openPlan(openDatabase)
    const refused = async (version: number, words: RegExp) => {
      const before = await plan.store.listNodes(plan.id)
      await expect(plan.undo(version)).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringMatching(words),
      })
      expect(await plan.store.listNodes(plan.id)).toEqual(before)
    }
    const a = await plan.add('a') // 1
    const b = await plan.add('b', a.id) // 2
    await refused(1, /node 2 was put below 1 since/)
    await plan.change((edit, now) => deleteNode(edit, b.id, now)) // 3
    await plan.change((edit, now) => deleteNode(edit, a.id, now)) // 4
    await refused(3, /node 1, below which 2 was, is no more/)

    const c = await plan.add('c') // 5
    const d = await plan.add('d', 0, [c.id]) // 6
    await refused(5, /node 4 waits for what it added/)
    await plan.change((edit, now) => updateNode(edit, d.id, { dependencies: [] }, now)) // 7
    await plan.change((edit, now) => updateNode(edit, c.id, { dependencies: [d.id] }, now)) // 8
    await refused(7, /would wait for itself/)
    await plan.change((edit, now) => deleteNode(edit, c.id, now)) // 9
    await refused(7, /node 3, for which 4 waited, is no more/)

    const e = await plan.add('e', d.id) // 10
    await plan.change((edit, now) => moveNode(edit, e.id, { parentId: 0 }, now)) // 11
    await plan.change((edit, now) => moveNode(edit, d.id, { parentId: e.id }, now)) // 12
    await refused(11, /would wait for itself/)
  })

  it('puts back where it stood, whatever the places of the others are by now', async () => {
    await using plan = await openPlan(openDatabase)
    const [a, x] = [await plan.add('a'), await plan.add('x')]
    await plan.add('b')
    await plan.change((edit, now) => deleteNode(edit, x.id, now)) // version 4
    const move = await plan.change((edit, now) => moveNode(edit, a.id, { parentId: 0 }, now)) // 5
    for (let index = 0; index < 40; index++)
      await plan.change((edit, now) => addNode(edit, { name: `n${index}` }, { before: move.id }, now))
    await plan.undo(5)
    expect((await plan.children())[0]).toBe('a')
    await plan.undo(4)
    expect((await plan.children()).slice(0, 3)).toEqual(['a', 'x', 'b'])
    // making room is no change of those that had to move
    for (const { version, changes } of await plan.store.listPlanChanges(plan.id, { limit: 100 }))
      expect(changes, `version ${version}`).toHaveLength(1)
  })

  it('takes several moves of one change back, though each wants the place of another', async () => {
    await using plan = await openPlan(openDatabase)
    const [a, b, c] = [await plan.add('a'), await plan.add('b'), await plan.add('c')]
    const below = await plan.add('below', b.id)
    await plan.change(async (edit, now) => {
      await moveNode(edit, a.id, { parentId: 0 }, now)
      await moveNode(edit, c.id, { parentId: 0, position: 0 }, now)
      await moveNode(edit, below.id, { parentId: c.id }, now)
      await deleteNode(edit, b.id, now)
    })
    expect(await plan.children()).toEqual(['c', 'a'])
    const { version } = await plan.plan()
    await plan.undo(version)
    expect(await plan.children()).toEqual(['a', 'b', 'c'])
    expect(await plan.children(b.id)).toEqual(['below'])
    await plan.undo(version + 1)
    expect(await plan.children()).toEqual(['c', 'a'])
    expect(await plan.children(c.id)).toEqual(['below'])
  })

  it('takes nodes that were added in a row back and brings them again in their order', async () => {
    await using plan = await openPlan(openDatabase)
    const anchor = await plan.add('anchor')
    await plan.change(async (edit, now) => {
      for (const name of ['c', 'b', 'a']) await addNode(edit, { name }, { before: anchor.id }, now)
      for (const name of ['x', 'y', 'z']) await addNode(edit, { name }, { parentId: 0 }, now)
    })
    const order = await plan.children()
    await plan.undo(2)
    expect(await plan.children()).toEqual(['anchor'])
    await plan.undo(3)
    expect(await plan.children()).toEqual(order)
  })

  it('outlines as much as there is room for', async () => {
    await using plan = await openPlan(openDatabase)
    expect(await outlineOf(plan.store, await plan.plan())).toContain('(plan has no tasks yet)')
    const a = await plan.add('a')
    const b = await plan.add('b', a.id)
    await plan.change((edit, now) =>
      addNode(edit, { name: '', instruction: 'x'.repeat(100), dependencies: [a.id] }, { parentId: 0 }, now),
    )
    const outline = (bounds = {}) => plan.plan().then((record) => outlineOf(plan.store, record, bounds))
    expect((await outline()).split('\n').slice(1)).toEqual([
      '- [1] a',
      '  - [2] b',
      `- [3] Task 3 (after 1) :: ${'x'.repeat(90)}…`,
    ])
    expect(await outline({ maxNodes: 3 })).not.toContain('truncated')
    expect(await outline({ maxNodes: 2 })).toContain('... truncated after 2 nodes: 1 of 3 are not shown ...')
    expect(await outline({ maxDepth: 0 })).not.toContain(`[${b.id}]`)
    expect((await outline({ maxDepth: 0 })).split('\n').slice(1)).toEqual([
      '- [1] a (1 below it, not shown)',
      `- [3] Task 3 (after 1) :: ${'x'.repeat(90)}…`,
      '... truncated below level 1: 1 of 3 are not shown ...',
    ])
    expect(await outline({ maxDepth: 1 })).not.toContain('shown')
  })

  it('is what a simple tree would be after any changes, and undoing them all leads back', async () => {
    const step = fc.tuple(
      fc.constantFrom('add', 'move', 'delete', 'rename'),
      fc.nat(30),
      fc.nat(30),
      fc.nat(5),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await using plan = await openPlan(openDatabase)
        const snapshots = [await dump(plan.store, await plan.plan())]
        for (const [what, first, second, position] of steps) {
          const nodes = await plan.store.listNodes(plan.id)
          const pick = (number: number) => nodes[number % Math.max(1, nodes.length)]?.id ?? 0
          await plan
            .change(async (edit, now) => {
              if (what === 'add' || nodes.length === 0)
                return addNode(
                  edit,
                  { name: `n${now}` },
                  { parentId: second % 3 === 0 ? 0 : pick(second), position },
                  now,
                )
              if (what === 'move')
                return moveNode(edit, pick(first), { parentId: pick(second), position }, now)
              if (what === 'delete') return deleteNode(edit, pick(first), now)
              return updateNode(edit, pick(first), { name: `r${now}` }, now)
            })
            .catch((error: unknown) => expect(error).toBeInstanceOf(ParleyError))
          const record = await plan.plan()
          if (record.version === snapshots.length) snapshots.push(await dump(plan.store, record))
        }
        for (let version = (await plan.plan()).version; version > 0; version--) {
          await plan.undo(version)
          expect(await dump(plan.store, await plan.plan())).toEqual(snapshots[version - 1])
        }
      }),
      { numRuns: 15, seed: takeSeed() },
    )
  })
})

describe.each(databases)('any changes and undos of a plan on %s', (name, openDatabase) => {
  it('leave a tree without circles in which everybody has a parent', async () => {
    const operation = fc.record({
      what: fc.constantFrom('add', 'move', 'delete', 'depend', 'undo', 'undo'),
      first: fc.nat(30),
      second: fc.nat(30),
      position: fc.nat(4),
    })
    // several of them may be one change
    const steps = fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), {
      minLength: 1,
      maxLength: 20,
    })
    await fc.assert(
      fc.asyncProperty(steps, async (changes) => {
        await using plan = await openPlan(openDatabase)
        for (const operations of changes) {
          const { version } = await plan.plan()
          const [{ what, first }] = operations as [(typeof operations)[0]]
          const work = () =>
            what === 'undo'
              ? plan.undo(version === 0 ? 1 : 1 + (first % version))
              : plan.change(async (edit, now) => {
                  for (const one of operations) await doOne(edit, one, now)
                })
          const before = await dump(plan.store, await plan.plan())
          await work().catch((error: unknown) => expect(error).toBeInstanceOf(ParleyError))
          const after = await dump(plan.store, await plan.plan())
          if ((await plan.plan()).version > version) {
            await plan.undo(version + 1)
            expect(await dump(plan.store, await plan.plan())).toEqual(before)
            await plan.undo(version + 2)
            expect(await dump(plan.store, await plan.plan())).toEqual(after)
          }
          const links = await plan.store.listLinks(plan.id)
          expect(new PlanShape(links).findCircle()).toBeUndefined()
        }
      }),
      { numRuns: name === 'SQLite' ? 30 : 8, seed: takeSeed() },
    )
  })
})

async function doOne(
  edit: PlanEdit,
  { what, first, second, position }: { what: string; first: number; second: number; position: number },
  now: number,
): Promise<unknown> {
  const nodes = await edit.tx.listNodes(edit.plan.id)
  const pick = (number: number) => nodes[number % Math.max(1, nodes.length)]?.id ?? 0
  const parentId = second % 3 === 0 ? 0 : pick(second)
  if (what === 'move' && nodes.length > 0) return moveNode(edit, pick(first), { parentId, position }, now)
  if (what === 'delete' && nodes.length > 0) return deleteNode(edit, pick(first), now)
  if (what === 'depend' && nodes.length > 0)
    return updateNode(edit, pick(first), { dependencies: [pick(second)] }, now)
  return addNode(edit, { name: `n${now}` }, { parentId, position }, now)
}

const emptyNode = (id: number, now: number): NodeRecord => ({
  id,
  parentId: 0,
  sort: 0,
  name: `n${id}`,
  instruction: '',
  status: 'pending',
  metadata: {},
  dependencies: [],
  createdAt: now,
  updatedAt: now,
})

/** The tree as nested lists of names; every node is reached once. */
async function dump(store: Store, plan: PlanRecord): Promise<unknown> {
  const nodes = await store.listNodes(plan.id)
  let seen = 0
  const below = (parentId: number): unknown[] =>
    nodes
      .filter((node: NodeRecord) => node.parentId === parentId)
      .sort((a, b) => a.sort - b.sort)
      .map((node) => {
        seen++
        return [node.id, node.name, node.dependencies, below(node.id)]
      })
  const tree = below(0)
  expect(seen).toBe(nodes.length)
  return tree
}

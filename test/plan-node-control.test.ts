import { describe, expect, it } from 'vitest'
import { calls } from './chat-harness.ts'
import { anyDatabase, databases, type OpenDatabase } from './harness.ts'
import { openPlans, type NodeSpec } from './plan-harness.ts'

/** A plan of which the node "Slow" is held until it is let go or stopped, and then has read what was said to it. */
async function openSlow(openDatabase: OpenDatabase, nodes: (string | NodeSpec)[]) {
  const gate = Promise.withResolvers<void>()
  const state = { begun: 0 }
  const heard: string[] = []
  const opened = await openPlans(
    openDatabase,
    {
      node: (name, request) => {
        if (name !== 'Slow') return undefined
        heard.push(JSON.stringify(request.messages))
        return ++state.begun === 1
          ? [gate.promise, ...calls(['recall', { query: 'x' }])]
          : calls(['set_result', { output: 'slow but done' }])
      },
    },
    { plans: { nodeRetries: 2 } },
  )
  const { planId } = await opened.plan(nodes)
  const { plans } = opened.parley
  const start = async () => {
    const { id } = await plans.execute(planId)
    await expect.poll(() => state.begun).toBe(1)
    return id
  }
  return { opened, plans, planId, gate, heard, state, start }
}

describe.each(anyDatabase)('one node of a run, on %s', (_name, openDatabase) => {
  it('is stopped, and the rest goes on', async () => {
    const { opened, plans, planId, state, start } = await openSlow(openDatabase, [
      'Slow',
      { name: 'After', after: [1] },
      'Free',
    ])
    await using _ = opened
    const runId = await start()
    await plans.stopNode(planId, 1)
    const run = await opened.settled(runId)
    expect(run.status).toBe('failed')
    expect(await opened.statuses(planId)).toEqual({ 1: 'failed', 2: 'blocked', 3: 'completed' })
    expect((await opened.node(planId, 1)).reason).toBe('It was stopped.')
    // what somebody stopped is not tried again
    expect(state.begun).toBe(1)
    await expect(plans.stopNode(planId, 1)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Task 1 is failed'),
    })
    await expect(plans.stopNode(planId, 9)).rejects.toMatchObject({ code: 'not_found' })
    expect((await opened.parley.store.listAudit('default', { limit: 100 })).items).toEqual(
      expect.arrayContaining([expect.objectContaining({ detail: { action: 'stop', nodes: [1] } })]),
    )
  })

  it('is skipped while it is being done', async () => {
    const { opened, plans, planId, start } = await openSlow(openDatabase, [
      'Slow',
      { name: 'After', after: [1] },
    ])
    await using _ = opened
    const runId = await start()
    await plans.skipNode(planId, 1, { reason: 'not needed' })
    const run = await opened.settled(runId)
    expect(run).toMatchObject({
      status: 'completed',
      steps: [{ status: 'cancelled' }, { status: 'completed' }],
    })
    expect(await opened.statuses(planId)).toEqual({ 1: 'skipped', 2: 'completed' })
    expect(await opened.node(planId, 1)).toMatchObject({ reason: 'not needed', result: undefined })
  })

  it('is done by a person, with a note that others go on from', async () => {
    const { opened, plans, planId, start } = await openSlow(openDatabase, [
      'Slow',
      { name: 'Part', parentId: 1 },
      { name: 'After', after: [1] },
    ])
    await using _ = opened
    await plans.skipNode(planId, 2)
    await plans.resetNode(planId, 2)
    await plans.runNode(planId, 2)
    await expect.poll(() => opened.statuses(planId)).toMatchObject({ 2: 'completed' })
    const runId = await start()
    const { node, version } = await plans.doneNode(planId, 1, { note: 'I called them: it is 42.' })
    expect(node).toMatchObject({
      status: 'completed',
      result: { status: 'success', output: 'I called them: it is 42.', source: 'person' },
    })
    expect(await opened.settled(runId)).toMatchObject({ status: 'completed' })
    expect(opened.requests.at(-1)!.system).toContain('> I called them: it is 42.')
    expect(await opened.node(planId, 1)).toMatchObject({ result: { source: 'person' } })
    expect((await plans.versions(planId)).items.find((one) => one.version === version)).toMatchObject({
      action: 'done',
    })
  })

  it('is done by a person with what is open below it', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan([
      'Top',
      { name: 'Part', parentId: 1 },
      { name: 'After', after: [1] },
    ])
    const { plans } = opened.parley
    for (const note of ['', '  ']) await expect(plans.doneNode(planId, 1, { note })).rejects.toThrow('note')
    await expect(plans.doneNode(planId, 9, { note: 'x' })).rejects.toMatchObject({ code: 'not_found' })
    const { version } = await plans.doneNode(planId, 1, { note: 'by hand' })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'skipped', 3: 'pending' })
    await plans.undo(planId, { version })
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending', 3: 'pending' })
  })

  it('is told something while it is being done', async () => {
    const { opened, plans, planId, gate, heard, start } = await openSlow(openDatabase, ['Slow'])
    await using _ = opened
    await expect(plans.messageNode(planId, 1, { content: 'hi' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Task 1 is pending'),
    })
    const runId = await start()
    await expect(plans.messageNode(planId, 1, { content: ' ' })).rejects.toThrow('content')
    await plans.messageNode(planId, 1, { content: 'Use the blue one.' })
    gate.resolve()
    expect(await opened.settled(runId)).toMatchObject({ status: 'completed' })
    expect(heard).toHaveLength(2)
    expect(heard[0]).not.toContain('blue')
    expect(heard[1]).toContain('Use the blue one.')
  })
})

describe.each(databases)('what rests on a node that is done again, on %s', (_name, openDatabase) => {
  it('is marked as stale, and not done again by itself', async () => {
    const ran: string[] = []
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        ran.push(name)
        return undefined
      },
    })
    const { planId } = await opened.plan([
      'A',
      { name: 'B', after: [1] },
      { name: 'C', after: [2] },
      'Top',
      { name: 'Part', parentId: 4, after: [1] },
      'Other',
    ])
    const { plans } = opened.parley
    await opened.settled((await plans.execute(planId)).id)
    ran.length = 0
    const stale = async () =>
      Object.fromEntries(
        (await plans.tree(planId)).nodes.flatMap((node) => (node.stale ? [[node.id, node.stale]] : [])),
      )
    expect(await stale()).toEqual({})
    await opened.settled((await plans.runNode(planId, 1)).id)
    expect(ran).toEqual(['A'])
    expect(await stale()).toEqual({ 2: [1], 3: [2], 4: [5], 5: [1] })
    expect((await plans.outline(planId)).outline).toContain('- [2] B (completed) (stale because of 1)')
    // what it was is still there
    expect(await plans.node(planId, 2)).toMatchObject({
      status: 'completed',
      result: { output: 'B done', stale: [1] },
    })
    await opened.settled((await plans.runNode(planId, 2)).id)
    expect(await stale()).toEqual({ 3: [2], 4: [5], 5: [1] })
    await opened.settled((await plans.runNode(planId, 4, { subtree: true, rerun: true })).id)
    expect(await stale()).toEqual({ 3: [2] })
    await opened.settled((await plans.execute(planId, { rerun: true })).id)
    expect(await stale()).toEqual({})
  })

  it('is stale from the beginning where it was being done meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    let begun = 0
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        if (name !== 'C') return undefined
        begun++
        return [gate.promise, ...calls(['set_result', { output: 'made from what there was' }])]
      },
    })
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }, { name: 'C', after: [2] }])
    const { plans } = opened.parley
    const { id } = await plans.execute(planId)
    await expect.poll(() => begun).toBe(1)
    await opened.settled((await plans.runNode(planId, 1)).id)
    await opened.settled((await plans.runNode(planId, 2)).id)
    gate.resolve()
    expect(await opened.settled(id)).toMatchObject({ status: 'completed' })
    expect(await plans.node(planId, 3)).toMatchObject({
      status: 'completed',
      stale: [2],
      result: { output: 'made from what there was' },
    })
    expect(await plans.node(planId, 2)).not.toHaveProperty('stale')
    await opened.settled((await plans.runNode(planId, 3)).id)
    expect(await plans.node(planId, 3)).not.toHaveProperty('stale')
  })

  it('is not stale where it is tried again after that', async () => {
    const gate = Promise.withResolvers<void>()
    let tries = 0
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        if (name !== 'B') return undefined
        const status = ++tries === 1 ? 'failed' : 'success'
        return [gate.promise, ...calls(['set_result', { output: 'hm', status }])]
      },
    })
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }])
    const { plans } = opened.parley
    const { id } = await plans.execute(planId)
    await expect.poll(() => tries).toBe(1)
    await opened.settled((await plans.runNode(planId, 1)).id)
    gate.resolve()
    expect(await opened.settled(id)).toMatchObject({ status: 'completed' })
    expect(tries).toBe(2)
    expect(await plans.node(planId, 2)).not.toHaveProperty('stale')
  })

  it('is marked as well where a result is forgotten or a person replaces it', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['A', { name: 'B', after: [1] }])
    const { plans } = opened.parley
    await opened.settled((await plans.execute(planId)).id)
    const reset = await plans.resetNode(planId, 1)
    expect(await plans.node(planId, 2)).toMatchObject({ stale: [1] })
    await plans.undo(planId, { version: reset.version })
    expect(await plans.node(planId, 2)).not.toHaveProperty('stale')
    await plans.doneNode(planId, 1, { note: 'something else' })
    expect(await plans.node(planId, 2)).toMatchObject({ stale: [1], status: 'completed' })
  })
})

describe.each(databases)('a node that is deleted from the middle, on %s', (_name, openDatabase) => {
  it('leaves the order of the rest', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan([
      'First',
      { name: 'Middle', after: [1] },
      { name: 'Last', after: [2] },
      'Beside',
      { name: 'Part', parentId: 2, after: [4] },
      { name: 'Of the part', after: [5] },
    ])
    const { plans } = opened.parley
    const { version } = await plans.deleteNode(planId, 2)
    const after = async () =>
      Object.fromEntries((await plans.tree(planId)).nodes.map(({ id, dependencies }) => [id, dependencies]))
    // the last one waited for the middle, which waited for its part, which waited for the one beside
    expect(await after()).toEqual({ 1: [], 3: [1, 4], 4: [], 6: [4] })
    await plans.undo(planId, { version })
    expect(await after()).toEqual({ 1: [], 2: [1], 3: [2], 4: [], 5: [4], 6: [5] })
  })

  it('is refused where one would wait for too many', async () => {
    await using opened = await openPlans(openDatabase)
    const many = Array.from({ length: 100 }, (_, index) => `n${index + 1}`)
    const { planId } = await opened.plan([
      ...many,
      'extra',
      { name: 'Middle', after: many.map((_, index) => index + 1) },
      { name: 'Last', after: [101, 102] },
    ])
    await expect(opened.parley.plans.deleteNode(planId, 102)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('node 103 would wait for 101 others; 100 is the most'),
    })
    expect((await opened.node(planId, 103)).dependencies).toEqual([101, 102])
  })
})

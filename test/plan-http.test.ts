import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { TreeNode } from '../src/extensions/plan/protocol/plan-node.ts'
import { databases, sqliteDatabase } from './harness.ts'
import { expectRefusal, startApp, type AppServer } from './http/app-server.ts'

const apiKeys = [
  { name: 'operator', key: 'operator-0123456789', scopes: undefined },
  { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
]
const clientOf = ({ url }: AppServer, apiKey = 'operator-0123456789') =>
  createClient({ baseUrl: url, apiKey })

const markdown = `- [x] Read <!-- #1 -->
- [ ] Write <!-- #2 after #1 -->
  <!-- accept: file_nonempty:report.md -->
  In two pages.
  - [ ] Draft <!-- #3 -->
  - [ ] Revise <!-- #4 after #3 -->
- [-] Print <!-- #5 -->
`

const lines = (nodes: readonly TreeNode[]) =>
  nodes.map(({ depth, position, id, name }) => `${' '.repeat(depth)}${position}:${id} ${name}`)

describe.each(databases)('over HTTP on %s', (_name, openDatabase) => {
  it('plans are made, listed, changed and deleted', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { plans } = clientOf(server)
    const plan = await plans.create({
      title: 'A report',
      description: 'For the board',
      metadata: { a: 1 },
      markdown,
    })
    expect(plan).toMatchObject({
      scope: 'default',
      version: 1,
      nodeCount: 5,
      counts: { pending: 3, completed: 1, skipped: 1 },
      metadata: { a: 1 },
    })
    const empty = await plans.create({ title: '100% Ähnlich' })
    expect(empty).toMatchObject({ version: 0, nodeCount: 0, counts: {} })
    expect((await plans.list()).items.map(({ id }) => id)).toEqual([empty.id, plan.id])
    expect((await plans.list({ q: 'REPORT' })).items).toMatchObject([{ id: plan.id, nodeCount: 5 }])
    expect((await plans.list({ q: '100%' })).items).toMatchObject([{ id: empty.id }])
    expect((await plans.list({ q: '1_0' })).items).toEqual([])
    const page = await plans.list({ limit: 1 })
    expect((await plans.list({ limit: 1, cursor: page.nextCursor! })).items).toMatchObject([{ id: plan.id }])

    const patch = { title: 'The report', metadata: { a: null, b: [2] } }
    expect(await plans.update(plan.id, patch)).toMatchObject({
      title: 'The report',
      description: 'For the board',
      metadata: { b: [2] },
      version: 1,
    })
    await plans.delete(empty.id)
    await expect(plans.get(empty.id)).rejects.toMatchObject({ code: 'not_found' })
    const { items } = await clientOf(server).audit({ resource: 'plan' })
    expect(items.map(({ action, resourceId }) => [action, resourceId])).toEqual([
      ['delete', empty.id],
      ['update', plan.id],
      ['create', empty.id],
      ['create', plan.id],
      // the import
      ['update', plan.id],
    ])
    const events = await server.store.listEvents('default', { after: 0, limit: 100 })
    expect(events.map(({ type }) => type)).toEqual([
      'plan-changed',
      'plan-created',
      'plan-created',
      'plan-updated',
      'plan-deleted',
    ])
    expect(server.bugs()).toEqual([])
  })

  it('a tree is read as a whole, from a node on, and as deep as wanted', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const { plans } = createClient({ baseUrl: server.url })
    const { id } = await plans.create({ title: 'A report', markdown })
    const all = await plans.tree(id)
    expect(lines(all.nodes)).toEqual(['0:1 Read', '1:2 Write', ' 0:3 Draft', ' 1:4 Revise', '2:5 Print'])
    expect(all.plan.version).toBe(1)
    expect(all.nodes[1]).toMatchObject({
      instruction: 'In two pages.',
      dependencies: [1],
      acceptance: ['file_nonempty:report.md'],
      hasResult: false,
    })
    expect(lines((await plans.tree(id, { maxDepth: 0 })).nodes)).toEqual([
      '0:1 Read',
      '1:2 Write',
      '2:5 Print',
    ])
    expect(lines((await plans.tree(id, { node: 2 })).nodes)).toEqual([
      '1:2 Write',
      ' 0:3 Draft',
      ' 1:4 Revise',
    ])
    expect(lines((await plans.tree(id, { node: 2, maxDepth: 0 })).nodes)).toEqual(['1:2 Write'])
    expect(lines((await plans.tree(id, { node: 4 })).nodes)).toEqual([' 1:4 Revise'])
    await expect(plans.tree(id, { node: 99 })).rejects.toMatchObject({ code: 'not_found' })
    expect(await plans.node(id, 4)).toMatchObject({ depth: 1, position: 1, parentId: 2, dependencies: [3] })
    await expect(plans.node(id, 99)).rejects.toMatchObject({ code: 'not_found' })
    expect((await plans.outline(id, { maxDepth: 0 })).outline).toBe(
      [
        `Plan ${id}: A report`,
        '- [1] Read (completed)',
        '- [2] Write (after 1) :: In two pages. (2 below it, not shown)',
        '- [5] Print (skipped)',
        '... truncated below level 1: 2 of 5 are not shown ...',
      ].join('\n'),
    )
    const node = await server.store.getNode(id, 1)
    const result = { status: 'success', output: 'Read it.', inputTokens: 10, outputTokens: 5 }
    await server.store.putNode(id, { ...node!, result, cost: 0.25 })
    expect((await plans.tree(id)).nodes[0]).toMatchObject({ hasResult: true, tokens: 15, cost: 0.25 })
    expect(await plans.node(id, 1)).toMatchObject({ result })
    expect(await plans.results(id)).toMatchObject({
      items: [
        { nodeId: 1, result, cost: 0.25 },
        { nodeId: 5, status: 'skipped' },
      ],
      counts: { pending: 3, completed: 1, skipped: 1 },
      cost: 0.25,
    })
    expect((await plans.results(id, { all: true })).items).toHaveLength(5)
    expect(await plans.get(id)).toMatchObject({ cost: 0.25 })
    expect(server.bugs()).toEqual([])
  })

  it('nodes are added, changed, moved, deleted, and all of it is taken back', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { plans } = clientOf(server)
    const { id } = await plans.create({ title: 'A report', markdown })
    const added = await plans.addNode(id, {
      name: 'Proof-read',
      instruction: 'Twice.',
      parentId: 2,
      dependencies: [4, 4, 1],
      acceptance: ['file_exists:a'],
      context: { combined: 'all of it' },
      metadata: { by: 'hand' },
    })
    expect(added).toMatchObject({
      version: 2,
      node: { id: 6, depth: 1, position: 2, dependencies: [1, 4], context: { combined: 'all of it' } },
    })
    const nonsense = { acceptance: ['looks_good:a'] }
    const refused = { code: 'invalid_request', message: expect.stringContaining('"looks_good:a"') }
    await expect(plans.addNode(id, { name: 'x', ...nonsense })).rejects.toMatchObject(refused)
    await expect(plans.updateNode(id, 6, nonsense)).rejects.toMatchObject(refused)
    const item = '- x\n  <!-- accept: looks_good:a -->'
    await expect(plans.importMarkdown(id, { markdown: item })).rejects.toMatchObject(refused)
    const patch = { acceptance: [], context: null, dependencies: [4], metadata: { by: null, x: 1 } }
    const { node } = await plans.updateNode(id, 6, patch)
    expect(node).toMatchObject({
      name: 'Proof-read',
      instruction: 'Twice.',
      dependencies: [4],
      metadata: { x: 1 },
    })
    expect(Object.keys(node)).not.toContain('acceptance')
    expect(Object.keys(node)).not.toContain('context')
    expect(await plans.moveNode(id, 6, { position: 0 })).toMatchObject({ node: { parentId: 2, position: 0 } })
    expect(await plans.moveNode(id, 6, { before: 5 })).toMatchObject({ node: { parentId: 0, position: 2 } })
    expect(await plans.deleteNode(id, 2)).toEqual({ version: 6, nodeIds: [2, 3, 4] })
    expect((await plans.node(id, 6)).dependencies).toEqual([])
    const { items } = await plans.versions(id)
    expect(items.map(({ version, action, author }) => [version, action, author])).toEqual([
      [6, 'delete', 'user:operator'],
      [5, 'move', 'user:operator'],
      [4, 'move', 'user:operator'],
      [3, 'update', 'user:operator'],
      [2, 'add', 'user:operator'],
      [1, 'import', 'user:operator'],
    ])
    expect(items[0]!.nodes).toEqual([
      { id: 6, name: 'Proof-read', change: 'changed' },
      { id: 2, name: 'Write', change: 'deleted' },
      { id: 3, name: 'Draft', change: 'deleted' },
      { id: 4, name: 'Revise', change: 'deleted' },
    ])
    const page = await plans.versions(id, { limit: 2 })
    expect((await plans.versions(id, { limit: 2, cursor: page.nextCursor! })).items).toMatchObject([
      { version: 4 },
      { version: 3 },
    ])

    // without a version: the newest that stands, and no undo
    for (const version of [6, 5, 4, 3, 2]) {
      const undone = await plans.undo(id)
      expect((await plans.versions(id, { limit: 1 })).items[0]).toMatchObject({
        version: undone.version,
        undoes: version,
      })
    }
    expect(lines((await plans.tree(id)).nodes)).toEqual([
      '0:1 Read',
      '1:2 Write',
      ' 0:3 Draft',
      ' 1:4 Revise',
      '2:5 Print',
    ])
    // an undo can be taken back, and then what it took back stands again
    await plans.undo(id, { version: 11 })
    expect((await plans.tree(id)).nodes).toHaveLength(6)
    expect(await plans.undo(id)).toMatchObject({ nodeIds: [6] })
    await plans.undo(id)
    await expect(plans.undo(id)).rejects.toMatchObject({
      code: 'conflict',
      message: 'There is nothing to take back.',
    })
    await expect(plans.undo(id, { version: 99 })).rejects.toMatchObject({ code: 'not_found' })
    expect(await plans.get(id)).toMatchObject({ nodeCount: 0, version: 14 })
    expect(server.bugs()).toEqual([])
  })

  it('places that do not fit together, and checks that nobody could make, are refused and change nothing', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const { plans } = createClient({ baseUrl: server.url })
    const { id } = await plans.create({ title: 'A report', markdown })
    const add = (place: Parameters<typeof plans.moveNode>[2]) => plans.addNode(id, { name: 'new', ...place })
    const cases: [Parameters<typeof plans.moveNode>[2], string, RegExp][] = [
      [{ before: 2, position: 1 }, 'invalid_request', /"position" or a node/],
      [{ after: 3, parentId: 0 }, 'invalid_request', /Node 3 is below 2, not at the top/],
      [{ before: 1, parentId: 2 }, 'invalid_request', /Node 1 is at the top, not below 2/],
      [{ before: 3, after: 1 }, 'invalid_request', /different parents/],
      [{ before: 1, after: 2 }, 'invalid_request', /Node 2 stands behind 1/],
      [{ before: 1, after: 1 }, 'invalid_request', /the same node 1/],
      [{ before: 99 }, 'not_found', /"99"/],
      [{ parentId: 99 }, 'not_found', /"99"/],
      [{ before: 2, after: 99 }, 'not_found', /"99"/],
    ]
    for (const [place, code, words] of cases) {
      const refusal = { code, message: expect.stringMatching(words) }
      await expect(add(place), JSON.stringify(place)).rejects.toMatchObject(refusal)
      await expect(plans.moveNode(id, 5, place), JSON.stringify(place)).rejects.toMatchObject(refusal)
    }
    await expect(plans.moveNode(id, 2, {})).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(plans.moveNode(id, 2, { parentId: 4 })).rejects.toThrow(/below itself/)
    await expect(plans.moveNode(id, 2, { after: 2 })).rejects.toThrow(/itself/)
    await expect(plans.moveNode(id, 99, { parentId: 0 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(plans.addNode(id, { name: ' ' })).rejects.toMatchObject({ code: 'invalid_request' })
    const checks = { acceptance: ['file_nonempty:a', 'looks_good:b'] }
    const noCheck = { code: 'invalid_request', message: expect.stringContaining('"looks_good:b"') }
    await expect(plans.addNode(id, { name: 'new', ...checks })).rejects.toMatchObject(noCheck)
    await expect(plans.updateNode(id, 2, checks)).rejects.toMatchObject(noCheck)
    const withCheck = { markdown: '- a\n  <!-- accept: looks_good:b -->' }
    await expect(plans.importMarkdown(id, withCheck)).rejects.toMatchObject(noCheck)
    expect(await plans.get(id)).toMatchObject({ version: 1, nodeCount: 5 })
    // between two that are not neighbours: right behind the first
    await add({ after: 1, before: 5, parentId: 0 })
    expect(lines((await plans.tree(id, { maxDepth: 0 })).nodes)).toEqual([
      '0:1 Read',
      '1:6 new',
      '2:2 Write',
      '3:5 Print',
    ])
    expect(server.bugs()).toEqual([])
  })

  it('10,000 nodes are made, read, moved and deleted', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const { plans } = createClient({ baseUrl: server.url })
    const text = Array.from({ length: 10_000 }, (_, index) => {
      const number = index + 1
      const after = index >= 10 && index % 10 === 0 ? ` after #${number - 10}` : ''
      return `${'  '.repeat(index % 10)}- [ ] node ${number} <!-- #${number}${after} -->`
    }).join('\n')
    const { id } = await plans.create({ title: 'Large', markdown: text })
    const { nodes, plan } = await plans.tree(id)
    expect([nodes.length, plan.nodeCount]).toEqual([10_000, 10_000])
    expect(nodes.every((node, index) => node.id === index + 1 && node.depth === index % 10)).toBe(true)
    expect(nodes[9_990]).toMatchObject({ parentId: 0, position: 999, dependencies: [9_981] })
    const { outline } = await plans.outline(id)
    expect(outline.split('\n')).toHaveLength(62)
    expect(outline).toContain('... truncated after 60 nodes: 9940 of 10000 are not shown ...')
    expect((await plans.markdown(id)).markdown).toBe(`${text}\n`)
    expect((await plans.tree(id, { node: 5_001 })).nodes).toHaveLength(10)
    // the first waits for none, and all others for it in the end
    await expect(plans.updateNode(id, 1, { dependencies: [9_991] })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(
        /^Node 1 cannot wait for 9991, which waits for it: 9991 → .{20,300} → 1\. /,
      ),
    })
    await plans.moveNode(id, 1, { parentId: 9_983, position: 'first_child' })
    await expect(plans.moveNode(id, 9_991, { parentId: 4 })).rejects.toThrow(/waits for 9981/)
    await plans.undo(id)
    const folder = await plans.addNode(id, { name: 'folder' })
    await plans.importMarkdown(id, { parentId: folder.node.id, markdown: '- x\n'.repeat(5_000) })
    expect((await plans.deleteNode(id, folder.node.id)).nodeIds).toHaveLength(5_001)
    await plans.undo(id)
    expect(await plans.get(id)).toMatchObject({ nodeCount: 15_001 })
    await expect(plans.importMarkdown(id, { markdown: '- x\n'.repeat(5_000) })).rejects.toThrow(
      /20000 nodes at most/,
    )
    expect(server.bugs()).toEqual([])
  })

  it('a list in Markdown is imported as a whole or not at all', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ database })
    const { plans } = createClient({ baseUrl: server.url })
    const { id } = await plans.create({ title: 'A report', markdown })
    const exported = await plans.markdown(id)
    expect(exported.markdown).toBe(markdown)
    const copy = await plans.create({ title: 'A copy', ...exported })
    expect(await plans.markdown(copy.id)).toEqual(exported)
    expect(await plans.importMarkdown(id, { ...exported, parentId: 3 })).toEqual({
      version: 2,
      nodeIds: [6, 7, 8, 9, 10],
    })
    expect((await plans.node(id, 9)).dependencies).toEqual([8])
    const refused = [
      { markdown: 'no list' },
      { markdown: '- a <!-- #1 after #2 -->\n- b <!-- #2 after #1 -->' },
      { markdown: '- a <!-- #1 -->\n  - b <!-- #2 after #1 -->' },
      { markdown: '- a <!-- #1 after #1 -->' },
      { markdown: '- a <!-- #1 after #9 -->' },
      { markdown: Array.from({ length: 101 }, (_, index) => `${' '.repeat(index)}- x`).join('\n') },
      {
        markdown: Array.from({ length: 99 }, (_, index) => `${' '.repeat(index)}- x`).join('\n'),
        parentId: 3,
      },
      { markdown: `- ${'x'.repeat(2_000_000)}` },
    ]
    for (const input of refused)
      await expect(plans.importMarkdown(id, input), input.markdown.slice(0, 50)).rejects.toMatchObject({
        code: 'invalid_request',
      })
    await expect(plans.importMarkdown(id, { markdown: '- a', parentId: 99 })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(plans.create({ title: 'x', markdown: '- a <!-- #1 after #9 -->' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    expect(await plans.get(id)).toMatchObject({ version: 2, nodeCount: 10 })
    expect((await plans.list()).items).toHaveLength(2)
    expect(server.bugs()).toEqual([])
  })

  it('a session is bound to a plan of its scope, as long as there is one', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { plans, sessions } = clientOf(server)
    const plan = await plans.create({ title: 'A plan' })
    const elsewhere = await plans.create({ scope: 'red', title: 'Another' })
    const session = await sessions.create({ planId: plan.id })
    expect(session.planId).toBe(plan.id)
    for (const planId of [elsewhere.id, 'plan_none']) {
      await expect(sessions.create({ planId })).rejects.toMatchObject({ code: 'not_found' })
      await expect(sessions.update(session.id, { planId, title: 'x' })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    expect(await sessions.get(session.id)).toMatchObject({ planId: plan.id, title: '' })
    expect((await sessions.list()).items).toHaveLength(1)
    const other = await sessions.create({ title: 'free', modeState: { planId: plan.id } })
    expect(await sessions.update(other.id, { planId: plan.id })).toMatchObject({
      planId: plan.id,
      title: 'free',
    })
    expect(await sessions.update(other.id, { planId: null })).not.toHaveProperty('planId')
    await plans.delete(plan.id)
    expect(await sessions.get(session.id)).not.toHaveProperty('planId')
    expect(await sessions.get(other.id)).toMatchObject({ modeState: { planId: plan.id } })
    // a document from elsewhere binds to nothing that is not here
    const document = { format: 'parley.session', version: 1, session: { planId: elsewhere.id }, messages: [] }
    const imported = await sessions.import(JSON.stringify(document))
    expect(imported).not.toHaveProperty('planId')
    expect(server.bugs()).toEqual([])
  })

  it('a key does one thing of many requests, and keys stay in their scopes', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const guest = { authorization: 'Bearer guest-0123456789012' }
    const post = (path: string, body: object) =>
      server.send('POST', path, {
        headers: { ...guest, 'idempotency-key': `of ${path}`.replaceAll(' ', '-') },
        body,
      })
    const made = await Promise.all(
      Array.from({ length: 5 }, () => post('/api/plans', { scope: 'red', title: 'x', markdown: '- a' })),
    )
    expect(new Set(made.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    const id = String(made[0]!.json!.id)
    const path = `/api/plans/${id}/nodes`
    const added = [
      await post(path, { scope: 'red', name: 'n' }),
      await post(path, { scope: 'red', name: 'n' }),
    ]
    expect(added.map(({ status, text }) => `${status} ${text}`)).toEqual(
      Array(2).fill(`201 ${added[0]!.text}`),
    )
    const tree = (scope: string) =>
      server.send('GET', `/api/plans/${id}/tree?scope=${scope}`, { headers: guest })
    expect((await tree('red')).json).toMatchObject({ nodes: [{ id: 1 }, { id: 2 }] })
    expectRefusal(await tree('default'), 'a plan of a scope that the key has not', 403)
    await expect(clientOf(server).plans.get(id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(clientOf(server).plans.moveNode(id, 1, { parentId: 2 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe.each(databases)('plans that two edit at once, on %s', (_name, openDatabase) => {
  it('two who edit at once lose nothing: who goes by an old version is told what changed', async () => {
    await using database = await openDatabase()
    await using server = await startApp({ apiKeys, database })
    const { plans, sessions } = clientOf(server)
    const { id } = await plans.create({ title: 'Shared', markdown: '- [ ] Count' })
    // both are bound to the plan, and each knows it from what it read itself
    const editors = await Promise.all(['ann', 'bob'].map((title) => sessions.create({ title, planId: id })))
    const conflicts: unknown[] = []
    await Promise.all(
      editors.map(async ({ title }) => {
        for (let count = 0; count < 15;)
          try {
            const { plan, nodes } = await plans.tree(id)
            const known = nodes[0]!
            const marks = (known.metadata.marks as string[] | undefined) ?? []
            await plans.updateNode(id, 1, {
              metadata: { marks: [...marks, `${title} ${count}`] },
              baseVersion: plan.version,
            })
            count++
          } catch (error) {
            expect(error).toMatchObject({
              code: 'conflict',
              message: expect.stringMatching(/changed since version \d+: .*update by user:operator/),
              details: { version: expect.any(Number), nodes: [1] },
            })
            conflicts.push(error)
          }
      }),
    )
    const { metadata } = await plans.node(id, 1)
    const expected = ['ann', 'bob'].flatMap((name) =>
      Array.from({ length: 15 }, (_, count) => `${name} ${count}`),
    )
    expect((metadata.marks as string[]).toSorted()).toEqual(expected.sort())
    expect(await plans.get(id)).toMatchObject({ version: 31 })
    expect(conflicts.length).toBeGreaterThan(0)

    // of edits that go by the same version one is taken
    const { version } = await plans.get(id)
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => plans.addNode(id, { name: `n${index}`, baseVersion: version })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // and without one all of them are
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => plans.addNode(id, { name: `m${index}`, after: 1 })),
    )
    const { plan, nodes } = await plans.tree(id)
    expect([plan.version, nodes.length]).toEqual([version + 9, 10])
    expect(new Set(nodes.map((node) => node.id)).size).toBe(10)
    await expect(plans.deleteNode(id, 1, { baseVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    })
    await expect(plans.addNode(id, { name: 'x', baseVersion: 999 })).rejects.toThrow(
      /at version 40, not at 999/,
    )
    await expect(plans.importMarkdown(id, { markdown: '- x', baseVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(server.bugs()).toEqual([])
  })
})

it('is not deleted while a run works on it', async () => {
  await using database = await sqliteDatabase()
  await using server = await startApp({ database })
  const { plans, sessions } = createClient({ baseUrl: server.url })
  const { id } = await plans.create({ title: 'A plan' })
  const { id: sessionId } = await sessions.create()
  const run = await server.store.createRun({ scope: 'default', sessionId, kind: 'plan', input: {} })
  using file = new DatabaseSync(join(database.environment.PARLEY_DATA_DIR!, 'parley.db'))
  file
    .prepare(
      `insert into plan_runs (run_id, scope, type, plan_id, session_id, round, created_at) values (?, 'default', 'execute', ?, ?, 0, 0)`,
    )
    .run(run.id, id, sessionId)
  expect(await plans.get(id)).toMatchObject({ activeRunId: run.id })
  expect((await plans.list()).items).toMatchObject([{ activeRunId: run.id }])
  await expect(plans.delete(id)).rejects.toMatchObject({ code: 'conflict', details: { runId: run.id } })
  await server.store.cancelQueuedRun('default', run.id)
  expect(await plans.get(id)).not.toHaveProperty('activeRunId')
  await plans.delete(id)
  expect((await plans.list()).items).toEqual([])
})

import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { ParleyOptions } from '../src/parley.ts'
import { calls } from './chat-harness.ts'
import { anyDatabase, type OpenDatabase } from './harness.ts'
import {
  openPlans,
  operation,
  replies,
  task,
  type GivenAction,
  type NodeSpec,
  type PlanModel,
} from './plan-harness.ts'
import { startSite } from './web-sites.ts'

const allowed: Partial<ParleyOptions> = { permissions: { mode: 'bypassPermissions' } }
const tool = (name: string, parameters: Record<string, unknown>): GivenAction => ({
  ...task(name, parameters),
  kind: 'tool_operation',
})
const subgraph = (parameters: Record<string, unknown>): GivenAction => ({
  ...task('request_subgraph', parameters),
  kind: 'context_request',
})

/** A search engine that knows one page, and what it was asked. */
async function startEngine() {
  const seen: string[] = []
  const site = await startSite((request, response) => {
    seen.push(request.url!)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ results: [{ title: 'Tea', url: 'https://tea.example', content: 'hot' }] }))
  })
  return { site, seen }
}

/** A session whose model answers "go" with these actions and everything else with words. */
async function openWith(
  openDatabase: OpenDatabase,
  actions: GivenAction[],
  nodes: (string | NodeSpec)[] | undefined,
  { options = allowed, ...model }: PlanModel & { options?: Partial<ParleyOptions> } = {},
) {
  const opened = await openPlans(
    openDatabase,
    { chat: (said) => (said.startsWith('go') ? replies('On it.', ...actions) : replies('I see.')), ...model },
    options,
  )
  const planId = nodes && (await opened.plan(nodes)).planId
  const sessionId = await opened.session(planId)
  return { opened, planId: planId ?? '', sessionId, go: () => opened.act(sessionId, 'go') }
}

describe.each(anyDatabase)('actions on %s', (_name, openDatabase) => {
  it('create and update', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('create_task', { task_name: 'Draft', instruction: 'write it', metadata: { owner: 'me' } }),
        task('update_task', { task_id: '1', name: 'First draft', metadata: { words: 500 } }),
        task('update_task_instruction', { task_id: 1, instruction: 'write it well' }),
      ],
      [],
    )
    await using _ = opened
    expect(await go()).toMatchObject({ status: 'completed' })
    expect(await opened.node(planId, 1)).toMatchObject({
      name: 'First draft',
      instruction: 'write it well',
      metadata: { owner: 'me', words: 500 },
    })
  })

  it('move and delete, never below itself', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('move_task', { task_id: 3, new_parent_id: null, new_position: 0 }),
        task('delete_task', { task_id: 2 }),
        task('move_task', { task_id: 1, new_parent_id: 4 }),
      ],
      ['A', { name: 'B', parentId: 1 }, { name: 'C', parentId: 1 }, { name: 'D', parentId: 1 }],
    )
    await using _ = opened
    const run = await go()
    expect(run.steps.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed'])
    expect(run.steps[2]!.error).toContain('below itself')
    expect((await opened.parley.store.listChildren(planId, 0)).map(({ name }) => name)).toEqual(['C', 'A'])
    expect(run.status).toBe('failed')
  })

  it('list and delete plans; the session is free again', async () => {
    const { opened, planId, sessionId, go } = await openWith(
      openDatabase,
      [operation('list_plans'), operation('delete_plan')],
      ['A'],
    )
    await using _ = opened
    const other = await opened.session(planId)
    const run = await go()
    expect(run.steps[0]).toMatchObject({ result: `- ${planId} A plan (tasks: 1)` })
    expect(await opened.parley.store.getPlan('default', planId)).toBeUndefined()
    expect((await opened.parley.sessions.get(sessionId)).planId).toBeUndefined()
    // nor does anybody else speak of what is gone
    expect((await opened.parley.sessions.get(other)).planId).toBeUndefined()
    expect(await opened.parley.store.listAudit('default', { limit: 100 })).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ action: 'delete', resourceType: 'plan', resourceId: planId }),
      ]) as unknown,
    })
    // and what it is told from now on is what one without a plan is told
    await opened.say(sessionId, 'hello')
    expect(opened.requests.at(-1)!.system).toContain('has no plan yet')
  })

  it('names are one line, whoever writes them', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('create_task', { name: ' Read\n\tall\u0007of it ' }),
        task('update_task', { task_id: 1, name: 'A\r\nB' }),
        task('decompose_task', { task_id: 1, expand_depth: 1 }),
      ],
      ['A'],
      {
        children: () => ({ children: ['x\ny', 'z\tz'].map((name) => ({ name, instruction: name })) }),
      },
    )
    await using _ = opened
    await go()
    const nodes = await opened.parley.store.listNodes(planId)
    expect(nodes.map(({ name }) => name)).toEqual(['A B', 'Read all of it', 'x y', 'z z'])
    expect(nodes[2]!.instruction).toBe('x\ny')
  })

  it('show and count', async () => {
    const { opened, go } = await openWith(
      openDatabase,
      [task('show_tasks'), task('query_status')],
      ['A', { name: 'B', parentId: 1, instruction: 'do b' }],
    )
    await using _ = opened
    const run = await go()
    expect(run.steps[0]!.result).toContain('- [1] A\n  - [2] B :: do b')
    expect(run.steps[1]!.result).toMatchObject({ nodes: 2, roots: 1, pending: 2 })
    // the answer to them is made by the model, from what they showed
    await expect.poll(() => opened.requests.length).toBe(2)
    expect(JSON.stringify(opened.requests[1]!.messages)).toContain('[2] B :: do b')
  })

  it('dependencies without doubles and circles; changing them keeps the rest', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('update_task', { task_id: 2, dependencies: [1, 1, '1'] }),
        task('update_task', { task_id: 1, dependencies: [2] }),
      ],
      ['A', { name: 'B', instruction: 'keep me' }],
    )
    await using _ = opened
    await opened.parley.store.putNode(planId, {
      ...(await opened.node(planId, 2)),
      metadata: { kept: true },
    })
    const run = await go()
    expect(await opened.node(planId, 2)).toMatchObject({
      dependencies: [1],
      metadata: { kept: true },
      instruction: 'keep me',
    })
    expect(run.steps[1]).toMatchObject({ status: 'failed', error: expect.stringContaining('waits for it') })
    expect((await opened.node(planId, 1)).dependencies).toEqual([])
  })

  it('insert between two; hints that do not fit together are refused', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('create_task', { name: 'Between', insert_after: 1, insert_before: 2 }),
        task('create_task', { name: 'First', position: 'before:1' }),
        task('create_task', { name: 'Child', anchor_task_id: 1, anchor_position: 'first_child' }),
        task('create_task', { name: 'Third', position: 2 }),
        task('create_task', { name: 'Lost', position: 0, insert_after: 1 }, { blocking: false }),
        task('create_task', { name: 'Backwards', insert_after: 2, insert_before: 1 }, { blocking: false }),
      ],
      ['A', 'B'],
    )
    await using _ = opened
    const run = await go()
    const names = (await opened.parley.store.listChildren(planId, 0)).map(({ name }) => name)
    expect(names).toEqual(['First', 'A', 'Third', 'Between', 'B'])
    expect((await opened.parley.store.listChildren(planId, 1)).map(({ name }) => name)).toEqual(['Child'])
    expect(run.steps.slice(4).map(({ status }) => status)).toEqual(['failed', 'failed'])
  })

  it('create a plan and execute it in one answer', async () => {
    const { opened, sessionId, go } = await openWith(
      openDatabase,
      [
        operation('create_plan', { title: 'Cake' }),
        task('create_task', { name: 'Bake' }),
        operation('execute_plan'),
      ],
      undefined,
    )
    await using _ = opened
    const run = await go()
    expect(run.status).toBe('completed')
    const { planId } = await opened.parley.sessions.get(sessionId)
    // its tasks came with it, so it was not taken apart as well
    expect(await opened.statuses(planId!)).toEqual({ 1: 'completed' })
  })

  it('says that it failed when a node failed', async () => {
    const { opened, planId, go } = await openWith(openDatabase, [operation('execute_plan')], ['A', 'B'], {
      node: (name) =>
        name === 'A' ? calls(['set_result', { output: 'no luck', status: 'failed' }]) : undefined,
      options: { ...allowed, plans: { nodeRetries: 0 } },
    })
    await using _ = opened
    const run = await go()
    expect(run).toMatchObject({
      status: 'failed',
      steps: [{ status: 'failed', result: { executed: [2], failed: [1], skipped: [] } }],
    })
    expect(await opened.statuses(planId)).toEqual({ 1: 'failed', 2: 'completed' })
  })

  it('run one node, and only when what it waits for is done', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [task('rerun_task', { task_id: 2 }), task('rerun_task', { task_id: 1 }, { blocking: false })],
      ['A', { name: 'B', after: [1] }],
    )
    await using _ = opened
    const run = await go()
    expect(run.steps[0]).toMatchObject({ status: 'failed', error: expect.stringContaining('waits for 1') })
    expect(run.steps[1]).toMatchObject({ status: 'completed' })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'pending' })
  })

  it('without an id the tasks are shown first', async () => {
    const { opened, planId, go } = await openWith(openDatabase, [task('rerun_task')], ['A'])
    await using _ = opened
    expect((await go()).steps).toMatchObject([{ name: 'show_tasks', status: 'completed' }])
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending' })
  })

  it('take apart within bounds', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('decompose_task', {
          task_id: 1,
          expand_depth: '99',
          node_budget: 4,
          allow_existing_children: 'no',
        }),
      ],
      ['A'],
      {
        children: () => ({
          children: ['x', 'y', 'z'].map((name, index) => ({
            name,
            instruction: name,
            // itself, one that is not there, and one before it
            dependencies: [index + 1, 17, index].filter((place) => place > 0),
          })),
        }),
      },
    )
    await using _ = opened
    const run = await go()
    expect(run.steps[0]!.result).toMatchObject({ created_tasks: [2, 3, 4, 5] })
    expect((await opened.parley.store.listNodes(planId)).length).toBe(5)
    expect((await opened.node(planId, 3)).dependencies).toEqual([2])
  })

  it('a node with tasks below it is not taken apart unless that is allowed', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('decompose_task', { task_id: 1 }, { blocking: false }),
        task('decompose_task', { task_id: 1, allow_existing_children: 'yes', expand_depth: 1 }),
      ],
      ['A', { name: 'B', parentId: 1 }],
      {
        children: () => ({
          children: [{ name: 'x' }, { name: 'y' }].map((child) => ({ ...child, instruction: '' })),
        }),
      },
    )
    await using _ = opened
    const run = await go()
    expect(run.steps.map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect((await opened.parley.store.listChildren(planId, 1)).map(({ name }) => name)).toEqual([
      'B',
      'x',
      'y',
    ])
  })

  it('a request for context is answered in the same turn, and changes nothing', async () => {
    const asked: string[] = []
    await using opened = await openPlans(openDatabase, {
      chat: (said) => {
        asked.push(said)
        return said === 'what is in 1?'
          ? replies('Let me see.', subgraph({ logical_id: 1 }))
          : replies('It is B.')
      },
    })
    const { planId } = await opened.plan([
      'A',
      { name: 'B', parentId: 1, instruction: 'secret words' },
      'Other',
    ])
    const sessionId = await opened.session(planId)
    const { text } = await opened.say(sessionId, 'what is in 1?')
    expect(text).toContain('It is B.')
    expect(asked).toHaveLength(2)
    expect(asked[1]).toContain('secret words')
    expect(asked[1]).not.toContain('Other')
    expect((await opened.parley.store.requirePlan('default', planId)).version).toBe(1)
  })

  it('a request for context stands alone, and is not made for ever', async () => {
    let count = 0
    await using opened = await openPlans(openDatabase, {
      chat: (said) => {
        count++
        if (said === 'both')
          return replies('Hm.', subgraph({ task_id: 1 }), task('create_task', { name: 'x' }))
        return said.includes('only action') ? replies('Sorry.') : replies('More.', subgraph({ task_id: 1 }))
      },
    })
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session(planId)
    expect((await opened.say(sessionId, 'both')).text).toBe('Sorry.')
    expect(count).toBe(2)
    expect((await opened.say(sessionId, 'look')).error).toContain('asked for context')
    expect((await opened.parley.store.listNodes(planId)).length).toBe(1)
  })

  it('help, and what is not there', async () => {
    let problem = ''
    await using opened = await openPlans(openDatabase, {
      chat: (said) => {
        if (said === 'go') return replies('.', { ...task('help'), kind: 'system_operation' })
        if (said === 'odd') return replies('.', task('explode', {}))
        if (said.includes('not taken')) problem = said
        return replies('Well.')
      },
    })
    const sessionId = await opened.session((await opened.plan()).planId)
    expect((await opened.act(sessionId, 'go')).steps[0]!.result).toContain('task_operation/create_task')
    expect((await opened.say(sessionId, 'odd')).text).toBe('Well.')
    expect(problem).toContain('task_operation/explode')
    expect(problem).toContain('no such action')
  })

  it('search the web, with its bounds', async () => {
    const { site, seen } = await startEngine()
    let problems = 0
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) => {
          if (said.includes('not taken')) {
            problems++
            return replies('Then not.')
          }
          if (said.startsWith('empty')) return replies('.', tool('web_search', { query: ' ' }))
          if (said.startsWith('(') || said.includes('task_result')) return replies('Found tea.')
          return replies('.', tool('web_search', { query: 'tea', max_results: 'many' }))
        },
      },
      { ...allowed, web: { search: { searxngUrl: `http://127.0.0.1:${site.port}` } } },
    )
    const sessionId = await opened.session((await opened.plan()).planId)
    expect((await opened.say(sessionId, 'empty search please')).text).toBe('Then not.')
    expect(problems).toBe(1)
    expect(seen).toEqual([])
    const run = await opened.act(sessionId, 'search the web for tea')
    expect(run.steps[0]).toMatchObject({
      status: 'completed',
      result: { results: [{ title: 'Tea', url: 'https://tea.example' }] },
    })
    expect(seen).toHaveLength(1)
    // what was found goes into the answer that follows
    await expect.poll(async () => (await opened.messages(sessionId)).length).toBe(6)
    expect(JSON.stringify(opened.requests.at(-1)!.messages)).toContain('https://tea.example')
  })

  // no list of words decides: not what is asked for in another language, nor what is forbidden with the very words
  it.each([
    'Please find out what tea costs today',
    'Do NOT search the web',
    'ابحث في الإنترنت عن سعر الشاي',
    'Sprawdź w sieci, ile kosztuje herbata',
    'चाय की कीमत इंटरनेट पर खोजो',
    '上网查一下茶的价格',
    'Çayın fiyatına internetten bak',
    'tell me of tea',
  ])('whether to search is for the model, and whether it may for a person: %s', async (words) => {
    const { site, seen } = await startEngine()
    await using opened = await openPlans(
      openDatabase,
      {
        chat: (said) =>
          said === words ? replies('.', tool('web_search', { query: 'price of tea' })) : replies('I see.'),
      },
      { web: { search: { searxngUrl: `http://127.0.0.1:${site.port}` } } },
    )
    const { approvals } = opened.parley
    const sessionId = await opened.session((await opened.plan()).planId)
    for (const [decision, status, searches] of [
      ['deny', 'failed', 0],
      ['approve', 'completed', 1],
    ] as const) {
      const { turn } = await opened.say(sessionId, words)
      await expect.poll(async () => (await approvals.list()).items.length).toBe(1)
      const [asked] = (await approvals.list()).items
      expect(asked).toMatchObject({ toolName: 'web_search', input: { query: 'price of tea' }, sessionId })
      expect(seen).toEqual([])
      await approvals.decide(asked!.id, { decision })
      await expect
        .poll(async () => (await opened.parley.store.getRun('default', turn!.runId!))?.status)
        .toBe(status)
      expect(seen).toHaveLength(searches)
      await expect.poll(async () => (await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    }
    // what the model goes by, whatever the language
    expect(opened.requests[0]!.system).toContain('that holds until they say otherwise')
  })

  it('ask the knowledge graph, with its bounds', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said.startsWith('ask')
          ? replies(
              '.',
              tool('graph_rag', { query: 'tea', top_k: 'many', hops: 99, focus_entities: ['tea'] }),
            )
          : replies('Tea comes from China.'),
    })
    await opened.parley.knowledge.import({
      source: 'books',
      triples: [{ subject: 'tea', predicate: 'comes from', object: 'China' }],
    })
    const sessionId = await opened.session((await opened.plan()).planId)
    const run = await opened.act(sessionId, 'ask the knowledge graph about tea')
    expect(run.steps[0], run.steps[0]!.error).toMatchObject({
      status: 'completed',
      result: { triples: [{ subject: 'tea', predicate: 'comes from', object: 'China' }] },
    })
    expect(opened.requests[0]!.system).toContain('tool_operation/graph_rag')
    // there is no search engine here, so nothing is said of one
    expect(opened.requests[0]!.system).not.toContain('tool_operation/web_search')
  })

  it('tools of a group that is switched off stay off', async () => {
    const { opened, planId } = await openWith(openDatabase, [tool('graph_rag', { query: 'Ann' })], [])
    await using _ = opened
    await opened.parley.knowledge.import({
      source: 'people',
      triples: [{ subject: 'Ann', predicate: 'founded', object: 'Acme' }],
    })
    for (const [toolGroups, status] of [
      [{ plan: true }, 'completed'],
      [{ plan: false }, 'failed'],
    ] as const) {
      const { id } = await opened.parley.sessions.create({ planId, toolGroups })
      const run = await opened.act(id, 'go and ask the graph')
      expect(run.steps.map((step) => step.status)).toEqual([status])
    }
  })

  it('what the graph is asked has the bounds of its tool', async () => {
    const names = Array.from({ length: 21 }, String)
    const { opened, sessionId } = await openWith(
      openDatabase,
      [tool('graph_rag', { query: 'Ann', focus_entities: names })],
      [],
    )
    await using _ = opened
    expect((await opened.say(sessionId, 'go and ask the graph')).turn?.status).toBe('none')
    expect(JSON.stringify(opened.requests[1]!.messages)).toContain('focus_entities')
  })

  it('unbound sessions create, list and bind, and nothing else', async () => {
    let problem = ''
    await using opened = await openPlans(openDatabase, {
      chat: (said, _request: ModelRequest) => {
        if (said.includes('not taken')) {
          problem = said
          return replies('I cannot.')
        }
        if (said === 'add') return replies('.', task('create_task', { name: 'x' }))
        if (said.startsWith('bind ')) return replies('.', operation('bind_plan', { plan_id: said.slice(5) }))
        return said === 'list' ? replies('.', operation('list_plans')) : replies('Well.')
      },
    })
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session()
    expect((await opened.say(sessionId, 'add')).text).toBe('I cannot.')
    expect(problem).toContain('has no plan')
    expect(opened.requests[0]!.system).not.toContain('create_task')
    expect((await opened.act(sessionId, 'list')).steps[0]!.result).toContain(planId)
    await expect.poll(async () => (await opened.messages(sessionId)).length).toBe(6)
    const bound = await opened.act(sessionId, `bind ${planId}`)
    expect(bound.status).toBe('completed')
    expect((await opened.parley.sessions.get(sessionId)).planId).toBe(planId)
    const lost = await opened.session()
    const run = await opened.act(lost, 'bind plan_elsewhere')
    expect(run).toMatchObject({
      status: 'failed',
      steps: [{ error: expect.stringContaining('plan_elsewhere') }],
    })
  })

  it('a plan of another scope, and ids of another plan, are out of reach', async () => {
    const named = { plan_id: 'plan_other' }
    const refused = [operation('execute_plan', named), operation('delete_plan', named)]
    const { opened, planId, sessionId, go } = await openWith(openDatabase, [], ['A'], {
      chat: (said) => {
        if (said === 'go') return replies('On it.', task('update_task', { task_id: 7, name: 'mine now' }))
        return replies('On it.', ...(said === 'theirs' ? [refused.pop()!] : []))
      },
    })
    await using _ = opened
    const { store } = opened.parley
    await store.ensureScope('other')
    await store.createPlan({
      id: 'plan_other',
      scope: 'other',
      title: 'Theirs',
      description: '',
      metadata: {},
    })
    for (const _each of [1, 2])
      expect((await opened.say(sessionId, 'theirs')).turn).toMatchObject({ status: 'none', actions: [] })
    expect(refused).toEqual([])
    expect((await go()).steps.map(({ status }) => status)).toEqual(['failed'])
    expect(await store.getPlan('other', 'plan_other')).toMatchObject({ title: 'Theirs', version: 0 })
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending' })
  })
})

describe.each(anyDatabase)('the order of actions on %s', (_name, openDatabase) => {
  it('what fails stops the blocking ones after it, and no others', async () => {
    const { opened, planId, sessionId, go } = await openWith(
      openDatabase,
      [
        task('create_task', { name: 'One' }),
        task('update_task', { task_id: 99, name: 'gone' }),
        task('create_task', { name: 'Never' }),
        task('create_task', { name: 'Anyway' }, { blocking: false }),
      ],
      [],
    )
    await using _ = opened
    const run = await go()
    expect(run.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'skipped', 'completed'])
    expect(run.steps[2]!.message).toContain('step 2 failed')
    expect((await opened.parley.store.listNodes(planId)).map(({ name }) => name)).toEqual(['One', 'Anyway'])
    const answer = (await opened.messages(sessionId))[1]!
    const part = answer.parts.find(({ type }) => type === 'data-plan')!.data as { summary: string }
    expect(part.summary.split('\n')).toHaveLength(4)
    expect(part.summary).toContain('⚠️ Step 2: task_operation/update_task')
  })

  it('is that of "order", whatever the list says', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [
        task('create_task', { name: 'Third' }, { order: 9 }),
        task('create_task', { name: 'First' }, { order: 1 }),
        task('create_task', { name: 'Second' }, { order: 1 }),
      ],
      [],
    )
    await using _ = opened
    await go()
    expect((await opened.parley.store.listNodes(planId)).map(({ name }) => name)).toEqual([
      'First',
      'Second',
      'Third',
    ])
  })

  it('one that fails is tried again as its policy says', async () => {
    let tries = 0
    const site = await startSite((_request, response) => {
      tries++
      response.statusCode = tries < 3 ? 500 : 200
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ results: [] }))
    })
    const { opened, sessionId } = await openWith(
      openDatabase,
      [
        { ...tool('web_search', { query: 'tea' }), retry_policy: { max_retries: 2, backoff_sec: 0.01 } },
        task('create_task', { name: 'After' }),
      ],
      [],
      { options: { ...allowed, web: { search: { searxngUrl: `http://127.0.0.1:${site.port}` } } } },
    )
    await using _ = opened
    const run = await opened.act(sessionId, 'go and search the web')
    expect(run.steps).toMatchObject([{ status: 'completed', attempts: 3 }, { status: 'completed' }])
    expect(tries).toBe(3)
  })

  it('one that does not block lets others go first, and is waited for', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { opened, sessionId } = await openWith(
      openDatabase,
      [operation('execute_plan', {}, { blocking: false }), task('create_task', { name: 'Meanwhile' })],
      ['Slow'],
      {
        node: (name) => (name === 'Slow' ? [held, ...calls(['set_result', { output: 'done' }])] : undefined),
      },
    )
    await using _ = opened
    const { turn } = await opened.say(sessionId, 'go')
    const steps = async () =>
      (await opened.parley.store.listPlanSteps(turn!.runId!)).map(({ status }) => status)
    await expect.poll(steps).toEqual(['running', 'completed'])
    release()
    expect((await opened.settled(turn!.runId!)).status).toBe('completed')
  })

  it('deleting asks, and a no is told', async () => {
    const { opened, planId, sessionId } = await openWith(
      openDatabase,
      [task('create_task', { name: 'New' }), task('delete_task', { task_id: 1 })],
      ['A'],
      { options: {} },
    )
    await using _ = opened
    const { approvals } = opened.parley
    for (const [decision, status, left] of [
      ['deny', 'failed', [1, 2]],
      ['approve', 'completed', [2, 3]],
    ] as const) {
      const { turn } = await opened.say(sessionId, 'go')
      await expect.poll(async () => (await approvals.list()).items.length).toBe(1)
      expect(await opened.settled(turn!.runId!)).toMatchObject({ status: 'paused' })
      const [asked] = (await approvals.list()).items
      expect(asked).toMatchObject({ toolName: 'plan', action: 'delete_task', sessionId })
      await approvals.decide(asked!.id, { decision })
      await expect
        .poll(async () => (await opened.parley.store.getRun('default', turn!.runId!))?.status)
        .toBe(status)
      expect(Object.keys(await opened.statuses(planId)).map(Number)).toEqual(left)
      await expect.poll(async () => (await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    }
  })

  it('deletes what the person made of it, and nothing else than that', async () => {
    const { opened, planId, sessionId } = await openWith(
      openDatabase,
      [task('delete_task', { task_id: 1 })],
      ['A', 'B', 'C'],
      { options: {} },
    )
    await using _ = opened
    const { approvals } = opened.parley
    for (const [input, status, left] of [
      [{ action: 'delete_plan', plan_id: planId, parameters: {} }, 'failed', [1, 2, 3]],
      [{ action: 'delete_task', plan_id: 'plan_other', parameters: { task_id: 2 } }, 'failed', [1, 2, 3]],
      [{ action: 'delete_task', plan_id: planId, parameters: { task_id: 2 } }, 'completed', [1, 3]],
    ] as const) {
      const { turn } = await opened.say(sessionId, 'go')
      await expect.poll(async () => (await approvals.list()).items.length).toBe(1)
      const [asked] = (await approvals.list()).items
      await approvals.decide(asked!.id, { decision: 'approve', input })
      await expect
        .poll(async () => (await opened.parley.store.getRun('default', turn!.runId!))?.status)
        .toBe(status)
      expect(Object.keys(await opened.statuses(planId)).map(Number)).toEqual(left)
      await expect.poll(async () => (await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    }
  })

  it('a session that only looks changes nothing', async () => {
    const { opened, planId, go } = await openWith(
      openDatabase,
      [task('create_task', { name: 'New' }), task('show_tasks', {}, { blocking: false })],
      ['A'],
      {
        options: { permissions: { mode: 'plan' } },
      },
    )
    await using _ = opened
    const run = await go()
    expect(run.steps.map(({ status }) => status)).toEqual(['failed', 'completed'])
    expect(run.steps[0]!.error).toContain('plan mode')
    expect(await opened.statuses(planId)).toEqual({ 1: 'pending' })
  })

  it('can be cancelled, and what was not done can be done again', async () => {
    let isHeld = true
    const { opened, planId, sessionId } = await openWith(
      openDatabase,
      [
        task('create_task', { name: 'New' }),
        operation('execute_plan'),
        task('create_task', { name: 'Last' }),
      ],
      ['Slow'],
      { node: () => (isHeld ? [new Promise(() => {})] : undefined) },
    )
    await using _ = opened
    const { turn } = await opened.say(sessionId, 'go')
    await expect.poll(() => opened.statuses(planId)).toMatchObject({ 1: 'running' })
    const { cancelPlanRun, retryPlanRun } = await import('../src/extensions/plan/runs.ts')
    await cancelPlanRun(opened.parley.services.plans, { scope: 'default' }, turn!.runId!)
    const run = await opened.settled(turn!.runId!)
    expect(run.steps.map(({ status }) => status)).toEqual(['completed', 'cancelled', 'cancelled'])
    await expect.poll(() => opened.statuses(planId)).toEqual({ 1: 'pending', 2: 'pending' })
    const message = (await opened.messages(sessionId))[1]!
    expect(message.parts.find(({ type }) => type === 'data-plan')).toMatchObject({
      data: { status: 'cancelled' },
    })
    isHeld = false
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    const again = await retryPlanRun(store, planDeps, { scope: 'default' }, turn!.runId!)
    expect(await opened.settled(again.id)).toMatchObject({
      status: 'completed',
      steps: [{ name: 'execute_plan' }, { name: 'create_task' }],
    })
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed', 3: 'pending' })
    // the answer shows the run that repeats the first one
    const shown = (await opened.messages(sessionId))[1]!
    expect(shown.parts.find(({ type }) => type === 'data-plan')).toMatchObject({
      data: {
        status: 'completed',
        runId: again.id,
        actions: [{ name: 'execute_plan', status: 'completed' }, {}],
      },
    })
  })
})

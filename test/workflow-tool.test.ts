import { describe, expect, it } from 'vitest'
import { createWorkflowTool } from '../src/extensions/workflow/workflow-tool.ts'
import { createDefinition } from '../src/extensions/workflow/definitions.ts'
import { openManagement } from '../src/extensions/workflow/management.ts'
import { createWorkflowControl } from '../src/extensions/workflow/tool-control.ts'
import { anyDatabase, type OpenDatabase } from './harness.ts'
import { definition, openWorkflows } from './workflow-harness.ts'

/** The tool on a store; runs wait there for somebody to take them up. */
async function openTool(openDatabase: OpenDatabase) {
  const test = await openWorkflows(openDatabase)
  const tool = createWorkflowTool(createWorkflowControl({ deps: test.deps, files: test.files() }))
  const { id: sessionId } = await test.store.createSession({ scope: 'default' })
  return {
    test,
    tool,
    sessionId,
    call: (input: object, session = sessionId, name?: string) => test.call(tool, session, input, name),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

describe.each(anyDatabase)('the workflow tool on %s', (_name, openDatabase) => {
  it('makes, shows, changes, compares and rolls back workflows', async () => {
    await using opened = await openTool(openDatabase)
    const { call, test, sessionId } = opened
    const made = await call({ action: 'create', text: definition('a') })
    expect(made).toMatchObject({ name: 'a', version: 1, stepCount: 1 })
    expect(await call({ action: 'list', q: 'a' })).toMatchObject({ items: [{ id: made.id, name: 'a' }] })
    expect(await call({ action: 'get', name: 'a' })).toMatchObject({ text: definition('a') })
    const text = definition('a', 'Say more.')
    expect(await call({ action: 'diff', name: 'a', text })).toMatchObject({ from: 1, added: 1, removed: 1 })
    expect(await call({ action: 'get', id: made.id })).toMatchObject({ version: 1 })
    expect(await call({ action: 'update', id: made.id, text, base_version: 1 })).toMatchObject({ version: 2 })
    await expect(
      call({ action: 'update', id: made.id, text: definition('a'), base_version: 1 }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(await call({ action: 'diff', id: made.id, from: 1, to: 2 })).toMatchObject({ added: 1 })
    expect(await call({ action: 'rollback', id: made.id, version: 1 })).toMatchObject({ version: 3 })
    expect(await call({ action: 'get', id: made.id, version: 2 })).toMatchObject({ version: 2, text })
    expect(await call({ action: 'versions', id: made.id })).toMatchObject({
      items: [{ cause: 'rollback', sessionId }, { cause: 'update' }, { cause: 'create' }],
    })
    await expect(call({ action: 'create', text: definition('a') })).rejects.toMatchObject({
      code: 'conflict',
      details: { id: made.id },
    })
    await expect(call({ action: 'update', text })).rejects.toThrow('Say which workflow')
    await expect(call({ action: 'get', name: 'none' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(call({ action: 'create' })).rejects.toThrow('"create" needs "text"')
    const audit = await test.store.listAudit('default', { resourceType: 'workflow', limit: 1 })
    expect(audit.items[0]).toMatchObject({ actor: { type: 'agent', id: sessionId }, sessionId })
  })

  it('saves nothing with problems, and tells all of them', async () => {
    await using opened = await openTool(openDatabase)
    const { call, test } = opened
    await call({ action: 'create', text: definition('a') })
    const text = 'name: a\nsteps:\n  - type: agent\n  - type: approve\n'
    for (const action of ['validate', 'create', 'update']) {
      const answer = await call({ action, name: 'a', text })
      expect(answer, action).toMatchObject({ valid: false, problems: [{ line: 3 }, { line: 4 }] })
      expect(answer.saved, action).toBe(action === 'validate' ? undefined : false)
    }
    expect(await call({ action: 'validate', text: definition('a') })).toEqual({ valid: true, problems: [] })
    expect((await test.store.getWorkflowByName('default', 'a'))!.version).toBe(1)
  })

  it('does a call that is made again only once', async () => {
    await using opened = await openTool(openDatabase)
    const { call, test, sessionId } = opened
    const make = () => call({ action: 'create', text: definition('a') }, sessionId, 'same')
    const [one, two] = [await make(), await make()]
    expect(two).toEqual(one)
    expect((await test.store.listWorkflows('default', { limit: 10 })).items).toHaveLength(1)
  })

  it('means the own workflow in a session that edits one, and changes no other there', async () => {
    await using opened = await openTool(openDatabase)
    const { call, test } = opened
    const { store, deps, person } = test
    const other = await createDefinition(deps, store, person, { text: definition('other') })
    const { session } = await openManagement(store, person)
    await expect(call({ action: 'get' }, session.id)).rejects.toThrow('Say which workflow')
    await expect(
      call({ action: 'update', id: other.id, text: definition('other', 'x') }, session.id),
    ).rejects.toMatchObject({ code: 'forbidden' })
    // a create that fails binds nothing
    await expect(call({ action: 'create', text: definition('other') }, session.id)).rejects.toMatchObject({
      code: 'conflict',
    })
    expect((await store.requireSession('default', session.id)).toolMeta).not.toHaveProperty('workflowDefId')
    const made = await call({ action: 'create', text: definition('own') }, session.id)
    expect((await store.getWorkflowOfSession(session.id))!.id).toBe(made.id)
    expect((await openManagement(store, person, String(made.id))).session.id).toBe(session.id)
    expect(await call({ action: 'get' }, session.id)).toMatchObject({ id: made.id })
    expect(await call({ action: 'update', text: definition('own', 'two') }, session.id)).toMatchObject({
      id: made.id,
      version: 2,
    })
    expect(await call({ action: 'create', text: definition('own', 'three') }, session.id)).toMatchObject({
      id: made.id,
      version: 3,
    })
    await expect(call({ action: 'create', text: definition('second') }, session.id)).rejects.toThrow(
      'use "update"',
    )
    await expect(call({ action: 'rollback', id: other.id, version: 1 }, session.id)).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await call({ action: 'get', name: 'other' }, session.id)).toMatchObject({ version: 1 })
  })

  it('runs workflows for its session, and tells nobody the token that answers', async () => {
    await using opened = await openTool(openDatabase)
    const { call, sessionId, test } = opened
    const { id } = await call({ action: 'create', text: definition('a') })
    const started = await call({ action: 'run', name: 'a', args: { n: 1 } }, sessionId, 'go')
    const runId = String(started.run_id)
    expect(started).toMatchObject({ status: 'pending' })
    // the same call after a crash is the same run
    expect(await call({ action: 'run', name: 'a', args: { n: 1 } }, sessionId, 'go')).toEqual(started)
    const stored = await test.store.getWorkflowRun('default', runId)
    expect(stored!.record).toMatchObject({
      workflowId: id,
      source: 'tool',
      sourceId: 'go',
      deliverTo: sessionId,
    })
    expect((await test.store.requireSession('default', stored!.record.sessionId)).parentId).toBe(sessionId)
    const text = definition('inline')
    expect(await call({ action: 'run', text })).toMatchObject({ status: 'pending' })
    await expect(call({ action: 'run', text, name: 'a' })).rejects.toThrow('not both')
    await expect(call({ action: 'run', name: 'none' })).rejects.toMatchObject({ code: 'not_found' })
    await test.store.putWorkflowSteps(runId, [
      {
        path: 'ask',
        stepId: 'ask',
        type: 'approve',
        status: 'paused',
        attempt: 1,
        details: { question: 'Publish?' },
        token: 'the-token',
        linked: 0,
      },
    ])
    const status = await call({ action: 'status', run_id: runId })
    expect(status).toMatchObject({ steps: [{ question: 'Publish?' }] })
    expect(JSON.stringify(status)).not.toContain('the-token')
    expect(await call({ action: 'cancel', run_id: runId })).toMatchObject({ status: 'cancelled' })
    expect(await call({ action: 'runs', name: 'a' })).toMatchObject({
      items: [{ id: runId, status: 'cancelled' }],
    })
  })
})

it('says of each action whether it changes something, and has none that answers a run', () => {
  const tool = createWorkflowTool({} as never)
  const effectOf = (action: string) => tool.access!({ action }, { granted: [] }).effect
  const read = ['list', 'get', 'validate', 'diff', 'versions', 'runs', 'status']
  const write = ['create', 'update', 'rollback', 'run', 'cancel']
  expect(read.map(effectOf)).toEqual(read.map(() => 'read'))
  expect(write.map(effectOf)).toEqual(write.map(() => 'write'))
  for (const action of ['resume', 'approve', 'delete'])
    expect(tool.input.safeParse({ action }).success, action).toBe(false)
})

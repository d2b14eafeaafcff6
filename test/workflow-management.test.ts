import { describe, expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import { createSession } from '../src/sessions/create.ts'
import { deleteSession } from '../src/sessions/delete.ts'
import { createDefinition, deleteDefinition, updateDefinition } from '../src/workflow/definitions.ts'
import { findManaged, openManagement, repairManaged } from '../src/workflow/management.ts'
import { createScripted, says } from './chat-harness.ts'
import { databases, toOptions } from './harness.ts'
import { definition, openWorkflows } from './workflow-harness.ts'

const source = 'workflow-management'

describe.each(databases)('the session that edits a workflow, on %s', (_name, openDatabase) => {
  it('is one, however often and by however many it is asked for', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('a') })
    const asked = await Promise.all(Array.from({ length: 10 }, () => openManagement(store, person, id)))
    expect(new Set(asked.map(({ session }) => session.id)).size).toBe(1)
    expect(asked.filter(({ isNew }) => isNew)).toHaveLength(1)
    const { session } = asked[0]!
    expect(session).toMatchObject({
      kind: 'tool',
      title: 'a',
      toolMeta: { source, workflowDefId: id, workflowName: 'a', label: 'a' },
    })
    expect(await store.requireWorkflow('default', id)).toMatchObject({ managementSessionId: session.id })
    expect((await store.listSessions('default', { kind: 'tool', limit: 50 })).items).toHaveLength(1)
    // a save and a rename keep it, and its static part
    await updateDefinition(deps, store, person, id, { text: definition('b') })
    const again = await openManagement(store, person, id)
    expect(again).toMatchObject({
      isNew: false,
      session: { id: session.id, toolMeta: { workflowName: 'a' } },
    })
    await expect(openManagement(store, test.in('red'), id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is unbound without an id, and every such one is another', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, person } = test
    const [one, two] = [await openManagement(store, person), await openManagement(store, person)]
    expect(one.session.id).not.toBe(two.session.id)
    expect(one.session.toolMeta).toEqual({ source, label: 'New workflow' })
    expect(await findManaged(store, one.session)).toBeUndefined()
  })

  it('is made anew when it was deleted', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('a') })
    const { session } = await openManagement(store, person, id)
    await deleteSession(store, person, session.id)
    expect(await store.requireWorkflow('default', id)).not.toHaveProperty('managementSessionId')
    const next = await openManagement(store, person, id)
    expect(next).toMatchObject({ isNew: true })
    expect(next.session.id).not.toBe(session.id)
  })

  it('is unbound again when its workflow was deleted', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('a') })
    const { session } = await openManagement(store, person, id)
    await deleteDefinition(deps, store, person, id)
    const now = await store.requireSession('default', session.id)
    expect(now.toolMeta).toEqual({ source, label: 'New workflow' })
  })

  it('is put right where the two do not name each other', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('a') })
    const named = (workflowDefId: string) =>
      createSession(store, person, { kind: 'tool', toolMeta: { source, workflowDefId, workflowName: 'a' } })
    const metaOf = async (sessionId: string) =>
      (await store.requireSession('default', sessionId)).toolMeta?.workflowDefId
    // a session names a workflow that has none
    const first = await named(id)
    expect(await repairManaged(store, first)).toMatchObject({ id, managementSessionId: first.id })
    // another one names it too
    const second = await named(id)
    expect(await repairManaged(store, second)).toBeUndefined()
    expect(await metaOf(second.id)).toBeUndefined()
    // one names a workflow that is gone
    const third = await named('wfl_gone')
    expect(await repairManaged(store, third)).toBeUndefined()
    expect(await metaOf(third.id)).toBeUndefined()
    // a workflow points at a session that does not name it
    await store.updateSession('default', first.id, { toolMeta: { source } })
    expect((await openManagement(store, person, id)).session).toMatchObject({
      id: first.id,
      toolMeta: { workflowDefId: id },
    })
    // or names another
    await store.updateSession('default', first.id, { toolMeta: { source, workflowDefId: 'wfl_gone' } })
    const wrong = await store.requireSession('default', first.id)
    expect(await repairManaged(store, wrong)).toMatchObject({ id })
    expect(await metaOf(first.id)).toBe(id)
  })

  it('gets the text of now with its turns, when it has changed, and never in the static part', async () => {
    await using database = await openDatabase()
    const model = createScripted(() => says('Done'))
    await using parley = await createParley({
      ...toOptions(database),
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
    })
    const { workflows, sessions } = parley
    const { id } = await workflows.create({ text: definition('a', 'the first text') })
    const session = await workflows.managementSession(id)
    const ask = async () => {
      await sessions.chat(session.id, 'What now?')
      const { system, messages } = model.requests.at(-1)!
      return { system, last: JSON.stringify(messages.at(-1)) }
    }
    const first = await ask()
    expect(first.last).toContain('the first text')
    expect(first.last).toContain(`id: ${id}, version: 1`)
    expect(first.system).not.toContain('the first text')
    expect(first.system).toContain('This session edits the workflow')
    const same = await ask()
    expect(same.last).not.toContain('current_definition')
    await workflows.update(id, { text: definition('b', 'the second text') })
    const changed = await ask()
    expect(changed.last).toContain('the second text')
    expect(changed.last).not.toContain('the first text')
    expect([same.system, changed.system]).toEqual([first.system, first.system])
    await workflows.delete(id)
    expect((await ask()).last).toContain('There is no definition yet')
  })

  it('makes its own workflow with its first create, and is told so', async () => {
    await using database = await openDatabase()
    const text = definition('made by talking')
    const model = createScripted((_request, call) =>
      call === 2
        ? [
            {
              type: 'tool-call',
              toolCallId: 'make',
              toolName: 'workflow',
              input: JSON.stringify({ action: 'create', text }),
            },
            { type: 'finish', reason: 'tool-calls', usage: { inputTokens: 1, outputTokens: 1 } },
          ]
        : says('Done'),
    )
    await using parley = await createParley({
      ...toOptions(database),
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
      permissions: { mode: 'bypassPermissions' },
    })
    const { workflows, sessions } = parley
    const { id } = await workflows.managementSession()
    await sessions.chat(id, 'Hello')
    expect(JSON.stringify(model.requests[0]!.messages)).toContain('There is no definition yet')
    await sessions.chat(id, 'Make one')
    const [made] = (await workflows.list()).items
    expect(made).toMatchObject({ name: 'made by talking', managementSessionId: id })
    expect((await workflows.versions(made!.id)).items).toMatchObject([{ cause: 'create', sessionId: id }])
    expect(await sessions.get(id)).toMatchObject({ toolMeta: { workflowDefId: made!.id } })
    await sessions.chat(id, 'And now?')
    expect(JSON.stringify(model.requests.at(-1)!.messages.at(-1))).toContain(`id: ${made!.id}, version: 1`)
  })
})

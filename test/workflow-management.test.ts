import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/core/shared/clock.ts'
import { wakeSession } from '../src/core/chat/wake-session.ts'
import { createParley } from '../src/parley.ts'
import { createSession } from '../src/core/sessions/create.ts'
import { deleteSession, type SessionDeleter } from '../src/core/sessions/delete.ts'
import {
  createDefinition,
  deleteDefinition,
  updateDefinition,
} from '../src/extensions/workflow/definitions.ts'
import { findManaged, openManagement, repairManaged } from '../src/extensions/workflow/management.ts'
import { createScripted, says } from './chat-harness.ts'
import { databases, temporaryFolder, toOptions } from './harness.ts'
import { isLearning } from './memory-harness.ts'
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
    const deleter: SessionDeleter = { deleteIn: (tx, scope, gone) => tx.deleteSession(scope, gone) }
    await deleteSession(store, deleter, person, session.id)
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

  it('runs no commands, learns nothing and is told of no memories, whoever begins its turns', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, '.parley', 'commands'), { recursive: true })
    const command = (text: string) => `---\nallowed-tools: recall\n---\n${text}`
    writeFileSync(join(folder.path, '.parley', 'commands', 'sum.md'), command('Sum it up.'))
    const model = createScripted((request) => says(isLearning(request) ? '{}' : 'Done'))
    await using parley = await createParley({
      ...toOptions(database),
      scopes: { default: { root: folder.path } },
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
      memory: { learn: true },
    })
    const { workflows, sessions, memories, store } = parley
    const { id: memoryId } = await memories.create({ layer: 'user', type: 'profile', text: 'Likes tea' })
    const { id } = await workflows.managementSession()
    await sessions.chat(id, '/sum of all')
    await sessions.chat(id, '/help')
    const asked = () => model.requests.filter((request) => !isLearning(request))
    expect(asked()).toHaveLength(2)
    expect(JSON.stringify(asked())).toContain('/sum of all')
    expect(JSON.stringify(asked())).not.toContain('Sum it up.')
    for (const { tools } of asked()) expect(tools.map(({ name }) => name)).toContain('workflow')
    expect(JSON.stringify(asked())).not.toContain('Likes tea')
    expect((await memories.list({})).items.find((known) => known.id === memoryId)).toMatchObject({
      refCount: 0,
    })
    // a turn that begins by itself leaves out the same
    const [woken] = await store.transaction(async (tx) => {
      await wakeSession(
        tx,
        { ids: parley.ids, clock: systemClock, types: parley.chats.types },
        { scope: 'default', sessionId: id },
      )
      return tx.listOpenRuns(id)
    })
    expect(woken!.input).toMatchObject({ skipMemory: true, skipPerRoundExtract: true })
    // elsewhere all of it is done
    const { id: other } = await sessions.create()
    await sessions.chat(other, '/sum of all')
    expect(JSON.stringify(asked().at(-1))).toContain('Sum it up.')
    expect(JSON.stringify(asked().at(-1))).toContain('Likes tea')
    await expect.poll(() => model.requests.some(isLearning)).toBe(true)
    const learned = new Set(model.requests.filter(isLearning).map(({ cacheKey }) => cacheKey))
    expect([...learned].every((key) => key.includes(other))).toBe(true)
  })

  it('says which version counts, also where its static part began without one', async () => {
    await using database = await openDatabase()
    const model = createScripted(() => says('Done'))
    await using parley = await createParley({
      ...toOptions(database),
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
    })
    const { workflows, sessions, store } = parley
    const { id } = await workflows.managementSession()
    const ask = async () => {
      await sessions.chat(id, 'And now?')
      return model.requests.at(-1)!
    }
    const first = await ask()
    expect(JSON.stringify(first.messages)).toContain('There is no definition yet')
    expect(first.system).not.toContain('no definition')
    // somebody else makes it, and changes it
    const made = await workflows.create({ text: definition('a', 'first text') })
    await store.setManagementSession(made.id, id)
    const words = async () => JSON.stringify((await ask()).messages.at(-1))
    const bound = await words()
    expect(bound).toContain(`id: ${made.id}, version: 1. This is the definition of now`)
    expect(bound).toContain('or of none, is out of date')
    await workflows.update(made.id, { text: definition('a', 'second text') })
    const second = await words()
    expect(second).toContain('version: 2. This is the definition of now')
    expect(second).not.toContain('no definition')
    // the same text again is another version, and told as that
    await workflows.rollback(made.id, { version: 1 })
    expect(await words()).toContain('version: 3. This is the definition of now')
    expect(await words()).not.toContain('current_definition')
  })

  it('is told of a text that is not saved yet, and never to write back what only stands in the prompt', async () => {
    await using database = await openDatabase()
    const model = createScripted(() => says('Done'))
    await using parley = await createParley({
      ...toOptions(database),
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
    })
    const { workflows, chats, store, ids } = parley
    const { id: sessionId } = await workflows.managementSession()
    const ask = async (more: object) => {
      const message = { id: ids.next('msg'), parts: [{ type: 'text', text: 'What now?' }] }
      const admitted = await chats.admit(store, { scope: 'default', sessionId }, { message, ...more })
      admitted.begin()
      await chats.answerOf(admitted.run, AbortSignal.timeout(100_000))
      return JSON.stringify(model.requests.at(-1)!.messages.at(-1))
    }
    const draft = await ask({ workflowEditContext: 'name: draft\nprompt: Fill <result> in.' })
    expect(draft).toContain('name: draft')
    expect(draft).toContain('Fill < result> in.')
    expect(draft).toContain('have a blank after them here that the definition does not have')
    expect(draft).not.toContain('There is no definition yet')
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

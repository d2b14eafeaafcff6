import { createDefinitionReader } from '../src/extensions/workflow/definition-reader.ts'
import type { WorkflowDeps } from '../src/extensions/workflow/workflow-service.ts'
import { describe, expect, it } from 'vitest'
import {
  createDefinition,
  deleteDefinition,
  diffVersions,
  getDefinition,
  getVersion,
  listDefinitions,
  listVersions,
  rollbackDefinition,
  updateDefinition,
  validateDefinition,
} from '../src/extensions/workflow/definitions.ts'
import { databases } from './harness.ts'
import { definition, openWorkflows } from './workflow-harness.ts'

const pages = { pageSize: 200 }

describe.each(databases)('definitions on %s', (_name, openDatabase) => {
  it('keep every text that was saved, by whom and why', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const text = definition(
      'Büro',
      'Say hello.',
      'description: Greets\nargs:\n  who: {type: string, default: you}\nconfig: {tags: [daily]}\n',
    )
    const made = await createDefinition(deps, store, person, { text })
    expect(made).toMatchObject({
      scope: 'default',
      name: 'Büro',
      version: 1,
      description: 'Greets',
      args: { who: { type: 'string', default: 'you' } },
      tags: ['daily'],
      triggers: [],
      stepCount: 1,
      text,
    })
    expect(made.id).toMatch(/^wfl_/)
    const next = definition('Büro', 'Say goodbye.')
    const saved = await updateDefinition(deps, store, person, made.id, { text: next, baseVersion: 1 })
    expect(saved).toMatchObject({ id: made.id, version: 2, text: next, createdAt: made.createdAt })
    expect(saved).not.toHaveProperty('description')
    expect(saved.updatedAt > made.updatedAt).toBe(true)
    const back = await rollbackDefinition(deps, store, person, made.id, 1)
    expect(back).toMatchObject({ version: 3, text })
    const { items } = await listVersions(store, pages, person, made.id, {})
    expect(items.map(({ version, cause, author }) => [version, cause, author])).toEqual([
      [3, 'rollback', 'ann'],
      [2, 'update', 'ann'],
      [1, 'create', 'ann'],
    ])
    const first = await listVersions(store, pages, person, made.id, { limit: 2 })
    expect(first.nextCursor).toBe('2')
    expect((await listVersions(store, pages, person, made.id, { cursor: '2' })).items).toHaveLength(1)
    expect(await getVersion(store, person, made.id, 2)).toMatchObject({ cause: 'update', text: next })
    expect(await diffVersions(store, person, made.id, { from: 2, to: 1 })).toMatchObject({
      from: 2,
      to: 1,
      added: 5,
      removed: 1,
    })
    expect(await diffVersions(store, person, made.id, { to: 1 })).toMatchObject({ from: 0, removed: 0 })
    expect(await test.newEvents('workflow-saved')).toEqual(
      [1, 2, 3].map((version) => ({ workflowId: made.id, name: 'Büro', version })),
    )
    const { items: audit } = await store.listAudit('default', { resourceType: 'workflow', limit: 10 })
    expect(audit.map(({ action }) => action)).toEqual(['rollback', 'update', 'create'])
  })

  it('make no version of the same text, and refuse what was changed meanwhile', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id, text } = await createDefinition(deps, store, person, { text: definition('a') })
    await test.newEvents('workflow-saved')
    expect(await updateDefinition(deps, store, person, id, { text })).toMatchObject({ version: 1 })
    expect(await test.newEvents('workflow-saved')).toEqual([])
    await updateDefinition(deps, store, person, id, { text: definition('a', 'two') })
    const late = updateDefinition(deps, store, person, id, { text: definition('a', 'three'), baseVersion: 1 })
    await expect(late).rejects.toMatchObject({ code: 'conflict', details: { version: 2 } })
    // of two at once with the same base one is told
    const both = await Promise.allSettled(
      ['four', 'five'].map((prompt) =>
        updateDefinition(deps, store, person, id, { text: definition('a', prompt), baseVersion: 2 }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await listVersions(store, pages, person, id, {})).items).toHaveLength(3)
  })

  it('have a name once in a scope, also when many want it at once', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, count) =>
        createDefinition(deps, store, person, { text: definition('same', `prompt ${count}`) }),
      ),
    )
    const [kept] = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toHaveLength(7)
    for (const error of refused) expect(error).toMatchObject({ code: 'conflict', details: { id: kept!.id } })
    const other = await createDefinition(deps, store, person, { text: definition('other') })
    const taken = updateDefinition(deps, store, person, other.id, { text: definition('same') })
    await expect(taken).rejects.toMatchObject({ code: 'conflict', details: { id: kept!.id } })
    const renamed = await updateDefinition(deps, store, person, other.id, { text: definition('free') })
    expect(renamed).toMatchObject({ id: other.id, name: 'free', version: 2 })
    expect(await store.getWorkflowByName('default', 'other')).toBeUndefined()
    // the same name elsewhere is another workflow
    await createDefinition(deps, store, test.in('red'), { text: definition('same') })
  })

  it('belong to their scope: elsewhere there are none', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('mine') })
    const red = test.in('red')
    await store.ensureScope('red')
    const tries = [
      () => getDefinition(store, red, id),
      () => updateDefinition(deps, store, red, id, { text: definition('yours') }),
      () => rollbackDefinition(deps, store, red, id, 1),
      () => deleteDefinition(deps, store, red, id),
      () => listVersions(store, pages, red, id, {}),
      () => getVersion(store, red, id, 1),
      () => diffVersions(store, red, id, {}),
    ]
    for (const one of tries) await expect(one()).rejects.toMatchObject({ code: 'not_found' })
    expect((await listDefinitions(store, pages, red, {})).items).toEqual([])
    expect(await getDefinition(store, person, id)).toMatchObject({ version: 1 })
  })

  it('are listed with what was changed last first, by pages, and by a part of name or description', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const made = []
    for (const name of ['one', 'two', 'three', 'Über 100%'])
      made.push(await createDefinition(deps, store, person, { text: definition(name) }))
    await updateDefinition(deps, store, person, made[0]!.id, {
      text: definition('one', 'x', 'description: Counts the Triggers\n'),
    })
    const names = async (query: { q?: string; limit?: number; cursor?: string }) => {
      const page = await listDefinitions(store, pages, person, query)
      return { names: page.items.map(({ name }) => name), next: page.nextCursor }
    }
    const first = await names({ limit: 2 })
    expect(first.names).toEqual(['one', 'Über 100%'])
    expect(await names({ cursor: first.next! })).toEqual({ names: ['three', 'two'], next: null })
    expect((await names({ q: 'TWO' })).names).toEqual(['two'])
    expect((await names({ q: 'Über' })).names).toEqual(['Über 100%'])
    expect((await names({ q: '%' })).names).toEqual(['Über 100%'])
    expect((await names({ q: 'triggers' })).names).toEqual(['one'])
    expect((await names({ q: 'stepCount' })).names).toEqual([])
    await expect(listDefinitions(store, pages, person, { cursor: '?' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  it('are deleted with their versions, and the name is free again', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('gone') })
    await deleteDefinition(deps, store, person, id)
    await expect(getDefinition(store, person, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.getWorkflowVersion(id, 1)).toBeUndefined()
    expect(await test.newEvents('workflow-deleted')).toEqual([{ workflowId: id, name: 'gone', version: 1 }])
    expect(await createDefinition(deps, store, person, { text: definition('gone') })).toMatchObject({
      version: 1,
    })
  })

  it('are not saved with problems, and an old text that is none any more is not brought back', async () => {
    await using test = await openWorkflows(openDatabase)
    const { store, deps, person } = test
    const { id } = await createDefinition(deps, store, person, { text: definition('a') })
    const wrong = 'name: a\nsteps:\n  - type: agent\n  - type: nothing\n'
    const refusal = { code: 'invalid_request', message: expect.stringContaining('Line 3, column') }
    await expect(updateDefinition(deps, store, person, id, { text: wrong })).rejects.toMatchObject(refusal)
    expect(await getDefinition(store, person, id)).toMatchObject({ version: 1 })
    // as a text that an older Parley took
    const before = await store.requireWorkflow('default', id)
    await store.saveWorkflow(before, { ...before, text: wrong }, { ...person, cause: 'update' })
    await updateDefinition(deps, store, person, id, { text: definition('a', 'fine') })
    await expect(rollbackDefinition(deps, store, person, id, 2)).rejects.toMatchObject(refusal)
    await expect(rollbackDefinition(deps, store, person, id, 9)).rejects.toMatchObject({ code: 'not_found' })
    expect(await getDefinition(store, person, id)).toMatchObject({ version: 3 })
  })
})

it('a verdict tells every problem with its place', () => {
  const deps = { definitions: createDefinitionReader() } as WorkflowDeps
  const verdict = validateDefinition(deps, 'steps:\n  - type: agent\n  - type: nothing\n')
  expect(verdict.valid).toBe(false)
  expect(verdict.problems.length).toBeGreaterThan(1)
  for (const { line, column } of verdict.problems) expect([line, column]).not.toContain(undefined)
  expect(validateDefinition(deps, definition('a'))).toMatchObject({
    valid: true,
    definition: { name: 'a', steps: [{ id: 'say' }] },
  })
})

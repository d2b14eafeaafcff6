import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  existsSync,
  readdirSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import { createDefinition, updateDefinition } from '../src/extensions/workflow/definitions.ts'
import { databases, sqliteDatabase, temporaryFolder, toOptions, type OpenDatabase } from './harness.ts'
import { definition, openWorkflows, type TestWorkflows } from './workflow-harness.ts'

interface Folder {
  test: TestWorkflows
  root: string
  put(name: string, text: string): void
  read(name: string): string
  path(name: string): string
  sync(): Promise<void>
  /** By name: what lists show of each. */
  shown(): Promise<Record<string, { version: number; file?: string; problem?: string }>>
}

async function withFolder(
  openDatabase: OpenDatabase,
  work: (folder: Folder) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, '.parley', 'workflows'), { recursive: true })
  await using test = await openWorkflows(openDatabase, { root: folder.path })
  const path = (name: string) => join(folder.path, '.parley', 'workflows', name)
  const files = test.files()
  await work({
    test,
    root: folder.path,
    path,
    put: (name, text) => writeFileSync(path(name), text),
    read: (name) => readFileSync(path(name), 'utf8'),
    sync: () => files.sync('default'),
    async shown() {
      const { items } = await test.store.listWorkflows('default', { limit: 100 })
      return Object.fromEntries(
        items.map(({ name, version, file, fileProblem }) => [
          name,
          { version, ...(file && { file }), ...(fileProblem && { problem: fileProblem }) },
        ]),
      )
    },
  })
}

const at = (name: string) => join('.parley', 'workflows', name)

describe.each(databases)('files of workflows on %s', (_name, openDatabase) => {
  it('start nothing by themselves until a person switches their triggers on', () =>
    withFolder(openDatabase, async ({ test, put, sync }) => {
      const triggers = (line: string) =>
        `triggers:\n  - { type: cron, schedule: '${line}' }\n  - { type: document_saved }\n`
      put('a.yaml', definition('fetched', 'Say hello.', triggers('* * * * *')))
      await sync()
      const list = async () => {
        const crons = await test.store.listCrons('default', { limit: 10 })
        const hooks = await test.store.listEventHooks('default', { limit: 10 })
        return [...crons.items, ...hooks.items].map(({ status }) => status)
      }
      expect(await list()).toEqual(['paused', 'paused'])
      const [cron] = (await test.store.listCrons('default', { limit: 10 })).items
      expect(cron).toMatchObject({ reason: expect.stringContaining('file of the project') })
      expect(cron!.nextFireAt).toBeUndefined()
      await test.store.updateCron('default', cron!.id, { status: 'active', reason: null })
      // whoever can write the file must not be able to have something else started
      put('a.yaml', definition('fetched', 'Say something else.', triggers('* * * * *')))
      await sync()
      expect(await list()).toEqual(['paused', 'paused'])
      const [changed] = (await test.store.listCrons('default', { limit: 10 })).items
      expect(changed).toMatchObject({ reason: expect.stringContaining('has changed') })
      expect(changed!.nextFireAt).toBeUndefined()
    }))

  it('are picked up, and their changes too', () =>
    withFolder(openDatabase, async ({ test, put, sync, shown }) => {
      put('a.yaml', definition('one'))
      put('b.yml', definition('two'))
      put('c.json', JSON.stringify({ name: 'three', steps: [{ type: 'agent', prompt: 'x' }] }))
      put('notes.txt', definition('four'))
      put('.hidden.yaml', definition('five'))
      await sync()
      expect(await shown()).toEqual({
        one: { version: 1, file: at('a.yaml') },
        two: { version: 1, file: at('b.yml') },
        three: { version: 1, file: at('c.json') },
      })
      put('a.yaml', definition('one', 'another'))
      await sync()
      await sync()
      expect((await shown()).one).toEqual({ version: 2, file: at('a.yaml') })
      const { id } = (await test.store.getWorkflowByName('default', 'one'))!
      const versions = await test.store.listWorkflowVersions(id, { limit: 10 })
      expect(versions.map(({ cause, author }) => [cause, author])).toEqual([
        ['file', 'file'],
        ['file', 'file'],
      ])
      // another name in it is another name of the same workflow
      put('a.yaml', definition('uno'))
      await sync()
      expect((await test.store.getWorkflowByName('default', 'uno'))?.id).toBe(id)
      expect(Object.keys(await shown()).sort()).toEqual(['three', 'two', 'uno'])
    }))

  it('that are not valid leave the workflow as it is and tell why', () =>
    withFolder(openDatabase, async ({ test, put, read, sync, shown }) => {
      const { store, deps, person } = test
      put('a.yaml', definition('one'))
      put('b.yaml', 'name: [\n')
      await sync()
      await sync()
      // nobody has a workflow to tell it with, so the log does, once
      expect(test.problems.filter((line) => line.includes('b.yaml'))).toHaveLength(1)
      const wrong = 'name: one\nsteps:\n  - type: nothing\n'
      put('a.yaml', wrong)
      await sync()
      const { problem, version } = (await shown()).one!
      expect(problem).toMatch(/^\.parley.workflows.a\.yaml:3:\d+: /)
      expect(version).toBe(1)
      // it is somebody's work: a save does not write over it
      const { id } = (await store.getWorkflowByName('default', 'one'))!
      await updateDefinition(deps, store, person, id, { text: definition('one', 'saved') })
      await sync()
      expect(read('a.yaml')).toBe(wrong)
      put('a.yaml', definition('one', 'mended'))
      await sync()
      expect((await shown()).one).toEqual({ version: 3, file: at('a.yaml') })
      expect((await store.getWorkflow('default', id))!.text).toContain('mended')
    }))

  it('are written when the workflow is saved, and that is no change', () =>
    withFolder(openDatabase, async ({ test, put, read, sync, shown, path }) => {
      const { store, deps, person } = test
      put('a.yaml', definition('one'))
      await sync()
      const { id } = (await store.getWorkflowByName('default', 'one'))!
      const text = definition('renamed', 'saved')
      await updateDefinition(deps, store, person, id, { text })
      await sync()
      expect(read('a.yaml')).toBe(text)
      await sync()
      await test.files().sync('default')
      expect(await shown()).toEqual({ renamed: { version: 2, file: at('a.yaml') } })
      expect(readdirSync(join(path('a.yaml'), '..'))).toEqual(['a.yaml'])
      // when both were changed the file counts, and what was saved is among the versions
      await updateDefinition(deps, store, person, id, { text: definition('renamed', 'by api') })
      put('a.yaml', definition('renamed', 'by hand'))
      await sync()
      expect((await store.getWorkflow('default', id))!.text).toContain('by hand')
      expect((await store.getWorkflowVersion(id, 3))!.text).toContain('by api')
    }))

  it('that are gone leave the workflow, and one that was moved is found again', () =>
    withFolder(openDatabase, async ({ put, sync, shown, path, root }) => {
      put('a.yaml', definition('one'))
      await sync()
      renameSync(path('a.yaml'), path('z.yaml'))
      await sync()
      expect(await shown()).toEqual({ one: { version: 1, file: at('z.yaml') } })
      rmSync(path('z.yaml'))
      await sync()
      expect(await shown()).toEqual({ one: { version: 1 } })
      put('a.yaml', definition('one', 'back'))
      await sync()
      expect(await shown()).toEqual({ one: { version: 2, file: at('a.yaml') } })
      rmSync(join(root, '.parley'), { recursive: true })
      await sync()
      expect(await shown()).toEqual({ one: { version: 2 } })
    }))

  it('of the same name: the first counts, and the other is told of', () =>
    withFolder(openDatabase, async ({ test, put, sync, shown, path }) => {
      put('a.yaml', definition('one', 'a'))
      put('b.yaml', definition('one', 'b'))
      await sync()
      expect((await shown()).one).toMatchObject({ version: 1, file: at('a.yaml') })
      expect((await shown()).one!.problem).toContain('b.yaml has the same name')
      expect((await test.store.getWorkflowByName('default', 'one'))!.text).toContain('prompt: a')
      put('b.yaml', definition('two'))
      await sync()
      expect((await shown()).one).toEqual({ version: 1, file: at('a.yaml') })
      // a name that another workflow has
      put('b.yaml', definition('one'))
      await sync()
      expect((await shown()).two!.problem).toContain('already')
      rmSync(path('a.yaml'))
      await sync()
    }))

  it('take over the workflow of their name', () =>
    withFolder(openDatabase, async ({ test, put, sync, shown }) => {
      const { store, deps, person } = test
      await createDefinition(deps, store, person, { text: definition('one', 'stored') })
      await createDefinition(deps, store, person, { text: definition('two') })
      put('a.yaml', definition('one', 'in the file'))
      put('b.yaml', definition('two'))
      await sync()
      expect(await shown()).toEqual({
        one: { version: 2, file: at('a.yaml') },
        two: { version: 1, file: at('b.yaml') },
      })
    }))

  it('are looked at by several nodes at once without a version too many', () =>
    withFolder(openDatabase, async ({ test, put, shown, read }) => {
      const { store, deps, person } = test
      const nodes = Array.from({ length: 4 }, () => test.files())
      for (const count of [1, 2, 3]) {
        put('a.yaml', definition('one', `text ${count}`))
        await Promise.all(nodes.map((node) => node.sync('default')))
        expect((await shown()).one!.version).toBe(count)
      }
      const { id } = (await store.getWorkflowByName('default', 'one'))!
      await updateDefinition(deps, store, person, id, { text: definition('one', 'saved') })
      await Promise.all(nodes.map((node) => node.sync('default')))
      await Promise.all(nodes.map((node) => node.sync('default')))
      expect((await shown()).one!.version).toBe(4)
      expect(read('a.yaml')).toContain('saved')
      expect(test.problems).toEqual([])
    }))
})

it('a file that leads out of the folder is not read', () =>
  withFolder(sqliteDatabase, async ({ test, sync, shown, path, put }) => {
    using outside = temporaryFolder()
    writeFileSync(join(outside.path, 'secret.yaml'), definition('secret'))
    symlinkSync(join(outside.path, 'secret.yaml'), path('a.yaml'))
    mkdirSync(path('folder.yaml'))
    put('long.yaml', definition('long', 'x'.repeat(3_000_000)))
    await sync()
    expect(await shown()).toEqual({})
    expect(test.problems.join()).toContain('leads out of the folder')
  }))

it.skipIf(process.platform === 'win32')('odd files keep no other from being read', () =>
  withFolder(sqliteDatabase, async ({ test, sync, shown, path, put }) => {
    execFileSync('mkfifo', [path('pipe.yaml')])
    symlinkSync('..', path('up.yaml'))
    symlinkSync('loop.yaml', path('loop.yaml'))
    put('two\nlines.yaml', definition('odd'))
    put('real.txt', definition('linked'))
    symlinkSync('real.txt', path('link.yaml'))
    await sync()
    const odd = { version: 1, file: at('two\nlines.yaml') }
    expect(await shown()).toEqual({ odd, linked: { version: 1, file: at('link.yaml') } })
    expect(test.problems.join()).toContain('is not a regular file')
    // what a link leads to is looked at each time
    put('real.txt', definition('linked', 'another'))
    await sync()
    expect((await shown()).linked).toMatchObject({ version: 2 })
  }),
)

it('of a folder with too many files the first count, and those that are known stay', () =>
  withFolder(sqliteDatabase, async ({ sync, put, test }) => {
    put('zz.yaml', definition('zz'))
    await sync()
    for (let number = 100; number < 301; number++) put(`a${number}.yaml`, definition(`n${number}`))
    await sync()
    const known = await test.store.listWorkflowFiles('default')
    expect(known).toHaveLength(201)
    expect(known.at(-1)).toMatchObject({ name: 'zz', file: at('zz.yaml') })
  }))

it('in a data folder is not read', async () => {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, '.parley')
  mkdirSync(join(dataDir, 'workflows'), { recursive: true })
  writeFileSync(join(dataDir, 'workflows', 'a.yaml'), definition('one'))
  await using parley = await createParley({ dataDir, scopes: { default: { root: folder.path } } })
  expect((await parley.workflows.list()).items).toEqual([])
})

it('a Parley picks up files by itself, writes what is saved, and deletes a file with its workflow', async () => {
  using folder = temporaryFolder()
  await using database = await sqliteDatabase()
  const file = join(folder.path, '.parley', 'workflows', 'a.yaml')
  mkdirSync(join(file, '..'), { recursive: true })
  await using parley = await createParley({
    ...toOptions(database),
    scopes: { default: { root: folder.path } },
  })
  writeFileSync(file, definition('one'))
  await expect.poll(() => parley.store.getWorkflowByName('default', 'one')).toBeDefined()
  const [workflow] = (await parley.workflows.list()).items
  await parley.workflows.update(workflow!.id, { text: definition('one', 'saved') })
  expect(readFileSync(file, 'utf8')).toContain('saved')
  await parley.workflows.rollback(workflow!.id, { version: 1 })
  expect(readFileSync(file, 'utf8')).toContain('hello')
  await parley.workflows.delete(workflow!.id)
  expect(existsSync(file)).toBe(false)
  expect((await parley.workflows.list()).items).toEqual([])
})

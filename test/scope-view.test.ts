/** What a prompt says of the scope: documents, todo lists and files, and nothing that the session may not look at. */
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createScopeContext } from '../src/core/chat/scope-context.ts'
import { createPermissionReaders } from '../src/core/compose/permission-readers.ts'
import { createScopeViewReader } from '../src/extensions/documents/scope-view.ts'
import type { ParleyOptions } from '../src/parley.ts'
import { createParley } from '../src/parley.ts'
import { countStatements } from './counted-statements.ts'
import { createScripted, says } from './chat-harness.ts'
import { types } from './built-in-recipes.ts'
import { anyDatabase, sqliteDatabase, temporaryFolder, toOptions, type OpenDatabase } from './harness.ts'

async function open(openDatabase: OpenDatabase, options: Partial<ParleyOptions> = {}) {
  const database = await openDatabase()
  const folder = temporaryFolder()
  const root = join(realpathSync(folder.path), 'project')
  mkdirSync(root)
  const model = createScripted(() => says('ok'))
  const parley = await createParley({
    ...toOptions(database),
    scopes: { home: { root } },
    models: { model: 'scripted/x', extra: { scripted: () => model } },
    ...options,
  })
  return {
    parley,
    root,
    write: (path: string, text = '') => writeFileSync(join(root, path), text),
    /** The view that goes with an input of a session, a new one unless it is named. */
    async seen(
      content = 'hi',
      {
        scope = 'home',
        sessionId = '',
        ...more
      }: Record<string, unknown> & { scope?: string; sessionId?: string } = {},
    ) {
      const id = sessionId || (await parley.sessions.create({ scope })).id
      await parley.sessions.chat(id, { scope, content, ...more })
      return viewIn(JSON.stringify(model.requests.at(-1)!.messages.at(-1)))
    },
    model,
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const viewIn = (text: string) =>
  /<workspace_context[^>]*>\\n(.*?)\\n<\/workspace_context>/
    .exec(text)?.[1]
    ?.replaceAll('\\n', '\n')
    .replaceAll('\\"', '"')

describe.each(anyDatabase)('what a prompt says of a scope, on %s', (_name, openDatabase) => {
  it('names its documents, todo lists and files, in an order that does not change', async () => {
    await using test = await open(openDatabase)
    const { documents, todos } = test.parley
    const b = await documents.create({ scope: 'home', title: 'B', content: 'x', folder: 'notes' })
    const a = await documents.create({ scope: 'home', title: 'A "quoted"  line', content: 'x' })
    const list = await todos.create({
      scope: 'home',
      title: 'Release',
      items: [{ title: 'write' }, { title: 'test', status: 'doing' }, { title: 'plan', status: 'done' }],
    })
    test.write('README.md')
    test.write('.hidden')
    test.write('ignored.log')
    test.write('.gitignore', '*.log\n')
    mkdirSync(join(test.root, 'src'))
    symlinkSync('/etc', join(test.root, 'elsewhere'))
    expect(await test.seen()).toBe(
      [
        'Documents:',
        `- "A "quoted" line", ${a.id}`,
        `- "B" in notes/, ${b.id}`,
        'Todo lists:',
        `- "Release", ${list.id}: 2 open, 1 done`,
        '  - write',
        '  - test (doing)',
        'Files: README.md, src/',
      ].join('\n'),
    )
  })

  it('is sent when it changed and not otherwise, and says when there is nothing left', async () => {
    await using test = await open(openDatabase)
    const { documents } = test.parley
    const { id } = await documents.create({ scope: 'home', title: 'Plan', content: 'x' })
    const { id: sessionId } = await test.parley.sessions.create({ scope: 'home' })
    const next = () => test.seen('go on', { sessionId })
    expect(await next()).toContain('Plan')
    expect(await next()).toBeUndefined()
    await documents.update(id, { scope: 'home', content: 'another text' })
    expect(await next()).toBeUndefined()
    await documents.update(id, { scope: 'home', title: 'Goal' })
    expect(await next()).toContain('Goal')
    // a turn that does without it says nothing of it, and changes nothing for the next one
    await test.parley.sessions.chat(sessionId, { scope: 'home', content: 'x', includeScopeContext: false })
    expect(JSON.stringify(test.model.requests.at(-1)!.messages.at(-1))).not.toContain('workspace_context')
    expect(await next()).toBeUndefined()
    await documents.delete(id, { scope: 'home' })
    await test.parley.sessions.chat(sessionId, { scope: 'home', content: 'x' })
    expect(JSON.stringify(test.model.requests.at(-1)!.messages.at(-1))).toContain(
      '<workspace_context>none any more</workspace_context>',
    )
  })

  it('goes first with what tasks and steps of workflows are asked', async () => {
    await using test = await open(openDatabase)
    const { parley, model } = test
    test.write('README.md')
    const first = () => {
      const [{ content } = { content: [] }] = model.requests.at(-1)!.messages
      return (content[0] as { text: string }).text
    }
    const view = '<context>\n<workspace_context scope="home">\nFiles: README.md\n</workspace_context>\n\n'
    await parley.background.triggerSync('home', { prompt: 'work' }, { triggerType: 'api' })
    expect(first().startsWith(view)).toBe(true)
    const text = '{"name": "job", "steps": [{"id": "one", "type": "agent", "prompt": "work"}]}'
    const { id } = await parley.workflows.create({ scope: 'home', text })
    const asked = model.requests.length
    await parley.workflows.run(id, { scope: 'home' })
    await expect.poll(() => model.requests.length).toBeGreaterThan(asked)
    expect(first().startsWith(view)).toBe(true)
  })

  it('is not there for a scope that has nothing, and for those who do not want it', async () => {
    await using test = await open(openDatabase)
    expect(await test.seen('hi', { scope: 'default' })).toBeUndefined()
    expect(await test.seen()).toBeUndefined()
    expect(JSON.stringify(test.model.requests)).not.toContain('workspace_context')
    test.write('README.md')
    expect(await test.seen('hi', { includeScopeContext: false })).toBeUndefined()
    expect(await test.seen()).toBe('Files: README.md')
  })

  it('shows no other scope, and is bounded', async () => {
    await using test = await open(openDatabase, { chat: { maxScopeContext: 500 } })
    const { documents, todos } = test.parley
    await documents.create({ title: 'Of another scope', content: 'x' })
    for (let index = 0; index < 12; index++) {
      await documents.create({ scope: 'home', title: `Document ${'long '.repeat(40)}${index}`, content: 'x' })
      await todos.create({ scope: 'home', title: `List ${index}`, items: [{ title: `item ${index}` }] })
      test.write(`file ${index}`)
    }
    const seen = (await test.seen())!
    expect(seen.length).toBeLessThanOrEqual(500)
    expect(seen).toContain('[Cut: there is more.]')
    expect(seen).toContain('Documents (the newest; the tool "document" lists more):')
    expect(seen).not.toContain('another scope')
    expect(seen.split('\n').every((line) => line.length < 150)).toBe(true)
  })
})

describe('what a session may not look at', () => {
  it('is not shown', async () => {
    await using test = await open(sqliteDatabase, {
      permissions: {
        rules: [
          { tool: 'file', path: 'secret*', decision: 'deny' },
          { tool: 'file', path: 'ask*', decision: 'ask' },
        ],
      },
    })
    const { parley } = test
    const open_ = await parley.documents.create({ scope: 'home', title: 'Open', content: 'x' })
    const closed = await parley.documents.create({ scope: 'home', title: 'Closed', content: 'x' })
    await parley.todos.create({ scope: 'home', title: 'Tasks', items: [{ title: 'mend it' }] })
    for (const name of ['secret.txt', 'ask.txt', 'free.txt']) test.write(name)
    const seenBy = async (session: object) => {
      const { id } = await parley.sessions.create({ scope: 'home', ...session })
      return (await test.seen('hi', { sessionId: id })) ?? ''
    }
    const all = await seenBy({})
    for (const name of ['Open', 'Closed', 'Tasks', 'mend it', 'free.txt']) expect(all).toContain(name)
    for (const name of ['secret', 'ask.txt']) expect(all).not.toContain(name)
    const rules = [{ tool: 'document', path: `document:${closed.id}`, decision: 'deny' }]
    const some = await seenBy({ permissionRules: rules })
    expect(some).toContain(open_.id)
    expect(some).not.toContain('Closed')
    expect(await seenBy({ toolGroups: { workspace: false } })).not.toContain('free.txt')
    expect(await seenBy({ toolGroups: { document: false } })).not.toContain('Open')
    expect(await seenBy({ toolGroups: { todo: false } })).not.toContain('Tasks')
    expect(await seenBy({ allowedTools: ['todo'] })).toBe(
      (await seenBy({}))
        .split('\n')
        .filter((line) => /Todo|Tasks|mend/.test(line))
        .join('\n'),
    )
    expect(await seenBy({ permissionRules: [{ tool: '*', decision: 'deny' }] })).toBe('')
  })

  it('is the data folder of Parley, where it lies in the folder of the scope', async () => {
    using folder = temporaryFolder()
    const root = realpathSync(folder.path)
    const dataDir = join(root, 'data')
    writeFileSync(join(root, 'mine.txt'), '')
    const model = createScripted(() => says('ok'))
    await using parley = await createParley({
      dataDir,
      scopes: { default: { root } },
      models: { model: 'scripted/x', extra: { scripted: () => model } },
    })
    await parley.sessions.chat((await parley.sessions.create()).id, 'hi')
    expect(viewIn(JSON.stringify(model.requests[0]!.messages))).toBe('Files: mine.txt')
  })
})

describe('what it costs', () => {
  const arrange = async (options: ParleyOptions = {}) => {
    const counted = countStatements()
    const database = await sqliteDatabase()
    const store = await database.open()
    await store.ensureScope('default')
    const { readSight } = createPermissionReaders(store, options)
    const context = createScopeContext(store, {
      readSight,
      readView: createScopeViewReader(store),
      maxScopeContext: options.chat?.maxScopeContext,
      types,
    })
    return {
      store,
      async costOf(session: Parameters<typeof store.createSession>[0], input: object = {}) {
        const record = await store.createSession(session)
        const start = await store.requireTurnStart(record.scope, record.id)
        counted.texts.length = 0
        const { workspace } = await context.read(record, { message: { id: 'm', parts: [] }, ...input }, start)
        return { statements: counted.texts.length, isShown: workspace !== undefined }
      },
      async [Symbol.asyncDispose]() {
        await context.stop()
        await store.close()
        await database[Symbol.asyncDispose]()
        counted[Symbol.dispose]()
      },
    }
  }
  const interactive = { scope: 'default' }

  it('is no statement more where there is nothing to show, or nobody to show it to', async () => {
    await using test = await arrange()
    const without = await test.costOf(interactive, { includeScopeContext: false })
    expect(without).toEqual({ statements: 0, isShown: false })
    expect(await test.costOf(interactive)).toEqual(without)
    await test.store.createDocument(
      { scope: 'default', title: 'A', folder: '', content: '' },
      { actor: { type: 'user', id: 'x' } },
    )
    const management = {
      scope: 'default',
      kind: 'tool' as const,
      toolMeta: { source: 'workflow-management' },
    }
    expect(await test.costOf(management)).toEqual(without)
    expect(await test.costOf({ scope: 'default', planId: undefined, mode: 'plan' })).toEqual(without)
    // what is set for the scope decides what may be shown
    expect(await test.costOf(interactive)).toEqual({ statements: 2, isShown: true })
  })

  it('is nothing when it is switched off', async () => {
    await using test = await arrange({ chat: { maxScopeContext: 0 } })
    await test.store.createDocument(
      { scope: 'default', title: 'A', folder: '', content: '' },
      { actor: { type: 'user', id: 'x' } },
    )
    expect(await test.costOf(interactive)).toEqual({ statements: 0, isShown: false })
  })
})

it('a folder that is gone costs a turn nothing but the view of it', async () => {
  await using test = await open(sqliteDatabase)
  rmSync(test.root, { recursive: true })
  expect(await test.seen()).toBeUndefined()
})

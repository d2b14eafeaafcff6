import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createParley, type Parley } from '../src/parley.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { databases, sqliteDatabase, temporaryFolder, toOptions, type TestDatabase } from './harness.ts'
import { takeSeed } from './seed.ts'

type FileCall = { action: string; path: string } & Record<string, unknown>

/** A Parley whose model makes the calls that it is told to, a turn's worth at a time. */
async function open(database: TestDatabase, folder: string) {
  const root = join(folder, 'scope')
  mkdirSync(root, { recursive: true })
  let next: FileCall[] = []
  const model = createScripted(({ messages }) => {
    const wanted = next
    next = []
    return messages.at(-1)?.role === 'tool' || wanted.length === 0
      ? says('Done.')
      : calls(...wanted.map((call): [string, unknown] => ['file', call]))
  })
  const parley = await createParley({
    ...toOptions(database),
    scopes: { default: { root } },
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    permissions: { mode: 'bypassPermissions' },
    shutdownMs: 200,
  })
  return {
    root: realpathSync(root),
    parley,
    async turn(session: Session, wanted: FileCall[]) {
      next = wanted
      await parley.sessions.chat(session.id, 'Do it')
    },
  }
}

/** All files below a folder with what they hold. */
function treeOf(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const shown = path.slice(root.length + 1)
    return entry.isFile() ? ([shown, readFileSync(path, 'utf8')] as const) : ([`${shown}/`, ''] as const)
  })
  return Object.fromEntries(files.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

const checkpointsOf = async (parley: Parley, session: Session) =>
  (await parley.sessions.checkpoints(session.id)).items

describe.each(databases)('rollback, on %s', (_, openDatabase) => {
  it('brings files, log and checkpoints back to before a turn, also after a restart', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const first = await open(database, folder.path)
    writeFileSync(join(first.root, 'kept.md'), 'before')
    writeFileSync(join(first.root, 'gone.md'), 'to be deleted')
    const session = await first.parley.sessions.create()
    await first.turn(session, [])
    const before = treeOf(first.root)
    await first.turn(session, [
      { action: 'write', path: 'kept.md', content: 'changed' },
      { action: 'delete', path: 'gone.md' },
      { action: 'write', path: 'deep/er/new.md', content: 'new' },
    ])
    await first.turn(session, [{ action: 'write', path: 'kept.md', content: 'changed twice' }])
    expect(treeOf(first.root)).toEqual({
      'deep/': '',
      'deep/er/': '',
      'deep/er/new.md': 'new',
      'kept.md': 'changed twice',
    })
    const places = await checkpointsOf(first.parley, session)
    expect(places.map(({ changes }) => changes)).toEqual([0, 3, 1])
    expect(places.map(({ changesByKind }) => changesByKind)).toEqual([{}, { file: 3 }, { file: 1 }])
    await first.parley.close()

    const second = await open(database, folder.path)
    await using _parley = second.parley
    const [, place] = await checkpointsOf(second.parley, session)
    const undone = await second.parley.sessions.rollback(session.id, { checkpointId: place!.id })
    expect(undone).toMatchObject({
      restored: [join(second.root, 'gone.md'), join(second.root, 'kept.md')],
      removed: [join(second.root, 'deep/er/new.md')],
      failed: [],
      session: { messageCount: 2 },
    })
    expect(treeOf(second.root)).toEqual(before)
    expect((await second.parley.sessions.messages(session.id)).items).toHaveLength(2)
    expect(await checkpointsOf(second.parley, session)).toHaveLength(1)
    // who opens it sees the turn that is left, not one that was undone
    const seen = new Set<string>()
    for await (const { events } of second.parley.sessions.observe(session.id))
      for (const { chunk } of events) if (chunk.type === 'start') seen.add(chunk.messageId)
    const { items: left } = await second.parley.sessions.messages(session.id)
    expect([...seen]).toEqual([left.at(-1)!.id])
    // and it goes on from there
    await second.turn(session, [{ action: 'write', path: 'kept.md', content: 'another way' }])
    expect(treeOf(second.root)['kept.md']).toBe('another way')
    expect((await second.parley.sessions.messages(session.id)).items.map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4,
    ])
  })

  it('leaves files alone where that is wanted, and knows no checkpoint of another session', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { parley, root, turn } = await open(database, folder.path)
    await using _parley = parley
    const [session, other] = [await parley.sessions.create(), await parley.sessions.create()]
    await turn(session, [{ action: 'write', path: 'a.md', content: 'a' }])
    const [place] = await checkpointsOf(parley, session)
    await expect(parley.sessions.rollback(other.id, { checkpointId: place!.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await parley.sessions.rollback(session.id, { checkpointId: place!.id, restoreFiles: false })
    expect(treeOf(root)).toEqual({ 'a.md': 'a' })
    expect((await parley.sessions.get(session.id)).messageCount).toBe(0)
  })
})

const name = fc.constantFrom('a', 'b', 'c/a', 'c/b', 'd/e/f')
const content = fc.string({ maxLength: 8 })
const change: fc.Arbitrary<FileCall> = fc.oneof(
  fc.record({ action: fc.constant('write'), path: name, content }),
  fc.record({ action: fc.constant('delete'), path: name }),
  fc.record({ action: fc.constant('move'), path: name, to: name, overwrite: fc.boolean() }),
  fc.record({
    action: fc.constant('edit'),
    path: name,
    edits: fc.constant([{ old: 'a', new: 'bb', all: true }]),
  }),
  fc.record({ action: fc.constant('delete'), path: fc.constantFrom('c', 'd'), recursive: fc.constant(true) }),
)

it('equals the tree as it was at any checkpoint, whatever the turns did', async () => {
  await using database = await sqliteDatabase()
  using folder = temporaryFolder()
  const { parley, root, turn } = await open(database, folder.path)
  await using _parley = parley
  const turns = fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(turns, fc.nat(), async (wanted, at) => {
      const session = await parley.sessions.create()
      const trees: Record<string, string>[] = []
      for (const changes of wanted) {
        trees.push(filesIn(treeOf(root)))
        // one after another: those of one step are made at once
        await turn(session, changes.slice(0, 1))
        for (const more of changes.slice(1)) {
          trees.push(filesIn(treeOf(root)))
          await turn(session, [more])
        }
      }
      const places = await checkpointsOf(parley, session)
      expect(places).toHaveLength(trees.length)
      const index = at % places.length
      const { failed } = await parley.sessions.rollback(session.id, { checkpointId: places[index]!.id })
      expect(failed).toEqual([])
      expect(filesIn(treeOf(root))).toEqual(trees[index])
    }),
    { numRuns: Number(process.env.PARLEY_TEST_ROLLBACKS ?? 20), seed: takeSeed() },
  )
})

/** Folders that hold nothing are not kept. */
const filesIn = (tree: Record<string, string>) =>
  Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')))

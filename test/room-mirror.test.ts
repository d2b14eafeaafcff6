import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createParley, type Parley } from '../src/index.ts'
import { roomSeatSource } from '../src/extensions/room/protocol/session-kinds.ts'
import { readThreadFolders } from '../src/extensions/room/import/thread-folder.ts'
import { looseRules } from '../src/core/sessions/formats/document.ts'
import { formats } from '../src/core/sessions/formats/format.ts'
import { startMirror } from '../src/core/sessions/mirror.ts'
import { openRooms } from './room-harness.ts'
import { anyDatabase, temporaryFolder, toOptions, type OpenDatabase } from './harness.ts'

const said = (text: string) => [{ type: 'text', text }]

/** A Parley with a mirror, both gone with the block. */
async function openMirrored(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const folder = temporaryFolder()
  const parley = await createParley(toOptions(database))
  const mirror = startMirror(
    parley.store,
    folder.path,
    (error) => {
      throw error
    },
    parley.chats.types.of,
  )
  return {
    parley,
    mirror,
    dir: folder.path,
    /** All files of the mirror, when it is in step. */
    async files() {
      await mirror.settle()
      return globSync('threads/**/*.json*', { cwd: folder.path }).sort()
    },
    read: (path: string) => readFileSync(join(folder.path, path), 'utf8'),
    async [Symbol.asyncDispose]() {
      await mirror.stop()
      await parley.close()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** As the command line does it. */
async function importFolder({ sessions }: Parley, path: string): Promise<void> {
  for await (const { document } of readThreadFolders(path))
    await sessions.import(formats.json.write(document, looseRules))
}

async function addRoom({ store, threads }: Parley) {
  await threads.create({ slug: 'launch', title: 'Launch' })
  const room = await store.createSession({
    scope: 'default',
    title: 'The room',
    mode: 'free_chat',
    modeState: { turn: 1 },
    agents: ['mira', 'pip'],
    room: { policy: 'round-robin' },
    thread: 'launch',
  })
  await store.appendMessages('default', room.id, [
    { role: 'user', parts: said('@米拉 hello'), metadata: { from: 'operator' } },
    {
      role: 'assistant',
      parts: [
        ...said('Let me look.'),
        { type: 'dynamic-tool', toolName: 'file', toolCallId: 'c1', state: 'output-available', output: 'x' },
      ],
      metadata: { agent: 'mira', round: 1, usage: { inputTokens: 7, outputTokens: 3 } },
    },
    { role: 'assistant', parts: said('Night falls.'), metadata: { round: 1 } },
  ])
  const seat = await store.createSession({
    scope: 'default',
    kind: 'tool',
    parentId: room.id,
    title: 'mira',
    toolMeta: { source: roomSeatSource },
  })
  await store.appendMessages('default', seat.id, [{ role: 'user', parts: said('You are the wolf.') }])
  return room
}

describe.each(anyDatabase)('the mirror of a room on %s', (_name, openDatabase) => {
  it('says which model answered and how long that took', async () => {
    await using opened = await openRooms(openDatabase, () => 'ok')
    using folder = temporaryFolder()
    const mirror = startMirror(
      opened.parley.store,
      folder.path,
      (error) => {
        throw error
      },
      opened.parley.chats.types.of,
    )
    const room = await opened.room(['mira', 'quill'])
    const plain = (await opened.parley.sessions.create({})).id
    await opened.say(room, 'hello')
    await opened.parley.sessions.chat(plain, 'hello')
    await mirror.settle()
    await mirror.stop()
    for (const id of [room, plain]) {
      const [path] = globSync(`threads/*/sessions/${id}/messages.jsonl`, { cwd: folder.path })
      const [first, ...rows] = readFileSync(join(folder.path, path!), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
      expect(first).toMatchObject({ provider: null, model: null, duration_ms: null })
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows)
        expect(row).toMatchObject({
          provider: 'scripted',
          model: 'scripted/room',
          duration_ms: expect.any(Number) as number,
        })
    }
  })

  it('can be imported elsewhere: the same messages, agents, thread and mode', async () => {
    await using from = await openMirrored(openDatabase)
    const room = await addRoom(from.parley)
    const place = `threads/launch/sessions/${room.id}`
    expect(await from.files()).toEqual([
      `${place}/messages.jsonl`,
      `${place}/meta.json`,
      'threads/launch/thread.json',
    ])
    expect(JSON.parse(from.read('threads/launch/thread.json'))).toMatchObject({
      slug: 'launch',
      title: 'Launch',
      archived_at: null,
    })
    expect(JSON.parse(from.read(`${place}/meta.json`))).toMatchObject({
      thread_id: room.id,
      mode: 'free_chat',
      mode_state: { turn: 1 },
      parent_thread: 'launch',
      scope: 'default',
    })
    const rows = from
      .read(`${place}/messages.jsonl`)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows).toMatchObject([
      { sender: 'operator', sender_type: 'user', cat_name: null, text: '@米拉 hello' },
      { sender: 'mira', sender_type: 'cat', cat_name: 'mira', input_tokens: 7, output_tokens: 3 },
      { sender: 'room', sender_type: 'system', cat_name: null, text: 'Night falls.' },
    ])

    await using database = await openDatabase()
    await using to = await createParley(toOptions(database))
    await importFolder(to, from.dir)
    const { items } = await to.sessions.list({ thread: 'launch' })
    expect(items).toMatchObject([
      {
        id: room.id,
        title: 'The room',
        mode: 'free_chat',
        modeState: { turn: 1 },
        agents: ['mira', 'pip'],
        room: { policy: 'round-robin' },
        thread: 'launch',
        createdAt: room.createdAt,
      },
    ])
    const log = ({ sessions }: Parley) => sessions.messages(room.id)
    expect(await log(to)).toEqual(await log(from.parley))
    expect((await to.threads.list()).items).toMatchObject([{ slug: 'launch', sessionCount: 1 }])
  })

  it('never holds what an agent has to itself', async () => {
    await using mirrored = await openMirrored(openDatabase)
    await addRoom(mirrored.parley)
    for (const path of await mirrored.files()) expect(mirrored.read(path)).not.toContain('wolf')
    // nor what was stored while no mirror ran
    const folder = temporaryFolder()
    using _folder = folder
    const later = startMirror(
      mirrored.parley.store,
      folder.path,
      (error) => {
        throw error
      },
      mirrored.parley.chats.types.of,
    )
    await later.settle()
    await later.stop()
    const paths = globSync('threads/**/*.json*', { cwd: folder.path })
    expect(paths).toHaveLength(3)
    for (const path of paths) expect(readFileSync(join(folder.path, path), 'utf8')).not.toContain('wolf')
  })

  it('moves with its thread, and leaves nothing behind', async () => {
    await using mirrored = await openMirrored(openDatabase)
    const { parley, files } = mirrored
    const { id } = await parley.sessions.create({ title: 'x' })
    await parley.sessions.append(id, { role: 'user', content: 'hi' })
    const at = (folder: string) =>
      ['messages.jsonl', 'meta.json'].map((file) => `${folder}/sessions/${id}/${file}`)
    expect(await files()).toEqual(at('threads/default'))
    await parley.threads.create({ slug: 'a' })
    await parley.threads.create({ slug: 'b' })
    await parley.sessions.update(id, { thread: 'a' })
    expect(await files()).toEqual([...at('threads/a'), 'threads/a/thread.json', 'threads/b/thread.json'])
    await parley.sessions.update(id, { thread: 'b' })
    expect(await files()).toEqual(['threads/a/thread.json', ...at('threads/b'), 'threads/b/thread.json'])
    await parley.threads.update('b', { archived: true, reason: 'over' })
    await files()
    expect(JSON.parse(mirrored.read('threads/b/thread.json'))).toMatchObject({ archive_reason: 'over' })
    await parley.threads.delete('b')
    expect(await files()).toEqual(['threads/a/thread.json', ...at('threads/default')])
    expect(existsSync(join(mirrored.dir, 'threads/b'))).toBe(false)
    await parley.sessions.delete(id)
    expect(await files()).toEqual(['threads/a/thread.json'])
  })

  it('keeps threads of two scopes apart, whatever they are called', async () => {
    await using mirrored = await openMirrored(openDatabase)
    const { parley, files } = mirrored
    const paths: string[] = []
    for (const [scope, thread, folder] of [
      ['default', 'notes', 'notes'],
      ['other', 'notes', 'other.notes'],
      ['notes', 'notes', 'notes.notes'],
      ['notes', undefined, 'notes'],
    ] as const) {
      if (thread) await parley.threads.create({ scope, slug: thread, title: `of ${scope}` })
      const { id } = await parley.sessions.create({ scope, thread, title: `of ${scope}` })
      paths.push(`threads/${folder}/sessions/${id}/meta.json`)
      if (thread) paths.push(`threads/${folder}/thread.json`)
    }
    expect((await files()).filter((path) => path.endsWith('.json'))).toEqual(paths.sort())
    for (const path of paths) {
      const { scope, title } = JSON.parse(mirrored.read(path)) as Record<string, string>
      expect(title).toBe(`of ${scope}`)
    }
  })
})

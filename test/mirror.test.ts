import { appendFileSync, existsSync, readFileSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createParley } from '../src/index.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { readThreadFolders } from '../src/extensions/room/import/thread-folder.ts'
import { startMirror } from '../src/core/sessions/mirror.ts'
import { temporaryFolder } from './harness.ts'

const failOn = (error: unknown) => {
  throw error
}

it('keeps meta.json and messages.jsonl of every session as it changes', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const mirrorDir = join(folder.path, 'mirror')
  const early = await parley.sessions.create({ title: 'Before the mirror' })
  await parley.sessions.append(early.id, { role: 'user', content: 'old' })
  const mirror = startMirror(parley.store, mirrorDir, failOn)
  const late = await parley.sessions.create({ title: 'After', scope: 'notes' })
  for (let index = 0; index < 20; index++)
    await parley.sessions.append(late.id, { scope: 'notes', role: 'user', content: `line ${index}` })
  await parley.sessions.update(late.id, { scope: 'notes', title: 'Renamed 标题' })
  await mirror.settle()

  const read = (scope: string, id: string) => {
    const place = join(mirrorDir, 'threads', scope, 'sessions', id)
    const lines = readFileSync(join(place, 'messages.jsonl'), 'utf8').trim().split('\n')
    return {
      meta: JSON.parse(readFileSync(join(place, 'meta.json'), 'utf8')),
      texts: lines.map((line) => JSON.parse(line).text),
      files: readdirSync(place),
    }
  }
  expect(read('default', early.id)).toMatchObject({
    meta: { thread_id: early.id, title: 'Before the mirror' },
    texts: ['old'],
  })
  expect(read('notes', late.id).meta).toMatchObject({ title: 'Renamed 标题', parent_thread: 'notes' })
  expect(read('notes', late.id).texts).toEqual(Array.from({ length: 20 }, (_, index) => `line ${index}`))
  expect(read('notes', late.id).files.toSorted()).toEqual(['messages.jsonl', 'meta.json'])

  await parley.sessions.delete(late.id, { scope: 'notes' })
  await mirror.settle()
  expect(existsSync(join(mirrorDir, 'threads', 'notes', 'sessions', late.id))).toBe(false)
  await mirror.stop()
})

it('mends torn and lost lines from the store, and can be imported as a folder of threads', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const mirrorDir = join(folder.path, 'mirror')
  const { id } = await parley.sessions.create({ title: 'Torn' })
  const say = (content: string) => parley.sessions.append(id, { role: 'user', content })
  const mirrorOnce = async () => {
    const mirror = startMirror(parley.store, mirrorDir, failOn)
    await mirror.settle()
    await mirror.stop()
  }
  const file = join(mirrorDir, 'threads', 'default', 'sessions', id, 'messages.jsonl')
  const texts = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).text)
  await say('one')
  await say('two')
  await mirrorOnce()
  appendFileSync(file, '{"id":"half a li')
  await say('three')
  await mirrorOnce()
  expect(texts()).toEqual(['one', 'two', 'three'])
  truncateSync(file, 10)
  await mirrorOnce()
  expect(texts()).toEqual(['one', 'two', 'three'])

  const found = await Array.fromAsync(readThreadFolders(mirrorDir))
  expect(found).toMatchObject([{ problems: [], document: { session: { id, title: 'Torn' } } }])
  expect(found[0]!.document.messages.map(({ role, parts = [] }) => [role, messageText({ parts })])).toEqual([
    ['user', 'one'],
    ['user', 'two'],
    ['user', 'three'],
  ])
})

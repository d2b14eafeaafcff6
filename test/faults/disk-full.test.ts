import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { startServer } from '../server-process.ts'
import { needProgram } from '../runner/provision.ts'

// the server gets a small disk of its own, in a mount namespace that ends with it
const smallDisk = async (folder: string) => {
  const isRoot = process.getuid?.() === 0
  return [
    await needProgram('unshare'),
    ...(isRoot ? [] : ['-Ur']),
    '-m',
    'sh',
    '-c',
    `mount -t tmpfs -o size=8m tmpfs ${folder} && exec "$@"`,
    'sh',
  ]
}

it('answers 507 when the disk is full, stores nothing of it, still reads, and works again when there is room', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-disk-'))
  const server = await startServer({ env: { PARLEY_DATA_DIR: folder }, wrapper: await smallDisk(folder) })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create({ title: 'Small disk' })
  const ballast = `/proc/${server.child.pid}/root${join(folder, 'ballast')}`
  writeFileSync(ballast, Buffer.alloc(3 * 1024 ** 2))

  const acknowledged: string[] = []
  const refusals: unknown[] = []
  for (let index = 0; index < 400 && refusals.length < 5; index++) {
    const text = `${index} ${'x'.repeat(20_000)}`
    await sessions.append(id, { role: 'user', content: text }).then(
      () => acknowledged.push(text),
      (error) => refusals.push(error),
    )
  }
  expect(refusals).toHaveLength(5)
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'storage_full' })
  expect(acknowledged.length).toBeGreaterThan(20)
  expect(await readTexts()).toEqual(acknowledged)

  rmSync(ballast)
  await sessions.append(id, { role: 'user', content: 'there is room again' })
  expect(await readTexts()).toEqual([...acknowledged, 'there is room again'])
  expect((await server.kill('SIGTERM')).code).toBe(0)
  rmSync(folder, { recursive: true })

  async function readTexts() {
    const { items } = await sessions.messages(id, { limit: 200 })
    const earlier =
      items[0]!.seq > 1 ? (await sessions.messages(id, { before: items[0]!.seq, limit: 200 })).items : []
    return [...earlier, ...items].map(messageText)
  }
})

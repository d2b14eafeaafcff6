import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createBackup } from '../../src/backup/create-backup.ts'
import { restoreBackup } from '../restore.ts'
import { createClient } from '../../src/client/index.ts'
import { messageText } from '../../src/core/protocol/message-text.ts'
import { exportFormats } from '../../src/core/protocol/session.ts'
import { createParley } from '../../src/index.ts'
import { checkDatabase } from '../../src/core/store/sqlite/database-file.ts'
import { temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'

/** A release takes a thousand. */
const count = Number(process.env.PARLEY_TEST_EXPORTS ?? 40)
const writers = 3

it('a backup under load holds all that was acknowledged before it began, once and in order', async () => {
  using folder = temporaryFolder()
  const [dataDir, restored, target] = ['data', 'restored', 'backup'].map((name) => join(folder.path, name))
  const config = join(folder.path, 'parley.yaml')
  // what the backup catches in the middle of a turn is to be taken up soon
  writeFileSync(config, 'chat: { leaseMs: 5000 }\n')
  const start = (folderOf: string) =>
    startServer({ env: { PARLEY_DATA_DIR: folderOf, PARLEY_CONFIG: config } })
  const server = await start(dataDir!)
  const client = createClient({ baseUrl: server.url })
  const texts = new Map<string, string[]>()
  let isStopped = false

  const write = async (name: string) => {
    const { id } = await client.sessions.create({ title: name })
    const acknowledged: string[] = []
    texts.set(id, acknowledged)
    while (!isStopped) {
      const text = `${name} ${acknowledged.length} ${'x'.repeat(2_000)}`
      await client.sessions.append(id, { role: 'user', content: text })
      acknowledged.push(text)
    }
  }
  const talk = async () => {
    const { id } = await client.sessions.create({ title: 'turns' })
    while (!isStopped) await client.sessions.chat(id, 'long 100')
  }
  const load = [...Array.from({ length: writers }, (_, index) => write(`writer ${index}`)), talk()]
  // enough to be copied in several steps
  const { id: large } = await client.sessions.create({ title: 'large' })
  for (let index = 0; index < 5; index++)
    await client.sessions.append(large, { role: 'user', content: 'y'.repeat(2_000_000) })
  await expect
    .poll(() => [...texts.values()].filter((list) => list.length > 20).length, { timeout: 200_000 })
    .toBe(writers)

  // in this process, since a command takes so long to start that what was acknowledged before is elsewhere by then
  const now = () => new Map([...texts].map(([id, list]) => [id, [...list]]))
  const sum = (lists: Map<string, string[]>) => [...lists.values()].flat().length
  let before = now()
  const backUp = () =>
    createBackup({
      dataDir: dataDir!,
      target: target!,
      version: '1.0.0',
      force: true,
      onStart: () => (before = now()),
    })
  // one during which the load went on, or this would show nothing
  do await backUp()
  while (sum(now()) === sum(before))
  isStopped = true
  await Promise.all(load)
  await server.kill('SIGTERM')

  await restoreBackup({ source: target!, dataDir: restored! })
  const copy = await start(restored!)
  const { sessions, runs } = createClient({ baseUrl: copy.url })
  for (const [id, acknowledged] of before) {
    const stored: string[] = []
    for (let next: number | null = 0; next !== null;) {
      const page = await sessions.messages(id, { after: next, limit: 200 })
      expect(page.items.map(({ seq }) => seq)).toEqual(page.items.map((_, index) => next! + index + 1))
      stored.push(...page.items.map(messageText))
      next = page.nextCursor === null ? null : Number(page.nextCursor)
    }
    expect(stored.slice(0, acknowledged.length)).toEqual(acknowledged)
    // what came later is there up to one moment, without a gap
    expect(stored).toEqual([...texts.get(id)!].slice(0, stored.length))
  }
  const open = async () => {
    const { items } = await runs.list({ limit: 200 })
    return items.filter(({ status }) => status === 'running' || status === 'queued').length
  }
  await expect.poll(open, { timeout: 200_000, interval: 100 }).toBe(0)
  await copy.kill('SIGTERM')
  checkDatabase(join(restored!, 'parley.db'))
}, 300_000)

it(
  `${count} sessions come back from export, import and export to the byte`,
  async () => {
    using folder = temporaryFolder()
    await using from = await createParley({ dataDir: join(folder.path, 'from') })
    await using to = await createParley({ dataDir: join(folder.path, 'to') })
    let different = 0
    for (let index = 0; index < count; index++) {
      const { id } = await from.sessions.create({
        title: `${index} ${pick(index, odd)
          .replaceAll(/[\p{Cc}\u2028]/gu, '')
          .slice(0, 100)}`,
        allowedTools: index % 3 ? ['file'] : undefined,
        modeState: index % 5 ? undefined : { deep: [{ [pick(index, odd)]: index / 7 }] },
      })
      for (let message = 0; message < index % 8; message++)
        await from.sessions.append(id, {
          role: message % 2 ? 'assistant' : 'user',
          parts: [
            { type: 'text', text: `${pick(index + message, odd)}${pick(index * 7 + message, odd)}` },
            ...(message % 2 ? [toolPart(index, message)] : []),
          ],
          metadata: { n: (index + 1) / 3, [`key ${pick(message, odd)}`]: null },
        })
      const format = exportFormats[index % exportFormats.length]!
      const exported = await from.sessions.export(id, { format })
      await to.sessions.import(exported)
      if ((await to.sessions.export(id, { format })) !== exported) different++
    }
    expect(different).toBe(0)
    expect(await from.store.checkIntegrity()).toBeUndefined()
    expect(await to.store.checkIntegrity()).toBeUndefined()
  },
  60_000 + count * 200,
)

const odd = [
  '',
  ' edges \n\n',
  '机器学习 🎉',
  '---\n# a: &b *c !!d',
  '<!-- parley:message {} -->',
  'e\u0301 \u00e9 \u202e \u2028\u0085',
  '```\n~~~\r\n\ttab',
  '"\'\\ null yes 1e3 2026-01-01',
  'x'.repeat(5_000),
]
const pick = (index: number, list: string[]) => list[index % list.length]!

const toolPart = (index: number, message: number) => ({
  type: 'dynamic-tool',
  toolName: 'file',
  toolCallId: `call ${message}`,
  state: 'output-available',
  input: { path: pick(index, odd) },
  output: [pick(message, odd), index * 1e20, -0.5],
})

import { once } from 'node:events'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fillFolder, makePipe } from '../context-arrange.ts'
import { arrangeFileTool } from '../file-harness.ts'

const crowd = Number(process.env.PARLEY_TEST_ENTRIES ?? 3_000)

/** Bytes that this process has read so far, where the system counts them. */
const bytesRead = () => {
  try {
    return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1])
  } catch {
    return 0
  }
}

const everything = (path: string) => [
  { action: 'read', path },
  { action: 'list', path },
  { action: 'grep', pattern: 'x', path },
  { action: 'glob', pattern: '**', path },
  { action: 'edit', path, edits: [{ old: 'x', new: 'y' }] },
  { action: 'write', path, content: '' },
  { action: 'write', path: `${path}/below`, content: '' },
]

it('does not wait for pipes, sockets and devices, nor change them', async () => {
  const { call, folder, link } = arrangeFileTool({ 'root/a.txt': 'x\n' })
  makePipe(join(folder, 'root/pipe'))
  const server = createServer().listen(join(folder, 'root/socket'))
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  link('root/zero', '/dev/zero')
  link('root/far', '../pipe')
  makePipe(join(folder, 'pipe'))
  for (const path of ['pipe', 'socket', 'zero', 'far'])
    for (const input of everything(path))
      await expect(call(input), JSON.stringify(input)).rejects.toThrow(/regular file|not found|OUT_OF_BOUNDS/)
  for (const path of ['pipe', 'socket'])
    for (const input of [
      { action: 'move', path, to: 'b' },
      { action: 'delete', path },
    ])
      await expect(call(input)).rejects.toThrow(/regular file/)
  // and passes them by where they only lie in the way
  expect(await call({ action: 'grep', pattern: 'x' })).toBe('a.txt\n1: x')
  expect(await call({ action: 'glob', pattern: '*' })).toBe('a.txt')
  expect(await call({ action: 'list' })).toMatchObject({
    entries: ['a.txt', 'far@', 'pipe!', 'socket!', 'zero@'],
  })
})

it('reads a bounded part of a file of 10 GB', async () => {
  const { call, folder } = arrangeFileTool({ 'root/sparse': 'x\n', 'root/a.txt': 'x\n' })
  truncateSync(join(folder, 'root/sparse'), 10e9)
  const before = bytesRead()
  await expect(call({ action: 'read', path: 'sparse' })).rejects.toThrow(
    '"sparse" is not text (10000000000 bytes).',
  )
  await expect(call({ action: 'read', path: 'sparse', start_line: 1_000_000 })).rejects.toThrow(/not text/)
  await expect(call({ action: 'edit', path: 'sparse', edits: [{ old: 'x', new: 'y' }] })).rejects.toThrow(
    /too large/,
  )
  expect(await call({ action: 'grep', pattern: 'x' })).toMatch(/^a.txt\n1: x\n\[1 files were left out/)
  expect(bytesRead() - before).toBeLessThan(64 * 1024 * 1024)
  expect(await call({ action: 'move', path: 'sparse', to: 'moved' })).toMatchObject({ status: 'moved' })
  expect(await call({ action: 'write', path: 'moved', content: 'small' })).toMatchObject({
    status: 'replaced',
  })
})

it('says of a long text how much of it can be read', async () => {
  const { call, folder } = arrangeFileTool()
  writeFileSync(join(folder, 'root/long.txt'), 'a line\n'.repeat(1_600_000))
  const read = (await call({ action: 'read', path: 'long.txt' })) as string
  expect(read.length).toBeLessThan(50_000)
  expect(read).toMatch(
    /\[Cut: go on with start_line \d+; the file has 11200000 bytes, of which the first 10485760/,
  )
})

it('answers in bounds in a folder of very many files', { timeout: 300_000 }, async () => {
  const { call, folder } = arrangeFileTool({}, { searchMs: 100_000 })
  mkdirSync(join(folder, 'root/crowd'))
  fillFolder(join(folder, 'root/crowd'), crowd)
  const listed = (await call({ action: 'list', path: 'crowd' })) as { entries: string[]; cut: string }
  expect(listed.entries).toHaveLength(1_000)
  expect(listed.cut).toMatch(/Only 1000 entries/)
  const found = (await call({ action: 'glob', pattern: '**' })) as string
  expect(found.length).toBeLessThan(50_000)
  expect(found).toMatch(/\[\d+ more; make the pattern/)
  const grepped = (await call({ action: 'grep', pattern: 'x' })) as string
  expect(grepped).toMatch(/^No matches in \d+ files\./)
  if (crowd > 10_000)
    await expect(call({ action: 'delete', path: 'crowd', recursive: true })).rejects.toThrow(
      /more than 10000 files/,
    )
  else
    expect(await call({ action: 'delete', path: 'crowd', recursive: true })).toMatchObject({
      entries: crowd + 1,
    })
})

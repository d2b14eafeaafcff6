import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { expect, it } from 'vitest'
import { createParley } from '../../src/parley.ts'
import { temporaryFolder } from '../harness.ts'
import { gptConversation, gptNode } from './samples.ts'

const sentence = 'A sentence of some length, as people write them in conversations. '

function conversation(name: string, messages: number, characters: number) {
  const text = sentence.repeat(Math.ceil(characters / sentence.length))
  const mapping: Record<string, unknown> = {}
  for (let index = 0; index < messages; index++)
    Object.assign(
      mapping,
      gptNode(
        `${name}-${index}`,
        index === 0 ? null : `${name}-${index - 1}`,
        index % 2 ? 'assistant' : 'user',
        text,
        {
          time: 1_700_000_000 + index,
        },
      ),
    )
  return gptConversation(name, mapping)
}

async function writeExport(path: string, count: number, messages: number, characters: number): Promise<void> {
  async function* pieces() {
    yield '['
    for (let index = 0; index < count; index++)
      yield `${index === 0 ? '' : ',\n'}${JSON.stringify(conversation(`c${index}`, messages, characters))}`
    yield ']'
  }
  await pipeline(pieces, createWriteStream(path))
}

interface Needed {
  sessions: { added: number; unchanged: number }
  messages: number
  failures: unknown[]
}

/** In a process with a small heap; `isEnough` kills it in the middle. */
async function importIn(
  folder: string,
  file: string,
  { heapMb = 96, isEnough }: { heapMb?: number; isEnough?: (done: number) => boolean } = {},
) {
  const program = join(import.meta.dirname, 'import-node.ts')
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMb}`, program, join(folder, 'data'), file],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let last: Partial<Needed> & { done?: number } = {}
  for await (const line of createInterface(child.stdout)) {
    last = JSON.parse(line) as typeof last
    if (last.done !== undefined && isEnough?.(last.done)) child.kill('SIGKILL')
  }
  return last as Needed
}

it.each([
  ['of 500 conversations', 500, 20, 5_000, 96],
  // one conversation is in memory as a whole: as text, as values and as what is stored of it
  ['of one conversation', 1, 2_000, 25_000, 768],
])(
  // a process that needs more than its heap is ended by V8
  '50 MB %s are imported with a small heap',
  async (_name, count, messages, characters, heapMb) => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'conversations.json')
    await writeExport(file, count, messages, characters)
    const needed = await importIn(folder.path, file, { heapMb })
    expect(needed).toMatchObject({ sessions: { added: count }, messages: count * messages, failures: [] })
  },
)

it('an import that was killed continues where it was, and makes nothing twice', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'conversations.json')
  await writeExport(file, 300, 10, 500)
  await importIn(folder.path, file, { isEnough: (done) => done > 40 })
  const needed = await importIn(folder.path, file)
  expect(needed.failures).toEqual([])
  expect(needed.sessions.unchanged).toBeGreaterThan(40)
  expect(needed.sessions.added + needed.sessions.unchanged).toBe(300)
  await using parley = await createParley({ dataDir: join(folder.path, 'data') })
  let count = 0
  for (let cursor: string | undefined; ;) {
    const page = await parley.sessions.list({ limit: 200, cursor, variants: 'all' })
    for (const { messageCount } of page.items) expect(messageCount).toBe(10)
    count += page.items.length
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  expect(count).toBe(300)
})

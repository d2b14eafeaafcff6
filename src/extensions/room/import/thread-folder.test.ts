import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readThreadFolders, type ThreadFolder } from './thread-folder.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'parley-threads-'))
})

afterEach(() => {
  rmSync(root, { recursive: true })
})

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const meta = (id: string, updatedAt: string, more = {}) =>
  JSON.stringify({
    thread_id: id,
    title: `Title ${id}`,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: updatedAt,
    ...more,
  })
const said = (text: string, more = {}) =>
  `${JSON.stringify({ id: text, sender: 'user', sender_type: 'user', text, ...more })}\n`

function session(path: string, id: string, text = `hello ${id}`, updatedAt = '2026-01-02T00:00:00Z'): void {
  write(`${path}/meta.json`, meta(id, updatedAt))
  write(`${path}/messages.jsonl`, said(text))
}

async function read(path = ''): Promise<ThreadFolder[]> {
  const threads: ThreadFolder[] = []
  for await (const thread of readThreadFolders(join(root, path))) threads.push(thread)
  return threads
}

const sources = async (path?: string) => (await read(path)).map((thread) => thread.source)

it('reads a session with all that is known about each message', async () => {
  write(
    'threads/s1/meta.json',
    meta('s1', '2026-01-02T00:00:00Z', { mode: 'workflow', mode_state: { current_node: 'coder' } }),
  )
  write(
    'threads/s1/messages.jsonl',
    said('Hi', { ts: '2026-01-01T00:00:01Z' }) +
      said('喵', {
        id: 'm2',
        sender: 'milk',
        sender_type: 'cat',
        cat_name: '牛奶',
        ts: 1_767_225_602,
        provider: 'p',
        model: 'm',
        duration_ms: 5,
        input_tokens: 1,
        output_tokens: 2,
        cost_usd: 0.5,
      }),
  )
  const [thread] = await read()
  expect(thread?.problems).toEqual([])
  expect(thread?.document.session).toEqual({
    id: 's1',
    kind: 'interactive',
    title: 'Title s1',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    mode: 'workflow',
    agents: ['牛奶'],
  })
  expect(thread?.agents).toEqual([{ name: '牛奶', displayName: 'milk' }])
  expect(thread?.document.messages).toEqual([
    {
      id: 'Hi',
      role: 'user',
      parts: [{ type: 'text', text: 'Hi' }],
      createdAt: '2026-01-01T00:00:01.000Z',
      metadata: { sender: 'user' },
    },
    {
      id: 'm2',
      role: 'assistant',
      parts: [{ type: 'text', text: '喵' }],
      createdAt: '2026-01-01T00:00:02.000Z',
      metadata: {
        sender: 'milk',
        catName: '牛奶',
        agent: '牛奶',
        provider: 'p',
        model: 'm',
        durationMs: 5,
        costUsd: 0.5,
        usage: { inputTokens: 1, outputTokens: 2 },
      },
    },
  ])
})

const cat = (cat_name: string, sender: string) =>
  said(`喵 ${cat_name}`, { sender, sender_type: 'cat', cat_name })

it('makes a room of a chat, with the agents that its roles name and those that spoke', async () => {
  write(
    'config/role-config.json',
    JSON.stringify({
      workflow_assignment: { coder: '牛奶' },
      cats: { 牛奶: { display_name: '银渐层', nickname: 'milk', persona: 'Calm.' }, 咖啡: {} },
    }),
  )
  write('logs/threads/p/sessions/s1/meta.json', meta('s1', '2026-01-02T00:00:00Z', { mode: 'free_chat' }))
  write(
    'logs/threads/p/sessions/s1/messages.jsonl',
    said('hi') + cat('牛奶', '银渐层') + cat('Old cat!', 'Old') + cat('room', 'Room'),
  )
  write('logs/threads/p/sessions/s2/meta.json', meta('s2', '2026-01-02T00:00:00Z', { mode: 'werewolf' }))
  write('logs/threads/p/sessions/s2/messages.jsonl', said('hi'))
  const [one, two] = await read()
  expect(one!.document.session).toMatchObject({
    mode: 'free_chat',
    agents: ['牛奶', '咖啡', 'Old-cat', 'room-agent'],
    room: { roleMap: { coder: '牛奶' } },
    thread: 'p',
  })
  expect(one!.document.messages.map(({ metadata }) => metadata?.agent)).toEqual([
    undefined,
    '牛奶',
    'Old-cat',
    'room-agent',
  ])
  expect(one!.agents).toMatchObject([
    { name: '牛奶', displayName: '银渐层', nicknames: ['milk'], persona: 'Calm.' },
    { name: '咖啡' },
    { name: 'Old-cat', displayName: 'Old' },
    { name: 'room-agent' },
  ])
  expect(one!.agents[3]).not.toHaveProperty('displayName')
  expect(two!.document.session).toMatchObject({ mode: 'free_chat', agents: ['牛奶', '咖啡'] })
  expect(two!.problems).toEqual([
    'The mode "werewolf" needs 5 agents, and there are 2; it is a free chat now.',
  ])
})

it('finds both layouts, from wherever it starts', async () => {
  session('threads/project/sessions/new', 'new')
  session('threads/old', 'old')
  write('threads/project/thread.json', '{}')
  write('threads/readme.txt', 'not a folder')
  expect(await sources()).toEqual(['threads/old', 'threads/project/sessions/new'])
  expect(await sources('threads')).toEqual(['old', 'project/sessions/new'])
  expect(await sources('threads/project')).toEqual(['sessions/new'])
  expect(await sources('threads/old')).toEqual(['.'])
})

it('keeps the thread of a session, as its record says it or as its folder is called', async () => {
  session('threads/project/sessions/new', 'new')
  write('threads/x/sessions/said/meta.json', meta('said', '2026-01-02T00:00:00Z', { parent_thread: 'Other' }))
  write('threads/x/sessions/said/messages.jsonl', said('hi'))
  session('threads/不行/sessions/odd', 'odd')
  session('threads/old', 'old')
  const mirrored = { scope: 'default', parent_thread: 'default', mirrored: { seq: 1, bytes: 9 } }
  for (const [id, more] of [
    ['m1', { ...mirrored, thread: 'notes', parent_thread: 'notes' }],
    ['m2', mirrored],
  ] as const) {
    write(`threads/default/sessions/${id}/meta.json`, meta(id, '2026-01-02T00:00:00Z', more))
    write(`threads/default/sessions/${id}/messages.jsonl`, said('hi'))
  }
  const threads = await read()
  expect(
    Object.fromEntries(threads.map(({ document }) => [document.session.id, document.session.thread])),
  ).toEqual({ new: 'project', said: 'other', odd: undefined, old: undefined, m1: 'notes', m2: undefined })
  expect(threads.flatMap(({ problems }) => problems)).toEqual([
    'The thread "不行" has no name that can be kept; it was left out.',
  ])
})

it('reads what our own mirror writes as it was, and does not trust it', async () => {
  const parts = [
    { type: 'text', text: 'one' },
    { type: 'dynamic-tool', toolName: 'file', toolCallId: 'c', state: 'output-available', output: 1 },
  ]
  write(
    'threads/s1/messages.jsonl',
    said('a', { sender_type: 'agent', role: 'assistant', parts, metadata: { agent: 'mira' } }) +
      said('b', { sender_type: 'system', role: 'assistant', parts: [{ type: 'text', text: 'b' }] }) +
      said('c', { sender_type: 'system' }) +
      said('d', { sender_type: 'cat', role: 'assistant', parts: [{ type: 'text' }], cat_name: 'pip' }) +
      said('e', { sender_type: 'cat', role: 'root', parts }),
  )
  write(
    'threads/s1/meta.json',
    meta('s1', '2026-01-02T00:00:00Z', { mirrored: {}, agents: ['a', 'A'], room: { policy: 1 } }),
  )
  const [thread] = await read()
  expect(thread?.problems).toEqual([])
  expect(thread?.document.session.agents).toBeUndefined()
  expect(thread?.document.messages.map((message) => [message.role, message.parts, message.metadata])).toEqual(
    [
      ['assistant', parts, { agent: 'mira' }],
      ['assistant', [{ type: 'text', text: 'b' }], undefined],
      ['system', [{ type: 'text', text: 'c' }], { sender: 'user' }],
      ['assistant', [{ type: 'text', text: 'd' }], { sender: 'user', catName: 'pip', agent: 'pip' }],
      ['assistant', [{ type: 'text', text: 'e' }], { sender: 'user' }],
    ],
  )
})

it.each([
  ['2026-01-03T00:00:00Z', '2026-01-02T00:00:00Z', 'from the thread'],
  ['2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z', 'from the old place'],
])('takes the copy that was updated later (%s, %s)', async (inThread, inOldPlace, winner) => {
  session('threads/z/sessions/same', 'same', 'from the thread', inThread)
  session('threads/same', 'same', 'from the old place', inOldPlace)
  const [thread, ...others] = await read()
  expect(others).toEqual([])
  expect(thread?.document.messages[0]?.id).toBe(winner)
  expect(thread?.problems).toEqual([expect.stringContaining('is an older copy of "same"')])
})

it('reports lines that it cannot read, and imports the rest', async () => {
  const torn = said('torn').slice(0, -8)
  const rows = [
    said('one'),
    'not json\n',
    '\n',
    '[1]\n',
    said('x', { sender_type: 'dog' }),
    said('two'),
    said('\u0000'),
    torn,
  ]
  write(
    'threads/s1/messages.jsonl',
    Buffer.concat([Buffer.from(rows.slice(0, -1).join('')), Buffer.from([0xff, 0x0a]), Buffer.from(torn)]),
  )
  const [thread] = await read()
  expect(thread?.document.messages.map((message) => message.id)).toEqual(['one', 'two'])
  expect(thread?.problems.map((problem) => problem.slice(0, 'messages.jsonl line 2'.length))).toEqual(
    [2, 4, 5, 7, 8, 9].map((line) => `messages.jsonl line ${line}`),
  )
})

it('gives up on a file in which nearly every line is wrong', async () => {
  write('threads/s1/messages.jsonl', said('one') + 'x\n'.repeat(5_000))
  const [thread] = await read()
  expect(thread?.document.messages).toHaveLength(1)
  expect(thread?.problems).toHaveLength(1_001)
  expect(thread?.problems.at(-1)).toContain('from line 1002 on it was left out')
})

it('reads lines that hold U+2028', async () => {
  write('threads/s1/messages.jsonl', said('a\u2028b'))
  expect((await read())[0]?.document.messages[0]?.parts).toEqual([{ type: 'text', text: 'a\u2028b' }])
})

it('does without meta.json, or with one that is broken', async () => {
  write('threads/s1/messages.jsonl', said('a very long first message'))
  write('threads/s2/messages.jsonl', said('x'))
  write('threads/s2/meta.json', '{"title": "cut')
  write('threads/s3/meta.json', meta('../../evil', '2026-01-02T00:00:00Z'))
  const [first, second, third] = await read()
  expect(first?.document.session).toMatchObject({ id: 's1', title: 'a very long first me' })
  expect(second?.document.session).toMatchObject({ id: 's2', title: 'x' })
  expect(second?.problems).toEqual([expect.stringContaining('meta.json is not valid JSON')])
  expect(third?.document).toMatchObject({ session: { id: 's3' }, messages: [] })
  expect(third?.problems).toEqual(['There is no messages.jsonl.'])
})

it('drops ids that are taken', async () => {
  write('threads/s1/messages.jsonl', said('a') + said('a'))
  expect((await read())[0]?.document.messages.map((message) => message.id)).toEqual(['a', undefined])
})

it('follows no link out of the root', async () => {
  session('outside/secret', 'secret')
  session('inside/threads/good', 'good')
  mkdirSync(join(root, 'inside/threads/linked-file'))
  symlinkSync(join(root, 'outside/secret'), join(root, 'inside/threads/linked'))
  symlinkSync(
    join(root, 'outside/secret/messages.jsonl'),
    join(root, 'inside/threads/linked-file/messages.jsonl'),
  )
  symlinkSync('good', join(root, 'inside/threads/twin'))
  symlinkSync('nowhere', join(root, 'inside/threads/dangling'))
  const threads = await read('inside')
  expect(threads.map((thread) => thread.document.session.id)).toEqual(['good'])
  expect(threads[0]?.problems).toEqual([
    'threads/linked is a link that leads out of the folder; it was not followed.',
    'threads/linked-file/messages.jsonl is a link that leads out of the folder; it was not followed.',
  ])
})

it('refuses pipes and files beyond all measure, and says so when nothing else is there', async () => {
  session('threads/big', 'big')
  truncateSync(join(root, 'threads/big/messages.jsonl'), 100 * 1024 * 1024)
  mkdirSync(join(root, 'threads/pipe'))
  execFileSync('mkfifo', [join(root, 'threads/pipe/messages.jsonl')])
  const reading = read()
  await expect(reading).rejects.toThrow('threads/big/messages.jsonl is larger than 67108864 bytes.')
  await expect(reading).rejects.toThrow('threads/pipe/messages.jsonl is not a regular file.')
})

it('finds nothing in an empty folder, and names a folder that is missing', async () => {
  expect(await read()).toEqual([])
  await expect(read('gone')).rejects.toThrow('There is no folder')
})

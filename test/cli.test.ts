import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readVersion } from '../src/version.ts'
import { processRunner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'

it('creates, lists, searches, shows, renames, archives, forks and deletes sessions', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const created = JSON.parse(
    (await parley(['sessions', 'create', '--title', '机器学习 notes', '--json'])).stdout,
  )
  const document = JSON.stringify({
    id: created.id,
    messages: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ],
  })
  expect((await parley(['sessions', 'import', '-'], { input: document })).stderr).toContain('2 messages')

  const table = await parley(['sessions', 'list', '--search', '学习'])
  expect(table.stdout).toContain(created.id)
  expect((await parley(['sessions', 'list', '--search', 'nothing'])).stdout).toBe('')
  const shown = await parley(['sessions', 'show', created.id])
  expect(shown.stdout).toMatch(/\[1\] user .*\nHello\n\n\[2\] assistant .*\nHi/)
  const { messages } = JSON.parse((await parley(['sessions', 'show', created.id, '--json'])).stdout)
  const fork = JSON.parse((await parley(['sessions', 'fork', created.id, messages[0].id, '--json'])).stdout)
  expect(fork).toMatchObject({ messageCount: 1, title: '机器学习 notes' })
  expect((await parley(['sessions', 'rename', fork.id, 'Branch'])).stdout).toContain('Branch')
  expect((await parley(['sessions', 'archive', fork.id])).code).toBe(0)
  expect((await parley(['sessions', 'list'])).stdout).not.toContain(fork.id)
  expect((await parley(['sessions', 'list', '--archived'])).stdout).toContain(fork.id)
  expect((await parley(['sessions', 'rm', fork.id])).code).toBe(0)
  expect(await parley(['sessions', 'show', fork.id])).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(fork.id),
  })
})

it('exports to stdout or a file, and imports files, logs of other tools and folders of threads', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const file = join(folder.path, 'log.jsonl')
  writeFileSync(
    file,
    '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[{"role":"user","content":"b"}]}\n',
  )
  const thread = join(folder.path, 'logs', 'threads', 'cats', 'sessions', 's1')
  mkdirSync(thread, { recursive: true })
  writeFileSync(
    join(thread, 'meta.json'),
    '{"thread_id":"s1","title":"猫","updated_at":"2026-01-01T00:00:00.000Z"}',
  )
  writeFileSync(
    join(thread, 'messages.jsonl'),
    '{"id":"m1","sender":"user","sender_type":"user","text":"喵","ts":"2026-01-01T00:00:00.000Z"}\n',
  )
  const { items } = JSON.parse(
    (await parley(['sessions', 'import', file, join(folder.path, 'logs'), '--json'])).stdout,
  )
  expect(items.map(({ messageCount }: { messageCount: number }) => messageCount)).toEqual([1, 1, 1])
  expect(items[2]).toMatchObject({ id: 's1', title: '猫' })
  const out = join(folder.path, 'out.md')
  expect((await parley(['sessions', 'export', 's1', '--format', 'markdown', '-o', out])).code).toBe(0)
  expect(readFileSync(out, 'utf8')).toContain('喵')
  expect((await parley(['sessions', 'export', 's1', '--format', 'markdown'])).stdout).toBe(
    readFileSync(out, 'utf8'),
  )
})

it('makes rooms of a project of cats, keeps their times, and goes on past those that are there', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const project = join(folder.path, 'cafe')
  const addSession = (id: string, at: string) => {
    const path = join(project, 'logs', 'threads', 'cats', 'sessions', id)
    mkdirSync(path, { recursive: true })
    writeFileSync(
      join(path, 'meta.json'),
      JSON.stringify({
        thread_id: id,
        title: id,
        mode: 'free_chat',
        mode_state: {},
        created_at: at,
        updated_at: at,
      }),
    )
    const rows = [
      { id: 'm1', sender: '铲屎官', sender_type: 'user', text: '你好', ts: at },
      { id: 'm2', sender: '银渐层', sender_type: 'cat', cat_name: '牛奶', text: '喵', ts: at },
    ]
    writeFileSync(join(path, 'messages.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  }
  mkdirSync(join(project, 'config'), { recursive: true })
  writeFileSync(
    join(project, 'config', 'role-config.json'),
    JSON.stringify({
      models: [{ id: 'm', provider: 'claude-cli', model: 'opus' }],
      cats: { 牛奶: { model_id: 'm', persona: 'Calm.', nickname: 'milk' } },
    }),
  )
  const at = '2025-01-01T00:00:00.000Z'
  addSession('one', at)
  const first = await parley(['sessions', 'import', project, '--json'])
  expect(JSON.parse(first.stdout)).toMatchObject({ items: [{ id: 'one' }], skipped: [] })
  addSession('two', at)
  const second = await parley(['sessions', 'import', project, '--json'])
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({
    items: [{ id: 'two', mode: 'free_chat', agents: ['牛奶'], thread: 'cats', createdAt: at, updatedAt: at }],
    skipped: [
      { source: 'logs/threads/cats/sessions/one', reason: expect.stringContaining('"one"') as string },
    ],
  })
  const { messages } = JSON.parse((await parley(['sessions', 'show', 'two', '--json'])).stdout) as {
    messages: { createdAt: string; metadata: object }[]
  }
  expect(messages).toMatchObject([{ createdAt: at }, { createdAt: at, metadata: { agent: '牛奶' } }])
  const shown = JSON.parse((await parley(['rooms', 'show', 'two', '--json'])).stdout) as object
  expect(shown).toMatchObject({
    missing: [],
    agents: [{ name: '牛奶', persona: 'Calm.', nicknames: ['milk'] }],
  })
  const said = await parley(['rooms', 'say', 'two', '@milk 你好'])
  expect(said).toMatchObject({ code: 0 })
})

it('asks once, with the answer alone on stdout and the end of the turn as the exit code', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const answer = await parley(['run', 'Hello'])
  expect(answer).toMatchObject({ code: 0, stderr: '' })
  expect(answer.stdout).toContain('You wrote: “Hello”')
  expect((await parley(['run', '-'], { input: '你好\n' })).stdout).toContain('你好')
  const whole = JSON.parse((await parley(['run', 'json {"a":1}', '--json'])).stdout)
  expect(whole).toMatchObject({ run: { status: 'completed' }, message: { role: 'assistant' } })
  const again = JSON.parse((await parley(['run', 'what did I say?', '-s', whole.session, '--json'])).stdout)
  expect(JSON.stringify(again.message.parts)).toContain('json')
  expect(await parley(['run', 'fail auth'])).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringContaining('demo/parley'),
  })
  expect(await parley(['run', 'hi', '-m', 'openai/gpt'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('OPENAI_API_KEY'),
  })
  expect(await parley(['run', 'hi', '-m', 'nobody/x'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nobody'),
  })
  const shown = await parley(['prompt', whole.session, '--text'])
  expect(shown.stdout).toMatch(/fragment +placement[\s\S]*identity +static[\s\S]*<identity>/)
  const talked = await parley(['chat'], { input: 'hello\nwhat did I say?\n' })
  expect(talked).toMatchObject({ code: 0 })
  expect(talked.stdout).toMatch(/You wrote: “hello”[\s\S]*1\. hello/)
})

it('works on a server elsewhere by --url, with its key', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const key = 'a-key-of-more-than-16-characters'
  const server = await startServer({
    env: { PARLEY_DATA_DIR: join(folder.path, 'elsewhere'), PARLEY_API_KEY: key },
  })
  const refused = await parley(['sessions', 'create', '--url', server.url])
  expect(refused).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('API key') })
  const created = await parley(['sessions', 'create', '--url', server.url, '--json'], {
    env: { PARLEY_API_KEY: key },
  })
  expect(JSON.parse(created.stdout)).toMatchObject({ kind: 'interactive' })
  await server.kill('SIGTERM')
  const gone = await parley(['sessions', 'list', '--url', server.url])
  expect(gone).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`No Parley answers at ${server.url}`),
  })
})

it('shows the configuration with secrets masked, and names what is wrong with it', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const shown = await parley(['config'], { env: { OPENAI_API_KEY: 'sk-very-secret-value-1234' } })
  expect(shown.stdout).toContain('••••1234')
  expect(shown.stdout).not.toContain('secret')
  writeFileSync(join(folder.path, 'parley.yaml'), 'prot: 5000\n')
  expect(await parley(['config'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Unknown key "prot".*"port"/s),
  })
  expect(JSON.parse((await parley(['config', '--json'])).stdout).error.code).toBe('invalid_request')
})

it('answers wrong usage with code 2 and a hint', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  for (const args of [
    ['sessions', 'frobnicate'],
    ['--no-such-flag'],
    ['sessions', 'show'],
    ['sessions', 'list', '--limit', 'x'],
    ['sessions', 'list', '--kind', 'thread'],
  ])
    expect(await parley(args), args.join(' ')).toMatchObject({ code: 2, stdout: '' })
  expect((await parley(['--help'])).stdout).toContain('Exit codes')
  for (const flag of ['--version', '-V']) expect((await parley([flag])).stdout).toBe(`${readVersion()}\n`)
})

it('says which database cannot be opened, and what to do', async () => {
  using folder = temporaryFolder()
  const parley = processRunner(folder.path)
  const { code, stderr } = await parley(['serve'], {
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
  })
  expect(code).toBe(1)
  expect(stderr).toContain(
    'The database cannot be opened: connect ECONNREFUSED 127.0.0.1:1. Start it, or correct its address.',
  )
})

it('says what to do when the data folder cannot be created', async () => {
  using folder = temporaryFolder()
  const blocked = join(folder.path, 'a-file')
  writeFileSync(blocked, '')
  const env = { PARLEY_DATA_DIR: join(blocked, 'data') }
  for (const args of [
    ['sessions', 'list'],
    ['serve', '--port', '0'],
  ]) {
    const { code, stderr } = await processRunner(folder.path)(args, { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^parley: The data folder .* cannot be created \(ENOTDIR\)\. .*PARLEY_DATA_DIR\.\n$/,
    )
  }
})

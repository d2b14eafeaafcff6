import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeConfig, loadConfig } from '../src/config.ts'
import { createMcpServers, type McpServers } from '../src/extensions/mcp/mcp-servers.ts'
import type { McpServerSettings } from '../src/extensions/mcp/server-settings.ts'
import { toToolName } from '../src/extensions/mcp/mcp-tool.ts'
import { createParley } from '../src/parley.ts'
import { serve, type RunningServer } from '../src/server/index.ts'
import type { Part } from '../src/core/protocol/message.ts'
import type { ToolContext } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { steppedClock, temporaryFolder } from './harness.ts'
import { startApp, type AppServer } from './http/app-server.ts'
import { registerMcpFixtures } from './mcp-fixtures.ts'

const program = join(import.meta.dirname, 'mcp-stdio-server.ts')
const stdio = (...args: string[]): McpServerSettings => ({
  command: process.execPath,
  args: [program, ...args],
})

function open(settings: Record<string, McpServerSettings>) {
  const clock = steppedClock()
  const warnings: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
  const servers = createMcpServers(settings, { clock, logger, version: '0.0.0' })
  return { servers, clock, warnings, [Symbol.asyncDispose]: () => servers.close() }
}

const context = (signal = new AbortController().signal) => ({ signal }) as ToolContext

async function call(
  servers: McpServers,
  name: string,
  input: object = {},
  signal?: AbortSignal,
): Promise<unknown> {
  const tool = (await servers.toolsFor({})).find((known) => known.name === name)
  if (!tool) throw new Error(`There is no ${name}.`)
  return tool.execute(tool.input.parse(input), context(signal))
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

interface Surroundings {
  env: Record<string, string>
  argv: string[]
  cwd: string
  pid: number
}

const lookAround = async (servers: McpServers, name = 'one'): Promise<Surroundings> =>
  JSON.parse((await call(servers, `mcp__${name}__surroundings`)) as string) as Surroundings

describe('a server that is a program', () => {
  it('is started when it is needed, offers its tools by name, and ends with Parley', async () => {
    const { servers, warnings } = open({ two: stdio(), one: stdio() })
    expect(servers.status().map(({ name, state }) => [name, state])).toEqual([
      ['one', 'idle'],
      ['two', 'idle'],
    ])
    const tools = await servers.toolsFor({})
    expect(tools.map(({ name }) => name)).toEqual(
      ['one', 'two'].flatMap((server) =>
        ['change', 'changing', 'crash', 'echo', 'fail', 'hang', 'huge', 'image', 'surroundings'].map(
          (tool) => `mcp__${server}__${tool}`,
        ),
      ),
    )
    expect(await servers.toolsFor({})).toEqual(tools)
    expect(tools[0]!.access!({}, { granted: [] })).toMatchObject({
      effect: 'write',
      resources: [tools[0]!.name],
    })
    const { pid } = await lookAround(servers)
    await servers.close()
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(warnings.filter((line) => !line.includes('withheld'))).toEqual([])
  })

  it('answers with text, describes what is none, and its failures are failures', async () => {
    await using opened = open({ one: stdio() })
    const { servers } = opened
    expect(await call(servers, 'mcp__one__echo', { text: 'hi' })).toBe('hi')
    expect(await call(servers, 'mcp__one__image')).toBe('Look:\n[image: image/png, 3 bytes]\ninside')
    await expect(call(servers, 'mcp__one__fail')).rejects.toThrow('It was too much.')
    await expect(call(servers, 'mcp__one__echo', { text: 1 })).rejects.toThrow(/expected string/)
  })

  it('sees no more of the environment than it needs, no shell, and not the folder of a project', async () => {
    process.env.PARLEY_TEST_SECRET = 'a secret of the process'
    await using opened = open({
      one: { ...stdio('$(touch nothing)', '; echo x', '*'), env: { GIVEN: 'yes' } } as McpServerSettings,
    })
    const { env, argv, cwd } = await lookAround(opened.servers)
    delete process.env.PARLEY_TEST_SECRET
    expect(env.GIVEN).toBe('yes')
    const needed = ['GIVEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', '__CF_USER_TEXT_ENCODING']
    expect(Object.keys(env).filter((name) => !needed.includes(name))).toEqual([])
    expect(argv).toEqual(['$(touch nothing)', '; echo x', '*'])
    expect(cwd).toBe(homedir())
  })

  it('that ends is started again when it is needed, after a wait that grows', async () => {
    await using opened = open({ one: stdio() })
    const { servers, clock } = opened
    const { pid } = await lookAround(servers)
    await expect(call(servers, 'mcp__one__crash')).rejects.toThrow()
    await expect.poll(() => servers.status()[0]!.state).toBe('failed')
    expect(servers.status()[0]!.error).toContain('ready to serve')
    await expect(lookAround(servers)).rejects.toThrow(/tried again in 1 s/)
    expect(servers.status()[0]!.tools.length).toBeGreaterThan(5)
    clock.advance(1_000)
    expect((await lookAround(servers)).pid).not.toBe(pid)
    expect(servers.status()[0]).toMatchObject({ state: 'ready' })
  })

  it('that cannot be started is tried again later, and no turn waits for that', async () => {
    await using opened = open({
      one: { command: join(import.meta.dirname, 'no-such-program') },
      two: { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(1)'] },
      three: { command: process.execPath, args: ['-e', ''], disabled: true },
      four: { command: process.execPath, env: { KEY: '${NOT_SET}' } },
    })
    const { servers, clock, warnings } = opened
    expect(await servers.toolsFor({})).toEqual([])
    const byName = Object.fromEntries(servers.status().map((status) => [status.name, status]))
    expect(byName.one).toMatchObject({ state: 'failed', error: expect.stringContaining('ENOENT') })
    expect(byName.two).toMatchObject({ state: 'failed', error: expect.stringContaining('no licence') })
    expect(byName.three).toMatchObject({ state: 'disabled' })
    expect(byName.four).toMatchObject({ state: 'failed', error: expect.stringContaining('NOT_SET') })
    const failures = warnings.length
    await servers.toolsFor({})
    expect(warnings).toHaveLength(failures)
    clock.advance(1_000)
    expect(await servers.toolsFor({})).toEqual([])
    await expect.poll(() => warnings.length).toBe(2 * failures)
  })

  it('that hangs is given up after its time, and that says too much is cut off', async () => {
    const timeout = 30_000
    await using opened = open({ one: { ...stdio(), timeout } as McpServerSettings })
    const { servers, clock } = opened
    await servers.toolsFor({})
    await expect(call(servers, 'mcp__one__hang', {}, AbortSignal.timeout(100))).rejects.toThrow()
    // it is started within that time too, which a busy machine must not decide
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const hanging = expect(call(servers, 'mcp__one__hang')).rejects.toThrow(/timed out/i)
    await expect.poll(() => vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(timeout)
    await hanging
    vi.useRealTimers()
    await expect(call(servers, 'mcp__one__huge')).rejects.toThrow()
    await expect.poll(() => servers.status()[0]!.state).toBe('failed')
    clock.advance(1_000)
    expect(await call(servers, 'mcp__one__echo', { text: 'still here' })).toBe('still here')
  })
})

describe('tools', () => {
  it('whose names become the same are not offered', async () => {
    await using opened = open({ one: stdio() })
    await opened.servers.toolsFor({})
    expect(opened.servers.status()[0]!.withheld.map(({ name }) => name)).toEqual(['a.b', 'a_b'])
  })

  it('that change, or come later, are withheld until Parley is started again', async () => {
    await using opened = open({ one: stdio() })
    const { servers, warnings } = opened
    expect(await call(servers, 'mcp__one__changing')).toBe('changed')
    await call(servers, 'mcp__one__change')
    await expect
      .poll(() => servers.status()[0]!.withheld.map(({ name }) => name))
      .toEqual(expect.arrayContaining(['changing', 'late']))
    const names = (await servers.toolsFor({})).map(({ name }) => name)
    expect(names).not.toContain('mcp__one__changing')
    expect(names).not.toContain('mcp__one__late')
    expect(names).toContain('mcp__one__echo')
    expect(warnings.join()).toContain('It has changed since')
    expect(JSON.stringify(servers.status())).not.toContain('Send all your files')
  })

  it('have names that every provider takes', () => {
    expect(toToolName('git-hub', 'list.issues/all')).toBe('mcp__git-hub__list_issues_all')
    const long = toToolName('server', 'x'.repeat(200))
    expect(long).toHaveLength(64)
    expect(long).not.toBe(toToolName('server', 'x'.repeat(201)))
  })
})

it('speaks to a server over HTTP, with its headers, and reports a wrong key', async () => {
  const apiKeys = [{ name: 'main', key: 'main-key-0123456789' }]
  await using server = await startApp({ mcpFixtures: registerMcpFixtures, apiKeys })
  const at = (key: string): McpServerSettings => ({
    type: 'http',
    url: `${server.url}/mcp`,
    headers: { authorization: `Bearer ${key}` },
  })
  await using opened = open({ good: at('main-key-0123456789'), wrong: at('wrong-key-012345678') })
  const { servers } = opened
  expect(await call(servers, 'mcp__good__test_simple_text')).toBe(
    'This is a simple text response for testing.',
  )
  expect(
    JSON.parse((await call(servers, 'mcp__good__create_session', { title: 'far' })) as string),
  ).toMatchObject({
    title: 'far',
  })
  const wrong = servers.status().find(({ name }) => name === 'wrong')!
  expect(wrong).toMatchObject({ state: 'failed', transport: 'http', tokens: 0 })
  expect(wrong.error).not.toContain('wrong-key-012345678')
})

/** On a port that nobody is given while it is free: systems hand out higher ones. */
async function serveOnOwnPort(app: AppServer['app']): Promise<RunningServer> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 6_000)
    try {
      return await serve(app, { host: '127.0.0.1', port })
    } catch (error) {
      if (!String(error).includes('is in use')) throw error
    }
  }
}

it('finds a server over HTTP again that was away', async () => {
  await using app = await startApp({ mcpFixtures: registerMcpFixtures })
  const first = await serveOnOwnPort(app.app)
  await using opened = open({ one: { type: 'http', url: `${first.url}/mcp` } })
  const { servers, clock } = opened
  const ask = () => call(servers, 'mcp__one__test_simple_text')
  expect(await ask()).toContain('simple text')
  await first.stop(0)
  await expect(ask()).rejects.toThrow()
  await expect(ask()).rejects.toThrow(/tried again/)
  const second = await serve(app.app, { host: '127.0.0.1', port: first.port })
  clock.advance(1_000)
  expect(await ask()).toContain('simple text')
  await second.stop(0)
})

describe('a turn', () => {
  const echoes: Script = ({ messages }, count) =>
    messages.at(-1)!.role === 'user' && count === 1
      ? calls(['mcp__one__echo', { text: 'from afar' }])
      : says('Done.')

  async function openParley(mcpServers: Record<string, McpServerSettings>, script = echoes) {
    const folder = temporaryFolder()
    const model = createScripted(script)
    const parley = await createParley({
      dataDir: folder.path,
      models: { extra: { scripted: () => model }, model: 'scripted/test' },
      mcpServers,
      permissions: { mode: 'bypassPermissions' },
    })
    return {
      parley,
      requests: model.requests,
      async [Symbol.asyncDispose]() {
        await parley.close()
        folder[Symbol.dispose]()
      },
    }
  }
  const namesOf = (request: { tools: readonly { name: string }[] } | undefined) =>
    request!.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp'))

  it('uses the tools of the servers that its session may use', async () => {
    await using opened = await openParley({ one: stdio(), two: stdio() })
    const { parley, requests } = opened
    expect((await parley.mcp.servers()).items.map(({ state }) => state)).toEqual(['idle', 'idle'])
    const { id } = await parley.sessions.create({ allowedMcpServerIds: ['one'] })
    const { message } = await parley.sessions.chat(id, 'go')
    const done = message!.parts.find((part: Part) => part.type === 'dynamic-tool')
    expect(done).toMatchObject({ toolName: 'mcp__one__echo', state: 'output-available', output: 'from afar' })
    expect(new Set(namesOf(requests[0]).map((name) => name.slice(0, 10)))).toEqual(new Set(['mcp__one__']))
    const known = await parley.mcp.servers()
    expect(known.items.map(({ state, transport }) => [state, transport])).toEqual([
      ['ready', 'stdio'],
      ['idle', 'stdio'],
    ])
    expect(known.deferred).toBe(false)
    await parley.settings.update({ window: { limit: { tokens: known.items[0]!.tokens * 9 } } })
    expect((await parley.mcp.servers()).deferred).toBe(true)
    expect((await parley.mcp.servers({ scope: 'other' })).deferred).toBe(false)
    await parley.settings.update({ window: null })
    await parley.sessions.chat(id, 'again')
    expect(requests.at(-1)!.tools).toEqual(requests[0]!.tools)
    await parley.sessions.chat(id, { content: 'without', mcpEnabled: false })
    expect(namesOf(requests.at(-1))).toEqual([])
    const { tools } = await parley.sessions.prompt(id)
    expect(tools).toContain('mcp__one__echo')
  })

  it('is offered the tools of servers by their names when they are many, and finds, describes and calls them', async () => {
    const name = 'mcp__one__many_42'
    await using opened = await openParley({ one: stdio('100') }, (_request, count) =>
      count === 1
        ? calls(['use_tool', { name: 'number 42.' }])
        : count === 2
          ? calls(['use_tool', { name }])
          : count === 3
            ? calls(['use_tool', { name, arguments: { n: 7 } }])
            : says('Done.'),
    )
    const { parley, requests } = opened
    const { id } = await parley.sessions.create()
    const { message } = await parley.sessions.chat(id, 'go')
    const [found, described, made] = message!.parts.filter(({ type }) => type === 'dynamic-tool')
    expect(found!.output).toContain(`:\n- ${name}: The number 42.\n`)
    expect(described!.output).toMatchObject({ name, inputSchema: { type: 'object' } })
    expect(made).toMatchObject({ toolName: name, input: { n: 7 }, output: '42 and 7' })
    expect(namesOf(requests[0])).toEqual([])
    const { listedTools, toolTokens } = await parley.sessions.prompt(id)
    expect(listedTools.filter((listed) => listed.startsWith('mcp__')).length).toBeGreaterThan(100)
    expect(toolTokens.use_tool).toBeLessThan(4_000)
    expect((await parley.mcp.servers()).deferred).toBe(true)
    // a session that names its tools gets them as they are
    const named = await parley.sessions.create({ allowedTools: [name] })
    expect((await parley.sessions.prompt(named.id)).tools).toEqual([name])
  })
})

describe('the configuration', () => {
  function arrange(files: { user?: string; project?: string }) {
    const folder = temporaryFolder()
    const [home, cwd] = [join(folder.path, 'home'), join(folder.path, 'project')]
    mkdirSync(join(home, '.config', 'parley'), { recursive: true })
    mkdirSync(cwd)
    if (files.user) writeFileSync(join(home, '.config', 'parley', 'config.yaml'), files.user)
    if (files.project) writeFileSync(join(cwd, 'parley.yaml'), files.project)
    const load = () => loadConfig({ home, cwd, platform: 'linux', env: { TOKEN: 'a-long-secret-token' } })
    return { load, home, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  it('takes servers from the file of the user, fills in variables, and shows no secret', () => {
    using place = arrange({
      user: [
        'mcpServers:',
        '  files: { command: mcp-files, args: ["--key=${TOKEN}"], cwd: work, env: { A: "${NONE:-x}", B: "${NONE}" } }',
        '  web: { type: http, url: "https://mcp.example/${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}" } }',
      ].join('\n'),
    })
    const loaded = place.load()
    expect(loaded.config.mcpServers).toEqual({
      files: {
        command: 'mcp-files',
        args: ['--key=a-long-secret-token'],
        cwd: join(place.home, '.config', 'parley', 'work'),
        env: { A: 'x', B: '${NONE}' },
      },
      web: {
        type: 'http',
        url: 'https://mcp.example/a-long-secret-token',
        headers: { Authorization: 'Bearer a-long-secret-token' },
      },
    })
    const shown = JSON.stringify(describeConfig(loaded))
    expect(shown).toContain('mcp-files')
    expect(shown).not.toContain('Bearer')
    expect(shown).not.toContain('--key=a-long')
  })

  it.each([
    ['a project file', { project: 'mcpServers: { evil: { command: rm } }' }, /own config file/],
    [
      'a name that could be taken for another',
      { user: 'mcpServers: { a__b: { command: x } }' },
      /single "_"/,
    ],
    ['a server without a way to it', { user: 'mcpServers: { a: { args: [x] } }' }, /command/],
    [
      'another scheme',
      { user: 'mcpServers: { a: { type: http, url: "file:///etc/passwd" } }' },
      /mapping|http/,
    ],
  ])('refuses %s', (_what, files, message) => {
    using place = arrange(files)
    expect(() => place.load()).toThrow(message)
  })
})

import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createParley } from '../src/parley.ts'
import { createIds } from '../src/core/shared/ids.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createSandbox } from '../src/core/processes/sandbox/sandbox.ts'
import { createTerminalTools, type TerminalSettings } from '../src/extensions/terminal/terminal-tool.ts'
import type { ToolContext } from '../src/core/tools/tool.ts'
import { sqliteDatabase, temporaryFolder, toOptions } from './harness.ts'
import { runTool } from './web-sites.ts'

const cancels = Number(process.env.PARLEY_TEST_CANCELS ?? 20)

/** What any of the actions may answer. */
interface Answer {
  output: string
  exitCode: number | null
  note: string
  log: string
  terminalId: string
  terminals: { terminalId: string }[]
}

function openTerminal(settings: TerminalSettings = {}) {
  const folder = temporaryFolder()
  const [main, session] = ['main', 'session'].map((name) => {
    mkdirSync(join(folder.path, name))
    return realpathSync(join(folder.path, name))
  }) as [string, string]
  const sessions = new Set(['ses_test'])
  const deleted = new Set<() => void>()
  const { tools, close } = createTerminalTools(
    { environment: process.env, ...settings },
    {
      ids: createIds(systemClock),
      clock: systemClock,
      // what it does by itself; sandbox.test.ts has what it does in one
      sandbox: createSandbox({ sandbox: 'off' }),
      hasSession: async ({ sessionId }) => sessions.has(sessionId),
      onSessionDeleted(listener) {
        deleted.add(listener)
        return () => deleted.delete(listener)
      },
    },
  )
  onTestFinished(async () => {
    await close()
    folder[Symbol.dispose]()
  })
  const tool = tools[0]!
  const call = (action: string, input: object = {}, context: Partial<ToolContext> = {}) =>
    runTool(
      tool,
      { action, ...input },
      { workspaces: { main, session, granted: [] }, ...context },
    ) as Promise<Answer>
  const execute = (command: string, input: object = {}, context?: Partial<ToolContext>) =>
    call('execute', { command, ...input }, context)
  return {
    tool,
    main,
    session,
    call,
    execute,
    close,
    deleteSession(id: string) {
      sessions.delete(id)
      for (const listener of deleted) listener()
    },
  }
}

/** Looks at what runs, not at what was told: a process that is only not yet collected by its parent is over. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

const pidsIn = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number) : []

/** A shell with a child, a grandchild and one that left the group; each notes its id. */
const family = (file: string) =>
  `echo $$ >> ${file}; sleep 300 & echo $! >> ${file}; ` +
  `(sh -c 'echo $$ >> ${file}; sleep 300' & sleep 300); echo never`
const stray = (file: string) =>
  `setsid sh -c 'echo $$ >> ${file}; sleep 300' & ` +
  `sh -c "setsid sh -c 'echo \\$\\$ >> ${file}; sleep 300' &"; sleep 300`

describe('execute', () => {
  it('answers what was written, errors in their place, and the exit code', async () => {
    const { execute } = openTerminal()
    expect(await execute('echo one; echo two >&2; echo three; exit 3')).toEqual({
      exitCode: 3,
      output: 'one\ntwo\nthree\n',
    })
    expect(await execute('echo "$0 \'quoted\' \\"too\\""; echo 中文 🙂')).toMatchObject({
      exitCode: 0,
      output: `/bin/sh 'quoted' "too"\n中文 🙂\n`,
    })
    expect((await execute('echo "')).exitCode).not.toBe(0)
    expect(await execute('kill -9 $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  })

  it('has no input and no screen', async () => {
    const { execute } = openTerminal()
    expect(await execute('cat; test -t 1 || echo none; echo $TERM')).toMatchObject({ output: 'none\ndumb\n' })
  })

  it('gives nothing that could not be stored or seen', async () => {
    const { execute } = openTerminal()
    const { output } = await execute(`printf 'a\\0b \\033[31mred\\033[0m \\377 end\\r\\n'`)
    expect(output).toBe('ab red \ufffd end\n')
  })

  it('gives the beginning and the end of a long output, and keeps all of it in a file', async () => {
    const { execute, session } = openTerminal()
    const answer = await execute('seq 1 20000', {}, { toolCallId: '../call/../1' })
    expect(answer.output.length).toBeLessThan(8_192 + 100)
    expect(answer.output).toMatch(/^1\n2\n[^]*… 100702 characters left out …[^]*\n19999\n20000\n$/)
    expect(answer.log).toBe('terminal/___call____1.log')
    expect(readFileSync(join(session, answer.log), 'utf8')).toBe(
      Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join(''),
    )
    const again = await execute('seq 1 20000', {}, { toolCallId: '../call/../1' })
    expect(again.log).toBe('terminal/___call____1-2.log')
    expect((await execute('seq 1 20')).log).toBeUndefined()
  })

  it('keeps no more of it than the limit, and goes on', async () => {
    const { execute, session } = openTerminal({ maxLogBytes: 50_000, maxOutput: 1_000 })
    const answer = await execute('yes | head -c 30000000; echo done')
    expect(answer).toMatchObject({ exitCode: 0, output: expect.stringMatching(/done\n$/) })
    const log = readFileSync(join(session, answer.log), 'utf8')
    expect(log).toMatch(/^(y\n)+\n… no more than 50000 bytes are kept …\n$/)
    expect(log.length).toBeLessThan(50_100)
  })

  it('follows no link with its file, and does without one', async () => {
    const { execute, session, main } = openTerminal()
    symlinkSync(main, join(session, 'terminal'))
    expect(await execute('seq 1 20000')).toMatchObject({ exitCode: 0, output: expect.any(String) })
    expect(existsSync(join(main, 'call_test.log'))).toBe(false)
    const without = await execute('seq 1 20000', {}, { workspaces: { main, granted: [] } })
    expect(without.log).toBeUndefined()
  })

  it('ends a command that takes too long, with all that it started', async () => {
    const { execute, main } = openTerminal()
    const file = join(main, 'pids')
    const answer = await execute(`echo begun; ${family(file)}`, { timeout_seconds: 6 })
    expect(answer).toMatchObject({ exitCode: null, timedOut: true, output: 'begun\n' })
    expect(answer.note).toContain('Ended after 6 seconds')
    expect(pidsIn(file)).toHaveLength(3)
    expect(pidsIn(file).filter(isRunning)).toEqual([])
  })

  it('also those that do not want to, and those that left the group', async () => {
    const { execute, main } = openTerminal()
    const file = join(main, 'pids')
    const stubborn = `trap '' TERM; echo $$ >> ${file}; sh -c "trap '' TERM; echo \\$\\$ >> ${file}; sleep 300" & ${stray(file)}`
    expect(await execute(stubborn, { timeout_seconds: 6 })).toMatchObject({ timedOut: true })
    expect(pidsIn(file).length).toBeGreaterThanOrEqual(4)
    expect(pidsIn(file).filter(isRunning)).toEqual([])
  })

  it('ends what a command leaves behind, and does not wait for it', async () => {
    const { execute, main } = openTerminal()
    const file = join(main, 'pids')
    const answer = await execute(`sleep 300 & echo $! > ${file}; echo done`)
    expect(answer).toEqual({ exitCode: 0, output: 'done\n' })
    expect(pidsIn(file).filter(isRunning)).toEqual([])
  })

  it(`leaves no process behind after ${cancels} turns were stopped`, async () => {
    const { execute, main } = openTerminal()
    const files = Array.from({ length: cancels }, (_, index) => join(main, `pids-${index}`))
    const stopOne = async (file: string) => {
      const stop = new AbortController()
      const running = execute(family(file), {}, { signal: stop.signal })
      const refused = expect(running).rejects.toThrow()
      await expect.poll(() => pidsIn(file).length).toBe(3)
      stop.abort()
      await refused
    }
    // four at a time: more would only wait for the machine
    for (let start = 0; start < files.length; start += 4)
      await Promise.all(files.slice(start, start + 4).map(stopOne))
    const pids = files.flatMap(pidsIn)
    expect(pids).toHaveLength(3 * cancels)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('does not even start for a turn that was stopped', async () => {
    const { execute, main } = openTerminal()
    await expect(execute('touch started', {}, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(existsSync(join(main, 'started'))).toBe(false)
  })

  it('sees nothing of the environment but what it needs', async () => {
    const canaries = {
      OPENAI_API_KEY: 'canary-openai',
      ANTHROPIC_API_KEY: 'canary-anthropic',
      PARLEY_API_KEY: 'canary-parley',
      DATABASE_URL: 'postgres://canary-database',
      BRAVE_API_KEY: 'canary-brave',
      AWS_SECRET_ACCESS_KEY: 'canary-aws',
      GITHUB_TOKEN: 'canary-github',
      NODE_OPTIONS: '--title=canary-node',
      LD_PRELOAD: '/canary-preload.so',
      LC_SECRET_KEY: 'canary-lc',
      path_extra: 'canary-path',
    }
    const environment = {
      ...canaries,
      PATH: process.env.PATH,
      HOME: '/home/x',
      LANG: 'C',
      LC_ALL: 'C',
      JAVA_HOME: '/java',
    }
    const { execute, call } = openTerminal({ environment, variables: ['JAVA_HOME'] })
    const { output } = await execute('env; cat /proc/self/environ | tr "\\0" "\\n"')
    expect(output).not.toContain('canary')
    const names = output.split('\n').map((line) => line.split('=')[0])
    for (const name of ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TERM', 'JAVA_HOME']) expect(names).toContain(name)
    const { terminalId: terminal_id } = await call('spawn')
    const said = await call('send', { terminal_id, input: 'env; exit', wait_ms: 10_000 })
    expect(said.output).toContain('PATH=')
    expect(said.output).not.toContain('canary')
  })

  it('knows a path and a home where nobody said what there is', async () => {
    const { execute } = openTerminal({ environment: undefined })
    expect(await execute('echo $HOME; ls /bin/sh')).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^\/.+\n/),
    })
  })
})

describe('the folder of a command', () => {
  it('is one of the workspaces', async () => {
    const { execute, main, session } = openTerminal()
    mkdirSync(join(main, 'inner'))
    const place = async (input: object) => (await execute('pwd', input)).output.trim()
    expect(await place({})).toBe(main)
    expect(await place({ cwd: 'inner' })).toBe(join(main, 'inner'))
    expect(await place({ workspace: 'session' })).toBe(session)
    expect(await place({ cwd: join(main, 'inner') })).toBe(join(main, 'inner'))
  })

  it('is nowhere else', async () => {
    const { execute, call, main } = openTerminal()
    writeFileSync(join(main, 'file'), '')
    symlinkSync('/etc', join(main, 'link'))
    for (const cwd of [
      '..',
      '../..',
      '/',
      '/etc',
      'link',
      'link/ssl',
      `${main}-evil`,
      '../main-evil',
      'a\0b',
    ])
      for (const action of [() => execute('pwd', { cwd }), () => call('spawn', { cwd })])
        await expect(action(), cwd).rejects.toThrow('OUT_OF_BOUNDS')
    for (const cwd of ['file', 'absent', 'file/x'])
      await expect(execute('pwd', { cwd }), cwd).rejects.toThrow('is not a folder that can be used')
    await expect(execute('pwd', {}, { workspaces: { granted: [] } })).rejects.toThrow(
      'has no folder to work in',
    )
  })

  it('is asked for first where it is outside', async () => {
    const { tool, main } = openTerminal()
    const access = (input: object) => tool.access!(input, { main, granted: [] })
    expect(access({ action: 'execute', command: 'ls -l' })).toEqual({
      action: 'execute',
      effect: 'execute',
      resources: ['ls -l'],
    })
    expect(access({ action: 'execute', command: 'ls', cwd: '/etc/../var' })).toEqual({
      action: 'execute',
      effect: 'execute',
      resources: ['ls', '/var'],
      outside: ['/var'],
    })
    expect(access({ action: 'send', terminal_id: 'term_1', input: 'rm x' })).toMatchObject({
      action: 'send',
      effect: 'execute',
      resources: ['rm x'],
    })
    expect(access({ action: 'list' })).toMatchObject({ action: 'list', effect: 'read' })
    expect(access({ action: 'kill', terminal_id: 'term_1' })).toMatchObject({
      effect: 'execute',
      resources: ['term_1'],
    })
  })
})

describe('a terminal', () => {
  it('keeps what it was told between calls', async () => {
    const { call, main } = openTerminal()
    const { terminalId: terminal_id, ...opened } = await call('spawn', { title: 'Work' })
    expect(opened).toMatchObject({ title: 'Work', cwd: main, status: 'running' })
    const send = (input: string, more: object = {}) =>
      call('send', { terminal_id, input, wait_ms: 10_000, ...more })
    /** However fast it is: what it says comes with the call, or with one of the next. */
    const expectOutput = async (input: string, expected: string) => {
      let { output } = await send(input, { wait_ms: 0 })
      await expect.poll(async () => (output += (await call('read', { terminal_id })).output)).toBe(expected)
    }
    await expectOutput('x=5; cd /; echo ready', 'ready\n')
    await send('echo $x', { press_enter: false, wait_ms: 0 })
    await expectOutput('$x; pwd; echo problem >&2', '55\n/\nproblem\n')
    expect((await call('list')).terminals).toMatchObject([
      { terminalId: terminal_id, title: 'Work', status: 'running' },
    ])
    expect(await send('echo bye; exit 4')).toMatchObject({ status: 'exited', exitCode: 4, output: 'bye\n' })
    await expect(send('echo')).rejects.toThrow('The terminal is gone; spawn a new one.')
    expect((await call('list')).terminals).toEqual([])
  })

  it('gives the beginning and the end when it wrote much, and never keeps more', async () => {
    const { call } = openTerminal()
    const { terminalId: terminal_id } = await call('spawn')
    const { output } = await call('send', {
      terminal_id,
      input: 'yes | head -c 5000000; echo; echo end; exit',
      wait_ms: 10_000,
    })
    expect(output.length).toBeLessThan(8_300)
    expect(output).toMatch(/^y\n[^]*characters left out[^]*end\n$/)
  })

  it('belongs to one session', async () => {
    const { call } = openTerminal()
    const { terminalId: terminal_id } = await call('spawn')
    for (const other of [{ sessionId: 'ses_other' }, { scope: 'other' }]) {
      for (const action of ['read', 'kill', 'send'])
        await expect(call(action, { terminal_id }, other)).rejects.toThrow('spawn a new one')
      expect((await call('list', {}, other)).terminals).toEqual([])
    }
    await expect(call('read', { terminal_id: 'term_gone' })).rejects.toThrow(
      'There is no terminal "term_gone" in this session: it was ended, not used for too long, or Parley was restarted. ' +
        'The terminal is gone; spawn a new one.',
    )
  })

  it('is one of a few', async () => {
    const { call } = openTerminal({ maxPerSession: 2 })
    const spawned = await Promise.allSettled(Array.from({ length: 5 }, () => call('spawn')))
    expect(spawned.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      ...Array(3).fill('rejected'),
    ])
    await expect(call('spawn')).rejects.toThrow('2 terminals open, which is the limit')
    await call('spawn', {}, { sessionId: 'ses_other' })
    const { terminalId: terminal_id } = (await call('list')).terminals[0]!
    expect(await call('kill', { terminal_id })).toMatchObject({ status: 'exited' })
    await call('spawn')
  })

  const openFamily = async (settings?: TerminalSettings) => {
    const opened = openTerminal(settings)
    const file = join(opened.main, 'pids')
    const { terminalId: terminal_id } = await opened.call('spawn')
    await opened.call('send', {
      terminal_id,
      input: `${family(file).replace('; echo never', '')} & ${stray(file)}`,
      wait_ms: 0,
    })
    await expect.poll(() => pidsIn(file).length).toBe(5)
    return { ...opened, terminal_id, running: () => pidsIn(file).filter(isRunning) }
  }

  it.each<[string, (opened: Awaited<ReturnType<typeof openFamily>>) => Promise<unknown>]>([
    ['when it is killed', ({ call, terminal_id }) => call('kill', { terminal_id })],
    ['when Parley closes', ({ close }) => close()],
    ['when its session is deleted', async ({ deleteSession }) => deleteSession('ses_test')],
  ])('ends %s, with all that it started', async (_name, end) => {
    const opened = await openFamily()
    expect(opened.running()).toHaveLength(5)
    await end(opened)
    await expect.poll(opened.running).toEqual([])
  })

  it('ends when nobody used it for too long', async () => {
    const { running, call } = await openFamily({ idleMs: 8_000 })
    await expect.poll(running).toEqual([])
    expect((await call('list')).terminals).toEqual([])
  })

  it('cannot be made to keep what it does not read', async () => {
    const { call } = openTerminal()
    const { terminalId: terminal_id } = await call('spawn')
    await call('send', { terminal_id, input: 'sleep 300', wait_ms: 0 })
    const flood = async () => {
      for (let count = 0; count < 100; count++)
        await call('send', { terminal_id, input: 'x'.repeat(50_000), wait_ms: 0 })
    }
    await expect(flood()).rejects.toThrow('does not read what it is sent')
  })
})

describe('closing', () => {
  it('ends commands that run, and starts no others', async () => {
    const { execute, call, close, main } = openTerminal()
    const file = join(main, 'pids')
    const running = execute(family(file))
    await expect.poll(() => pidsIn(file).length).toBe(3)
    await close()
    expect(pidsIn(file).filter(isRunning)).toEqual([])
    expect(await running).toMatchObject({ exitCode: null, signal: 'SIGTERM' })
    await expect(execute('true')).rejects.toThrow('Parley is closing')
    await expect(call('spawn')).rejects.toThrow('Parley is closing')
  })

  it('of a Parley leaves nothing, and so does the end of a session', async () => {
    await using database = await sqliteDatabase()
    using folder = temporaryFolder()
    const file = join(folder.path, 'pids')
    const parley = await createParley({
      ...toOptions(database),
      scopes: { default: { root: folder.path } },
      // in one, processes have numbers that mean nothing here
      terminal: { sandbox: 'off' },
    })
    const tool = parley.services.catalogue.tools.find(({ name }) => name === 'terminal')!
    const open = async () => {
      const { id: sessionId } = await parley.sessions.create()
      const workspaces = { main: realpathSync(folder.path), granted: [] }
      const call = (input: object) => runTool(tool, input, { sessionId, workspaces }) as Promise<Answer>
      const { terminalId: terminal_id } = await call({ action: 'spawn' })
      await call({ action: 'send', terminal_id, input: `echo $$ >> ${file}; sleep 300`, wait_ms: 0 })
      return sessionId
    }
    const first = await open()
    await open()
    await expect.poll(() => pidsIn(file).length).toBe(2)
    await parley.sessions.delete(first)
    await expect.poll(() => pidsIn(file).filter(isRunning).length).toBe(1)
    await parley.close()
    expect(pidsIn(file).filter(isRunning)).toEqual([])
  })
})

describe('what the tool does not take', () => {
  it.each([
    {},
    { action: 'run' },
    { action: 'execute', command: '' },
    { action: 'execute', command: 'x', timeout_seconds: 0 },
    { action: 'execute', command: 'x', timeout_seconds: 301 },
    { action: 'execute', command: 'x', timeout_seconds: 1.5 },
    { action: 'send', wait_ms: 10_001 },
    { action: 'send', wait_ms: -1 },
    { action: 'spawn', workspace: 'elsewhere' },
    { action: 'list', extra: 1 },
    { action: 'execute', command: 'x', cwd: '' },
  ])('%j', async (input) => {
    expect(openTerminal().tool.input.safeParse(input).success).toBe(false)
  })

  it('a command longer than any that is meant', () => {
    const input = { action: 'execute', command: 'x'.repeat(50_001) }
    expect(openTerminal().tool.input.safeParse(input).success).toBe(false)
  })

  it('and says what is missing', async () => {
    const { call } = openTerminal()
    await expect(call('execute')).rejects.toThrow('"execute" needs "command".')
    for (const action of ['send', 'read', 'kill'])
      await expect(call(action, { input: 'x' })).rejects.toThrow(`"${action}" needs "terminal_id".`)
    await expect(call('send', { terminal_id: 'x', press_enter: false })).rejects.toThrow('needs "input"')
  })
})

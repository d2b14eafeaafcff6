import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Workspaces } from '../files/workspaces.ts'
import { changesBetween, type Inspection } from './folder-changes.ts'
import { findMarked, hasLivingMembers, markVariable } from './find-processes.ts'
import type { Launch } from './sandbox/launch.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A shell, or a program, together with everything that it starts. */
export interface ProcessGroup {
  /** What it and its children write; of a shell errors too, in the order of writing. */
  readonly output: Readable
  /** Of a program alone. */
  readonly errors: Readable | null
  /** Null for a command, which has nothing to read. */
  readonly input: Writable | null
  /** When the shell itself has exited; what it started may still be running. Rejects when it could not be started. */
  readonly exited: Promise<Exit>
  /**
   * Ends all of them: politely, then not. With `strays` also those that left the group. Never rejects; resolves when
   * nothing is left that could be ended.
   */
  end(options?: { strays: boolean }): Promise<void>
  /** Which files that other programs run were made or changed in its workspaces since it was last asked. */
  protectedChanges(): Promise<string[]>
}

export interface GroupOptions {
  /** For a shell; a list is a program with its arguments, which no shell reads. Without it, a shell that reads commands. */
  command?: string | readonly string[]
  cwd: string
  env: Record<string, string>
  /** What it may see and write. Required where there is a sandbox: nothing gets past it by being forgotten. */
  workspaces?: Workspaces
}

export interface ProcessGroups {
  start(options: GroupOptions): Promise<ProcessGroup>
  /** Ends what is running; nothing can be started any more. */
  close(): Promise<void>
}

// enough to write a file to its end; a stop takes so long at most
const graceMs = 2_000
const pollMs = 20
// each time, the processes that were found could have started others
const maxPasses = 5

/** Without a sandbox for programs of the operator's own, which do what Parley may do. */
export function createProcessGroups(sandbox?: Sandbox): ProcessGroups {
  const running = new Map<ProcessGroup, number>()
  let isClosed = false
  // a process that does not get to close, for a second Ctrl-C, still leaves nothing behind
  const killAll = () => {
    for (const pid of running.values()) signalGroup(pid, 'SIGKILL')
  }

  function keep(group: ProcessGroup, pid: number): void {
    if (running.size === 0) process.on('exit', killAll)
    running.set(group, pid)
  }
  function forget(group: ProcessGroup): void {
    if (running.delete(group) && running.size === 0) process.off('exit', killAll)
  }

  function requireOpen(): void {
    if (isClosed) throw new Error('Parley is closing; nothing can be started.')
  }

  return {
    async start(options) {
      const { workspaces } = options
      requireOpen()
      let inspection = workspaces && (await sandbox?.inspect(workspaces))
      requireOpen()
      const mark = randomUUID()
      const env = { ...options.env, [markVariable]: mark }
      const { child, launch } = startChild({ ...options, env }, sandbox, inspection)
      const { pid } = child
      const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }))
      // those who wait for it receive the error; nobody has to
      exited.catch(() => {})
      child.stdin?.on('error', () => {}) // it stopped reading, which its output or its exit will show
      let ending: Promise<void> | undefined
      const group: ProcessGroup = {
        output: child.stdout!.setEncoding('utf8'),
        errors: child.stderr?.setEncoding('utf8') ?? null,
        input: child.stdin,
        exited,
        async end({ strays } = { strays: true }) {
          if (pid === undefined) return launch?.end?.()
          // the program that made the namespaces takes all that is in them along, and would do so at the first signal
          ending ??= endGroup(pid, () =>
            launch?.options ? signalMarked(mark, 'SIGTERM') : signalGroup(pid, 'SIGTERM'),
          )
          await ending
          if (strays) await endStrays(mark)
          launch?.end?.()
          forget(group)
        },
        async protectedChanges() {
          if (!inspection || !workspaces || !sandbox) return []
          const before = inspection
          // what rules close does not matter any more
          inspection = await sandbox.inspect({ ...workspaces, readFileRules: undefined })
          return changesBetween(before, inspection)
        },
      }
      if (pid !== undefined) keep(group, pid)
      return group
    },
    async close() {
      isClosed = true
      await Promise.all([...running.keys()].map((group) => group.end()))
    },
  }
}

function startChild(
  options: GroupOptions,
  sandbox: Sandbox | undefined,
  inspection: Inspection | undefined,
): { child: ChildProcess; launch?: Launch } {
  const { command, cwd, env, workspaces } = options
  if (sandbox) {
    if (!workspaces) throw new Error('A command was to be started without the workspaces that it may see.')
    const launch = sandbox.launch({ command: toProgram(command), cwd, env, workspaces, inspection })
    if (launch)
      try {
        return { child: startConfined(launch, command), launch }
      } catch (error) {
        launch.end?.()
        throw error
      }
  }
  if (command === undefined || typeof command === 'string') return { child: startShell(command, cwd, env) }
  const [program = '', ...args] = command
  const detached = process.platform !== 'win32'
  return { child: spawn(program, args, { cwd, env, stdio: 'pipe', detached, windowsHide: true }) }
}

type CommandLine = GroupOptions['command']

const toProgram = (command: CommandLine): readonly string[] => {
  if (command === undefined) return ['/bin/sh']
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : command
}

function startConfined(launch: Launch, command: CommandLine): ChildProcess {
  const { file, options, args, env, cwd, descriptors } = launch
  const program = [file, ...(options ? ['--args', '3', '--'] : []), ...args]
  const isShell = command === undefined || typeof command === 'string'
  const [first = '', ...rest] = isShell ? joiningErrors(program) : program
  const handedOver = options ? ['pipe' as const, ...descriptors] : []
  try {
    const child = spawn(first, rest, {
      cwd,
      env,
      stdio: [...(isShell ? shellStdio(command) : (['pipe', 'pipe', 'pipe'] as const)), ...handedOver],
      detached: true,
    })
    const pipe = child.stdio[3] as Writable | undefined
    pipe?.on('error', () => {}) // it could not be started, which its exit will show
    pipe?.end(options?.map((option) => `${option}\0`).join(''))
    return child
  } finally {
    launch.release()
  }
}

/** Errors go where the output goes, by the shell itself: two pipes would lose the order. */
const joiningErrors = (program: readonly string[]) => ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', ...program]

const shellStdio = (command: string | undefined) =>
  [command === undefined ? 'pipe' : 'ignore', 'pipe', 'ignore'] as const

function startShell(command: string | undefined, cwd: string, env: Record<string, string>): ChildProcess {
  const stdio = [...shellStdio(command)]
  if (process.platform === 'win32')
    return spawn(
      'cmd.exe',
      ['/d', '/s', '/c', `"cmd.exe /d /s ${command === undefined ? '/q' : `/c "${command}"`} 2>&1"`],
      {
        cwd,
        env,
        stdio,
        windowsVerbatimArguments: true,
        windowsHide: true,
      },
    )
  const [program = '', ...args] = joiningErrors(toProgram(command))
  return spawn(program, args, {
    cwd,
    env,
    stdio,
    detached: true, // in a group of its own, which can be ended as a whole
  })
}

async function endGroup(pid: number, requestEnd: () => unknown): Promise<void> {
  await requestEnd()
  if (await isGone(pid)) return
  signalGroup(pid, 'SIGKILL')
  await isGone(pid)
}

async function isGone(pid: number): Promise<boolean> {
  const end = performance.now() + graceMs
  while (await isAlive(pid)) {
    if (performance.now() >= end) return false
    await sleep(pollMs)
  }
  return true
}

/** False also when there is nobody any more. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    if (process.platform !== 'win32') return process.kill(-pid, signal)
    if (signal === 0) return process.kill(pid, 0)
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on(
      'error',
      () => {},
    )
    return true
  } catch {
    return false // gone already
  }
}

/** Processes that have exited still count for the system until they are reaped, which in a container may be never. */
const isAlive = async (pid: number) => signalGroup(pid, 0) && ((await hasLivingMembers(pid)) ?? true)

async function endStrays(mark: string): Promise<void> {
  for (let pass = 0; pass < maxPasses; pass++) {
    if ((await signalMarked(mark, 'SIGKILL')) === 0) return
    await sleep(pollMs)
  }
}

/** How many it found. */
async function signalMarked(mark: string, signal: NodeJS.Signals): Promise<number> {
  const found = await findMarked(mark)
  for (const pid of found)
    try {
      process.kill(pid, signal)
    } catch {
      // gone since it was seen
    }
  return found.length
}

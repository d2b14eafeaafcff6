import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findMarked, hasLivingMembers, markVariable } from './proc.ts'

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
  /** When the shell itself is over; what it started may go on. Rejects when it could not be started. */
  readonly exited: Promise<Exit>
  /**
   * Ends all of them: politely, then not. With `strays` also those that left the group. Never rejects; resolves when
   * nothing is left that could be ended.
   */
  end(options?: { strays: boolean }): Promise<void>
}

export interface GroupOptions {
  /** For a shell; a list is a program with its arguments, which no shell reads. Without it, a shell that reads commands. */
  command?: string | readonly string[]
  cwd: string
  env: Record<string, string>
}

export interface ProcessGroups {
  start(options: GroupOptions): ProcessGroup
  /** Ends what is running; nothing can be started any more. */
  close(): Promise<void>
}

// enough to write a file to its end; whoever waits for a stop waits so long at most
const graceMs = 2_000
const pollMs = 20
// each time, whoever was found could have started others
const maxPasses = 5

export function createProcessGroups(): ProcessGroups {
  const running = new Map<ProcessGroup, number>()
  let isClosed = false
  // a process that does not get to close, for a second Ctrl-C, still leaves nothing behind
  const killAll = () => running.values().forEach((pid) => signalGroup(pid, 'SIGKILL'))

  function keep(group: ProcessGroup, pid: number): void {
    if (running.size === 0) process.on('exit', killAll)
    running.set(group, pid)
  }
  function forget(group: ProcessGroup): void {
    if (running.delete(group) && running.size === 0) process.off('exit', killAll)
  }

  return {
    start(options) {
      if (isClosed) throw new Error('Parley is closing; nothing can be started.')
      const mark = randomUUID()
      const child = startChild({ ...options, env: { ...options.env, [markVariable]: mark } })
      const { pid } = child
      const exited = once(child, 'exit').then(([code, signal]): Exit => ({ code, signal }))
      // those who wait for it are told; nobody has to
      exited.catch(() => {})
      child.stdin?.on('error', () => {}) // it stopped reading, which its output or its end will tell
      let ending: Promise<void> | undefined
      const group: ProcessGroup = {
        output: child.stdout!.setEncoding('utf8'),
        errors: child.stderr?.setEncoding('utf8') ?? null,
        input: child.stdin,
        exited,
        async end({ strays } = { strays: true }) {
          if (pid === undefined) return
          ending ??= endGroup(pid)
          await ending
          if (strays) await endStrays(mark)
          forget(group)
        },
      }
      if (pid !== undefined) keep(group, pid)
      return group
    },
    async close() {
      isClosed = true
      await Promise.all(running.keys().map((group) => group.end()))
    },
  }
}

function startChild({ command, cwd, env }: GroupOptions): ChildProcess {
  if (command === undefined || typeof command === 'string') return startShell(command, cwd, env)
  const [program = '', ...args] = command
  const detached = process.platform !== 'win32'
  return spawn(program, args, { cwd, env, stdio: 'pipe', detached, windowsHide: true })
}

function startShell(command: string | undefined, cwd: string, env: Record<string, string>): ChildProcess {
  const stdin = command === undefined ? 'pipe' : 'ignore'
  // errors go where the output goes, by the shell itself: two pipes would lose the order
  if (process.platform === 'win32')
    return spawn(
      'cmd.exe',
      ['/d', '/s', '/c', `"cmd.exe /d /s ${command === undefined ? '/q' : `/c "${command}"`} 2>&1"`],
      {
        cwd,
        env,
        stdio: [stdin, 'pipe', 'ignore'],
        windowsVerbatimArguments: true,
        windowsHide: true,
      },
    )
  const inner = command === undefined ? ['/bin/sh'] : ['/bin/sh', '-c', command]
  return spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', ...inner], {
    cwd,
    env,
    stdio: [stdin, 'pipe', 'ignore'],
    detached: true, // in a group of its own, which can be ended as a whole
  })
}

async function endGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGTERM')
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

/** Those that are over still count for the system until somebody collects them, which in a container may be never. */
const isAlive = async (pid: number) => signalGroup(pid, 0) && ((await hasLivingMembers(pid)) ?? true)

async function endStrays(mark: string): Promise<void> {
  for (let pass = 0; pass < maxPasses; pass++) {
    const found = await findMarked(mark)
    if (found.length === 0) return
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // gone since it was seen
      }
    await sleep(pollMs)
  }
}

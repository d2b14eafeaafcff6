import { setTimeout as sleep } from 'node:timers/promises'
import { quote } from '../../core/protocol/error.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Ids } from '../../core/shared/ids.ts'
import { createKeptOutput, type KeptOutput } from '../../core/processes/command-output.ts'
import type { Exit, GroupOptions, ProcessGroup, ProcessGroups } from '../../core/processes/process-groups.ts'

/** The session that a terminal belongs to; no other one sees it. */
export interface Owner {
  scope: string
  sessionId: string
}

export interface TerminalLimits {
  maxPerSession: number
  maxOutput: number
  idleMs: number
}

export interface TerminalsDeps {
  groups: ProcessGroups
  ids: Ids
  clock: Clock
  limits: TerminalLimits
  /** Whether a session is still there. */
  hasSession(owner: Owner): Promise<boolean>
}

export interface TerminalInfo {
  terminalId: string
  title?: string
  cwd: string
  status: 'running' | 'exited'
  exitCode?: number | null
  startedAt: string
}

export interface TerminalOutput extends TerminalInfo {
  /** What came since it was last read. */
  output: string
}

/** The same, with the files that other programs run and that were made or changed since it was asked before. */
export interface ChangedOutput extends TerminalOutput {
  protectedChanges: string[]
}

/** Shells that stay open between calls. They live in the memory of this process, and end with it. */
export interface Terminals {
  spawn(owner: Owner, options: GroupOptions & { title?: string }): Promise<TerminalInfo>
  send(owner: Owner, id: string, input: string, waitMs: number, signal: AbortSignal): Promise<ChangedOutput>
  /** Input of a line that has not ended yet: the next input continues it. */
  lineSoFar(id: string): string
  read(owner: Owner, id: string): TerminalOutput
  list(owner: Owner): TerminalInfo[]
  kill(owner: Owner, id: string): Promise<ChangedOutput>
  /** Ends those that are idle for too long or whose session is gone; also done from time to time. */
  sweep(): Promise<void>
  close(): Promise<void>
}

interface Terminal {
  id: string
  owner: Owner
  title?: string
  cwd: string
  group: ProcessGroup
  unread: KeptOutput
  line: string
  exit?: Exit
  /** When all that it wrote has been read. */
  ended: Promise<void>
  startedAt: number
  usedAt: number
}

const sweepMs = 30_000
// a program that reads nothing must not make Parley keep what it is sent
const maxUnsent = 1_048_576
const maxLine = 50_000

export function createTerminals({ groups, ids, clock, limits, hasSession }: TerminalsDeps): Terminals {
  const terminals = new Map<string, Terminal>()
  /** Whose shells are about to be there. */
  const starting: Owner[] = []
  let timer: NodeJS.Timeout | undefined

  function add(terminal: Terminal): void {
    terminals.set(terminal.id, terminal)
    timer ??= setInterval(() => void sweep(), Math.min(sweepMs, limits.idleMs / 2)).unref()
  }

  async function remove(terminal: Terminal): Promise<void> {
    terminals.delete(terminal.id)
    if (terminals.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
    await terminal.group.end()
    terminal.group.output.destroy()
  }

  function requireTerminal({ scope, sessionId }: Owner, id: string): Terminal {
    const terminal = terminals.get(id)
    if (!terminal || !isSame(terminal.owner, { scope, sessionId }))
      throw new Error(
        `There is no terminal ${quote(id)} in this session: it was ended, not used for too long, or Parley was restarted. ` +
          'The terminal is gone; spawn a new one.',
      )
    terminal.usedAt = clock.now()
    return terminal
  }

  const ofOwner = (owner: Owner) =>
    [...terminals.values()].filter((terminal) => isSame(terminal.owner, owner))

  /** New output; a terminal that has ended is removed once its last output is read. */
  function take(terminal: Terminal): TerminalOutput {
    const output = terminal.unread.read()
    terminal.unread = createKeptOutput(limits.maxOutput)
    if (terminal.exit) void remove(terminal)
    return { ...toInfo(terminal), output }
  }

  async function sweep(): Promise<void> {
    const now = clock.now()
    for (const terminal of terminals.values()) {
      const isIdle = now - terminal.usedAt >= limits.idleMs
      // a store out of reach does not mean that the session is gone
      if (isIdle || !(await hasSession(terminal.owner).catch(() => true))) await remove(terminal)
    }
  }

  return {
    async spawn(owner, { title, ...options }) {
      const running = ofOwner(owner).filter(({ exit }) => !exit)
      const coming = starting.filter((other) => isSame(owner, other)).length
      if (running.length + coming >= limits.maxPerSession)
        throw new Error(
          `This session has ${running.length + coming} terminals open, which is the limit. Kill one first: ${running.map(({ id }) => id).join(', ') || 'none is allowed'}.`,
        )
      starting.push(owner)
      const group = await groups.start(options).finally(() => starting.splice(starting.indexOf(owner), 1))
      const now = clock.now()
      const terminal: Terminal = {
        id: ids.next('term'),
        owner,
        title,
        cwd: options.cwd,
        group,
        unread: createKeptOutput(limits.maxOutput),
        line: '',
        ended: Promise.resolve(),
        startedAt: now,
        usedAt: now,
      }
      terminal.ended = follow(terminal)
      add(terminal)
      return toInfo(terminal)
    },

    async send(owner, id, input, waitMs, signal) {
      const terminal = requireTerminal(owner, id)
      const { group, exit, ended } = terminal
      if (!exit) {
        if (group.input!.writableLength > maxUnsent)
          throw new Error(
            `The terminal ${quote(id)} does not read what it is sent. Kill it and spawn a new one.`,
          )
        const line = (terminal.line + input).split('\n').at(-1)!
        if (line.length > maxLine)
          throw new Error(`A line of more than ${maxLine} characters is not sent. End it, or use a file.`)
        terminal.line = line
        group.input!.write(input)
        await Promise.race([ended, sleep(waitMs, undefined, { signal, ref: false })])
      }
      return { ...take(terminal), protectedChanges: await group.protectedChanges() }
    },

    lineSoFar: (id) => terminals.get(id)?.line ?? '',

    read: (owner, id) => take(requireTerminal(owner, id)),

    list: (owner) => ofOwner(owner).map(toInfo),

    async kill(owner, id) {
      const terminal = requireTerminal(owner, id)
      await remove(terminal)
      return { ...take(terminal), protectedChanges: await terminal.group.protectedChanges() }
    },

    sweep,

    async close() {
      await Promise.all([...terminals.values()].map(remove))
    },
  }
}

const isSame = (one: Owner, other: Owner) => one.scope === other.scope && one.sessionId === other.sessionId

/** Reads what it writes for as long as it writes; never rejects. */
async function follow(terminal: Terminal): Promise<void> {
  const { group } = terminal
  const over = group.exited
    .catch((): Exit => ({ code: null, signal: null }))
    .then((exit) => {
      terminal.exit = exit
      // a shell that has ended leaves no process behind
      return group.end()
    })
  try {
    for await (const text of group.output as AsyncIterable<string>) terminal.unread.add(text)
  } catch {
    // ended from outside
  }
  await over
}

const toInfo = ({ id, title, cwd, exit, startedAt }: Terminal): TerminalInfo => ({
  terminalId: id,
  title,
  cwd,
  status: exit ? 'exited' : 'running',
  ...(exit && { exitCode: exit.code }),
  startedAt: new Date(startedAt).toISOString(),
})

import { z } from 'zod'
import { workspaceNames } from '../../core/files/workspaces.ts'
import type { Clock } from '../../core/shared/clock.ts'
import type { Ids } from '../../core/shared/ids.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'
import { commandEnvironment } from '../../core/processes/command-environment.ts'
import { openOutputLog } from './output-log.ts'
import { createProcessGroups, type ProcessGroups } from '../../core/processes/process-groups.ts'
import { runCommand, type CommandResult } from './run-command.ts'
import { reasonToAsk, type Sandbox, type SandboxSettings } from '../../core/processes/sandbox/sandbox.ts'
import { describeChanges, changesNotice } from '../../core/processes/protected-changes.ts'
import { createTerminals, type ChangedOutput, type Owner, type Terminals } from './terminals.ts'
import { foldersOutside, requireFolder } from '../../core/processes/working-folder.ts'

export interface CommandLimits {
  /** The default, and the most that a command may request. */
  timeoutSeconds: number
  maxTimeoutSeconds: number
  /** Characters of one answer. */
  maxOutput: number
  /** Of the file that keeps longer output. */
  maxLogBytes: number
  /** Shells of one session at a time. */
  maxPerSession: number
  /** A shell that nobody used for so long is ended. */
  idleMs: number
}

export const defaultCommandLimits: CommandLimits = {
  timeoutSeconds: 30,
  maxTimeoutSeconds: 300,
  maxOutput: 8_192,
  maxLogBytes: 10 * 1_024 * 1_024,
  maxPerSession: 5,
  idleMs: 1_800_000,
}

/** What is left out has its default. */
export interface TerminalSettings extends Partial<CommandLimits>, SandboxSettings {
  /** Where variables for commands are picked from; default: no more than a path and a home. */
  environment?: Readonly<Record<string, string | undefined>>
  /** Names of variables to pick besides those that every program needs. */
  variables?: readonly string[]
}

export interface TerminalDeps {
  ids: Ids
  clock: Clock
  sandbox: Sandbox
  /** Workspaces that extensions give sessions. */
  folders?: readonly { name: string }[]
  hasSession(owner: Owner): Promise<boolean>
  /** Calls back when a session is deleted; answers how to stop that. */
  onSessionDeleted(listener: () => void): () => void
}

export interface TerminalTools {
  tools: Tool[]
  /** Ends all that commands and terminals left running. */
  close(): Promise<void>
}

const actions = ['execute', 'spawn', 'send', 'read', 'list', 'kill'] as const
const maxWaitMs = 10_000
const defaultWaitMs = 2_000

export function createTerminalTools(settings: TerminalSettings, deps: TerminalDeps): TerminalTools {
  const limits = { ...defaultCommandLimits, ...settings }
  const groups = createProcessGroups(deps.sandbox)
  const terminals = createTerminals({ ...deps, groups, limits })
  const unsubscribe = deps.onSessionDeleted(() => void terminals.sweep())
  const env = commandEnvironment(settings.environment, settings.variables)
  return {
    tools: [createTool({ groups, terminals, limits, env, sandbox: deps.sandbox, folders: deps.folders })],
    async close() {
      unsubscribe()
      await Promise.all([groups.close(), terminals.close()])
    },
  }
}

interface Parts {
  groups: ProcessGroups
  terminals: Terminals
  limits: CommandLimits
  env: Record<string, string>
  sandbox: Sandbox
  folders: TerminalDeps['folders']
}

const toInputSchema = ({ maxTimeoutSeconds }: CommandLimits, folders: TerminalDeps['folders'] = []) =>
  z.strictObject({
    action: z.enum(actions),
    command: z.string().min(1).max(50_000).optional(),
    cwd: z.string().min(1).max(4_096).optional(),
    workspace: z.enum([...workspaceNames, ...folders.map(({ name }) => name)]).optional(),
    timeout_seconds: z.int().min(1).max(maxTimeoutSeconds).optional(),
    title: z.string().min(1).max(200).optional(),
    terminal_id: z.string().min(1).max(100).optional(),
    input: z.string().max(50_000).optional(),
    press_enter: z.boolean().optional(),
    wait_ms: z.int().min(0).max(maxWaitMs).optional(),
  })
type Input = z.infer<ReturnType<typeof toInputSchema>>

function createTool(parts: Parts): Tool {
  const { limits, terminals, sandbox } = parts
  return defineTool({
    name: 'terminal',
    group: 'terminal',
    offered: 'whole',
    description:
      'Runs shell commands. "execute" runs "command" to its end and answers its output and exit code; it has no input, ' +
      `and ends after timeout_seconds (default ${limits.timeoutSeconds}, at most ${limits.maxTimeoutSeconds}) together with all it started. ` +
      `"spawn" opens a shell that stays, at most ${limits.maxPerSession} for this session, for servers and for programs that are talked to: "send" gives it "input" ` +
      `(press_enter: true by default), waits wait_ms (default ${defaultWaitMs}, at most ${maxWaitMs}) and answers what is new; ` +
      '"read" answers what is new at once; "list" and "kill" manage them. ' +
      'These shells have no screen (pipes, no pty): editors, pagers and password prompts do not work, and Ctrl-C cannot be sent. ' +
      '"cwd" is a folder within a workspace.',
    input: toInputSchema(limits, parts.folders),
    // a little more, so that the tool itself can say what took so long
    timeoutMs: limits.maxTimeoutSeconds * 1_000 + 10_000,
    access: (input, workspaces) => {
      const outside = foldersOutside(workspaces, input)
      const access = accessOf(input, terminals, sandbox)
      return outside.length > 0
        ? { ...access, resources: [...access.resources, ...outside], outside }
        : access
    },
    execute: (input, context) => act(parts, input, context),
  })
}

function accessOf(
  { action, command, input, terminal_id }: Input,
  terminals: Terminals,
  sandbox: Sandbox,
): Access {
  if (action === 'read' || action === 'list')
    return { action, effect: 'read', resources: [terminal_id ?? 'terminals'] }
  const resource = {
    execute: command,
    spawn: 'sh',
    send: wholeLine(terminals, { input, terminal_id }),
    kill: terminal_id,
  }[action]
  const mustAsk = action === 'kill' ? undefined : reasonToAsk(sandbox.state())
  return { action, effect: 'execute', resources: [resource ?? ''], ...(mustAsk !== undefined && { mustAsk }) }
}

/** Input continues the current line: this is what runs when it ends. */
const wholeLine = (terminals: Terminals, { terminal_id, input = '' }: Pick<Input, 'terminal_id' | 'input'>) =>
  terminals.lineSoFar(terminal_id ?? '') + input

async function act(parts: Parts, input: Input, context: ToolContext): Promise<unknown> {
  const { terminals, env } = parts
  const owner = { scope: context.scope, sessionId: context.sessionId }
  switch (input.action) {
    case 'execute':
      return execute(parts, input, context)
    case 'spawn': {
      const cwd = await requireFolder(context.workspaces, input)
      return terminals.spawn(owner, { cwd, env, workspaces: context.workspaces, title: input.title })
    }
    case 'send': {
      const text = (input.input ?? '') + ((input.press_enter ?? true) ? '\n' : '')
      if (text === '') throw new Error('"send" needs "input", or press_enter.')
      const id = required(input, 'terminal_id')
      const { decided } = context.workspaces
      if (decided && !decided.includes(wholeLine(terminals, input)))
        throw new Error('The terminal was sent something else meanwhile. Send one input at a time.')
      return withChanges(
        await terminals.send(owner, id, text, input.wait_ms ?? defaultWaitMs, context.signal),
      )
    }
    case 'read':
      return terminals.read(owner, required(input, 'terminal_id'))
    case 'list':
      return { terminals: terminals.list(owner) }
    case 'kill':
      return withChanges(await terminals.kill(owner, required(input, 'terminal_id')))
  }
}

async function execute({ groups, limits, env }: Parts, input: Input, context: ToolContext): Promise<unknown> {
  const { workspaces, toolCallId, signal } = context
  const timeoutSeconds = input.timeout_seconds ?? Math.min(limits.timeoutSeconds, limits.maxTimeoutSeconds)
  const result = await runCommand(groups, {
    command: required(input, 'command'),
    cwd: await requireFolder(workspaces, input),
    env,
    workspaces,
    timeoutMs: timeoutSeconds * 1_000,
    maxOutput: limits.maxOutput,
    openLog: async () => openOutputLog(workspaces.session, toolCallId, limits.maxLogBytes),
    signal,
  })
  return describeResult(result, timeoutSeconds)
}

function describeResult(
  { code, signal, isOutOfTime, output, log, protectedChanges }: CommandResult,
  timeoutSeconds: number,
) {
  const notes = [
    isOutOfTime &&
      `Ended after ${timeoutSeconds} seconds. Give timeout_seconds, or "spawn" a shell for what takes longer.`,
    log && `All of the output is in ${log} of the workspace "session".`,
    protectedChanges.length > 0 && changesNotice,
  ].filter((note) => note)
  return {
    exitCode: code ?? null,
    ...(signal && { signal }),
    ...(isOutOfTime && { timedOut: true }),
    output,
    ...(log && { log }),
    ...describeChanges(protectedChanges),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  }
}

const withChanges = ({ protectedChanges, ...output }: ChangedOutput) => ({
  ...output,
  ...describeChanges(protectedChanges),
  ...(protectedChanges.length > 0 && { note: changesNotice }),
})

function required<Name extends 'command' | 'terminal_id'>(input: Input, name: Name): string {
  const value = input[name]
  if (value === undefined) throw new Error(`"${input.action}" needs "${name}".`)
  return value
}

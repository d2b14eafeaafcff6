import type { Workspaces } from '../../core/files/workspaces.ts'
import type { GroupSwitches, PermissionMode } from '../../core/protocol/permission.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { ReadWorkspaces } from '../../core/sessions/session-workspaces.ts'
import { commandEnvironment } from '../../core/processes/command-environment.ts'
import { createProcessGroups, type ProcessGroups } from '../../core/processes/process-groups.ts'
import { describeChanges } from '../../core/processes/protected-changes.ts'
import { reasonToAsk, type Sandbox } from '../../core/processes/sandbox/sandbox.ts'
import { requireFolder } from '../../core/processes/working-folder.ts'
import { checkCommand, requireTestCommands, type BlockReason } from './check-test-command.ts'
import type { RoomDeps, RoomLimits } from './room-service.ts'
import type { CommandOutcome } from './modes/mode.ts'
import { runTestCommand, type TestResult } from './run-test-command.ts'

export interface CommandRunnerDeps {
  limits: Pick<RoomLimits, 'testCommands' | 'testTimeoutMs'>
  readWorkspaces: ReadWorkspaces
  sandbox: Sandbox
  /** What was said about the session, its scope or all of them: groups that nobody switched are left out. */
  readRights(session: Session): Promise<{ groups: GroupSwitches; mode: PermissionMode }>
  /** Whether a person has trusted a folder: test commands run what its files say. Default: each is. */
  isTrusted?(folder: string): boolean
  /** Where variables for commands are picked from; default: no more than a path and a home. */
  environment?: Readonly<Record<string, string | undefined>>
  /** Names of variables to pick besides those that every program needs. */
  variables?: readonly string[]
}

export interface CommandRunner {
  runCommands: RoomDeps['runCommands']
  /** Ends what is running. */
  close(): Promise<void>
}

interface Parts {
  groups: ProcessGroups
  allowed: readonly string[]
  timeoutMs: number
  env: Record<string, string>
}

interface Place {
  cwd: string
  workspaces: Workspaces
}

/** Throws `invalid_request` when the list of commands has an entry that cannot be. */
export function createCommandRunner(deps: CommandRunnerDeps): CommandRunner {
  const parts: Parts = {
    groups: createProcessGroups(deps.sandbox),
    allowed: requireTestCommands(deps.limits.testCommands),
    timeoutMs: deps.limits.testTimeoutMs,
    // without it some test runners wait for files to change
    env: { ...commandEnvironment(deps.environment, deps.variables), CI: 'true' },
  }
  return {
    async runCommands(session, commands, signal) {
      const place = await findPlace(deps, session)
      if ('refusal' in place)
        return commands.map((command) => blocked(command, 'not_permitted', place.refusal))
      const outcomes: CommandOutcome[] = []
      for (const command of commands) outcomes.push(await runOne(parts, command, place, signal))
      return outcomes
    },
    close: () => parts.groups.close(),
  }
}

/** Where commands are run, or why none is. */
async function findPlace(
  { readWorkspaces, readRights, sandbox, isTrusted = () => true }: CommandRunnerDeps,
  session: Session,
): Promise<Place | { refusal: string }> {
  const { groups, mode } = await readRights(session)
  if (groups.terminal === false)
    return { refusal: 'No command is run: the group "terminal" is switched off for this room.' }
  if (mode === 'plan')
    return { refusal: 'No command is run: the permission mode is "plan", in which nothing is changed.' }
  const reason = reasonToAsk(sandbox.state())
  if (reason !== undefined) return { refusal: `No command is run, since nobody can be asked here. ${reason}` }
  // each agent has a session and so a folder of its own: the one of the scope is where they all work
  const shared = { ...(await readWorkspaces(session)), session: undefined }
  try {
    const cwd = await requireFolder(shared, {})
    return isTrusted(cwd)
      ? { cwd, workspaces: shared }
      : { refusal: `No command is run: nobody has trusted the folder ${cwd} (parley trust).` }
  } catch (error) {
    return { refusal: `No command is run: ${(error as Error).message}` }
  }
}

async function runOne(
  parts: Parts,
  command: string,
  { cwd, workspaces }: Place,
  signal: AbortSignal,
): Promise<CommandOutcome> {
  const { groups, allowed, timeoutMs, env } = parts
  const check = checkCommand(command, allowed)
  if (!check.ok) return blocked(command, check.reason, explain(check.reason, allowed))
  const { file, args } = check
  try {
    const options = { command: [file, ...args], cwd, env, workspaces, timeoutMs }
    const result = await runTestCommand(groups, options, signal)
    return toOutcome(command, result, timeoutMs)
  } catch (error) {
    signal.throwIfAborted()
    return { command, status: 'failed', output: `It could not be started: ${(error as Error).message}` }
  }
}

function toOutcome(command: string, result: TestResult, timeoutMs: number) {
  const { code, signal, isOutOfTime, output, protectedChanges } = result
  const { changedFiles } = describeChanges(protectedChanges)
  const notes = [
    isOutOfTime
      ? `Ended after ${timeoutMs / 1_000} seconds, together with all that it started.`
      : signal && `Ended by ${signal}.`,
    changedFiles && `Made or changed files that other programs run: ${changedFiles.join(', ')}`,
  ].filter((note) => note)
  return {
    command,
    status: code === 0 ? ('passed' as const) : ('failed' as const),
    ...(typeof code === 'number' && { exitCode: code }),
    output: notes.length > 0 ? [output, ...notes].join('\n').trim() : output,
  }
}

const blocked = (command: string, reason: BlockReason, output: string): CommandOutcome => ({
  command,
  status: 'blocked',
  reason,
  output,
})

function explain(reason: BlockReason, allowed: readonly string[]): string {
  switch (reason) {
    case 'command_injection_characters':
      return 'There is no shell: give a program and its arguments, one command at a time, without ; & | < > $ ` ( ) { } [ ] * ? ~ ! # \\ and line breaks.'
    case 'malicious_command':
      return 'A command of this kind is never run.'
    default:
      return `Commands may begin with: ${allowed.join(', ')}. For example: ${allowed[0]}`
  }
}

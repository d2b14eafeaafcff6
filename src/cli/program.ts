import { Command, Option } from 'commander'
import { readVersion } from '../version.ts'
import type { PreviewTexts } from '../core/protocol/ask-texts.ts'
import { joinFacets } from '../core/protocol/joined-facets.ts'
import type { Manifest } from '../core/manifest.ts'
import { builtIn } from '../extensions/built-in.ts'
import { chatCommand, talk } from './chat.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { approvalsCommand } from './approvals.ts'
import { backupCommand } from './backup.ts'
import { doctorCommand } from './doctor.ts'
import { extensionsCommand } from './extensions.ts'
import type { CommandContext, CommandGroup, GroupModule } from '../core/command-line/command-group.ts'
import {
  endWithOutput,
  formatTable,
  type MachineFormat,
  printAnswer,
  printWhole,
  printJson,
  printUsage,
  reportFailure,
} from '../core/command-line/output.ts'
import { routesOf, type OperationTree } from '../core/operations/operation.ts'
import { invalidRequest, quote } from '../core/protocol/error.ts'
import { nearest } from '../core/protocol/nearest.ts'
import { loadConfig } from '../config.ts'
import { withApi } from './open-parley.ts'
import { promptCommand } from './prompt.ts'
import { providersCommand } from './providers.ts'
import { restoreCommand } from './restore.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { withSettingFlags } from './setting-flags.ts'
import { tasksCommand } from './tasks.ts'
import { trustCommand } from './trust.ts'

/** Answers the exit code. */
export async function runCommandLine(argv: string[]): Promise<number> {
  endWithOutput()
  const format = findFormat(argv)
  try {
    const groups = await loadGroups(argv)
    const program = buildProgram(groups)
    const own = await loadOwnGroups(
      argv,
      program.commands.map((command) => command.name()),
    )
    const whole = own.length > 0 ? buildProgram([...groups, ...own]) : program
    if (format) silenceUsage(whole)
    await whole.parseAsync(withCommand(argv).map(toVersionFlag))
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return reportFailure(error, format)
  }
}

/** Where machines read, failures are JSON too, wherever they come from. */
function findFormat(argv: readonly string[]): MachineFormat | undefined {
  const named = argv.flatMap((word, index) =>
    word === '--output-format' ? [argv[index + 1]] : (/^--output-format=(.*)/.exec(word)?.[1] ?? []),
  )
  if (named.includes('stream-json')) return 'lines'
  return named.includes('json') || argv.includes('--json') ? 'json' : undefined
}

const builtInGroups = builtIn.flatMap((one: Manifest) => one.commands ?? [])

type LoadedGroup = CommandGroup & Partial<GroupModule>

/** Loads the commands of those capabilities that a line is about; without a line, of all. */
export const loadGroups = (line?: readonly string[]): Promise<LoadedGroup[]> =>
  Promise.all(
    builtInGroups.map(async (group) =>
      !line || line.includes(group.name) || line.some((word) => aboutAll.has(word))
        ? { ...group, addCommands: (await group.load()).addCommands }
        : group,
    ),
  )

/** Commands of extensions that the configuration names, for a line that is about none of ours. */
async function loadOwnGroups(line: readonly string[], names: readonly string[]): Promise<LoadedGroup[]> {
  const word = line.slice(2).find((text) => !text.startsWith('-'))
  const isAboutAll = line.some((text) => aboutAll.has(text))
  if (!isAboutAll && (word === undefined || names.includes(word))) return []
  try {
    const loaded = loadConfig()
    if (loaded.config.extensions.length === 0) return []
    const { loadExtensions } = await import('./load-extensions.ts')
    const groups = (await loadExtensions(loaded)).flatMap(({ extension }) =>
      (extension.commands ?? []).map((group) => ({ owner: extension.name, ...group })),
    )
    for (const { name, owner } of groups)
      if (names.includes(name))
        throw invalidRequest(
          `The extension ${quote(owner)} has the command ${quote(name)}, which Parley has already. Rename it.`,
        )
    return await Promise.all(
      groups.map(async (group) => ({ ...group, addCommands: (await group.load()).addCommands })),
    )
  } catch (error) {
    // help is still shown; running a command reports it
    if (isAboutAll) return []
    throw error
  }
}

const defaultName = 'serve'

const aboutAll: ReadonlySet<string> = new Set(['help', '-h', '--help', 'completion'])

/** One file per command; a new command is one line here, or a group of the capability that it belongs to. */
export function buildProgram(groups: readonly LoadedGroup[]): Command {
  const operations: OperationTree = Object.assign({}, ...groups.map((group) => group.operations))
  const previews: PreviewTexts = Object.assign({}, ...groups.map((group) => group.previews))
  const context: CommandContext = {
    run: (command, work) =>
      withApi(command, (api) => work(api as never, command.optsWithGlobals()), routesOf(operations)),
    talk: (api, options) => talk(groups, api, options, previews),
    previews,
    get toolGroups() {
      return joinFacets(builtIn).groups
    },
    output: { printAnswer, printJson, formatTable },
  }
  const program = new Command('parley')
    .description('A self-hosted runtime and workbench for LLM conversations')
    .version(readVersion(), '-V', 'output the version number; so does --version, as the first word')
    .addOption(new Option('--json', 'answer as JSON, for machines'))
    .showHelpAfterError('(parley --help shows what there is)')
    .addCommand(serveCommand(), { isDefault: true })
    .addCommand(chatCommand(context))
    .addCommand(runCommand())
    .addCommand(sessionsCommand())
    .addCommand(tasksCommand())
  for (const { name, addCommands } of groups) {
    const group = new Command(name)
    addCommands?.(group, context)
    program.addCommand(group)
  }
  program
    .addCommand(approvalsCommand(context))
    .addCommand(promptCommand())
    .addCommand(providersCommand())
    .addCommand(configCommand())
    .addCommand(trustCommand())
    .addCommand(extensionsCommand())
    .addCommand(doctorCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(completionCommand())
    .addHelpText('after', `\n${exitCodes}`)
    .hook('preSubcommand', requireKnown)
  return throwing(withSettingFlags(program, 'every command'))
}

/** What is no command would otherwise be read as an argument of the default one. */
function requireKnown(program: Command, found: Command): void {
  const [word] = program.args
  if (found.name() !== defaultName || word === undefined || word === defaultName || word.startsWith('-'))
    return
  const names = program.commands.map((command) => command.name())
  const meant = nearest(word, names)
  throw invalidRequest(
    `There is no command ${quote(word)}.${meant === undefined ? '' : ` Did you mean ${quote(meant)}?`} "parley --help" lists the commands.`,
    { command: word, ...(meant !== undefined && { meant }) },
  )
}

/** `parley -p "…"` is `parley run "…"`: no other command without a name has that flag. */
function withCommand(argv: readonly string[]): string[] {
  const [node = '', script = '', ...line] = argv
  const end = line.indexOf('--')
  const flags = end < 0 ? line : line.slice(0, end)
  const isPrint = line[0]?.startsWith('-') && flags.some((word) => word === '-p' || word === '--print')
  return isPrint ? [node, script, 'run', ...line] : [...argv]
}

/**
 * A flag of the program counts anywhere on the line, and `parley sessions memo <id> --version 2` means the memo's. So
 * the program itself only has the short one.
 */
const toVersionFlag = (word: string, index: number) => (index === 2 && word === '--version' ? '-V' : word)

/** Wrong usage is thrown like every other failure, so that one place picks the exit code. */
function throwing(command: Command): Command {
  command.exitOverride()
  command.configureOutput({ writeOut: printWhole, writeErr: printUsage })
  command.commands.forEach((child) => throwing(child as Command))
  return command
}

/** For machines, the message of the error is all that is printed. */
function silenceUsage(command: Command): void {
  command.configureOutput({ writeErr: () => {} })
  command.commands.forEach((child) => silenceUsage(child as Command))
}

/** Common to all commands; some document more of their own. */
export const exitCodes = `Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 not found, 4 configuration or key,
  5 the model failed, 6 a person has to be asked, 7 a limit was reached, 130 stopped`

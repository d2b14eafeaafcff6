import { Command, Option } from 'commander'
import { readVersion } from '../version.ts'
import { chatCommand } from './chat.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { approvalsCommand } from './approvals.ts'
import { backupCommand } from './backup.ts'
import { cronCommand } from './cron.ts'
import { doctorCommand } from './doctor.ts'
import { knowledgeCommand } from './knowledge.ts'
import { printDocument, printUsage, reportFailure } from './output.ts'
import { plansCommand } from './plans.ts'
import { promptCommand } from './prompt.ts'
import { restoreCommand } from './restore.ts'
import { roomsCommand } from './rooms.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { withSettingFlags } from './setting-flags.ts'
import { tasksCommand } from './tasks.ts'
import { trustCommand } from './trust.ts'
import { webhooksCommand } from './webhooks.ts'
import { workflowsCommand } from './workflows.ts'

/** Answers the exit code. */
export async function runCommandLine(argv: string[]): Promise<number> {
  try {
    await buildProgram().parseAsync(argv.map(toVersionFlag))
    return Number(process.exitCode ?? 0)
  } catch (error) {
    return reportFailure(error, argv.includes('--json'))
  }
}

/** One file per command; a new command is one line here. */
export function buildProgram(): Command {
  const program = new Command('parley')
    .description('A self-hosted runtime and workbench for LLM conversations')
    .version(readVersion(), '-V', 'output the version number; so does --version, as the first word')
    .addOption(new Option('--json', 'answer as JSON, for machines'))
    .showHelpAfterError('(parley --help shows what there is)')
    .addCommand(serveCommand(), { isDefault: true })
    .addCommand(chatCommand())
    .addCommand(runCommand())
    .addCommand(sessionsCommand())
    .addCommand(tasksCommand())
    .addCommand(workflowsCommand())
    .addCommand(knowledgeCommand())
    .addCommand(plansCommand())
    .addCommand(roomsCommand())
    .addCommand(cronCommand())
    .addCommand(webhooksCommand())
    .addCommand(approvalsCommand())
    .addCommand(promptCommand())
    .addCommand(configCommand())
    .addCommand(trustCommand())
    .addCommand(doctorCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(completionCommand())
    .addHelpText('after', `\n${exitCodes}`)
  return throwing(withSettingFlags(program, 'every command'))
}

/**
 * A flag of the program counts anywhere on the line, and `parley sessions memo <id> --version 2` means the memo's. So
 * the program itself only has the short one.
 */
const toVersionFlag = (word: string, index: number) => (index === 2 && word === '--version' ? '-V' : word)

/** Wrong usage is thrown like every other failure, so that one place picks the exit code. */
function throwing(command: Command): Command {
  command.exitOverride()
  command.configureOutput({ writeOut: printDocument, writeErr: printUsage })
  command.commands.forEach((child) => throwing(child as Command))
  return command
}

/** What all commands have in common; some say more of theirs. */
export const exitCodes = `Exit codes: 0 done, 1 failed, 2 wrong usage or input, 3 not found, 4 configuration or key,
  5 the model failed, 6 a person has to be asked, 7 a limit was reached, 130 stopped`

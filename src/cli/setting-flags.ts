import { Option, type Command } from 'commander'
import { configFlags, describeFlag, type ConfigFlag } from '../config.ts'

/** Gives a command the flags of the table of settings; `loadCommandConfig` reads them wherever they stand. */
export function withSettingFlags(command: Command, of: ConfigFlag['of']): Command {
  for (const flag of configFlags().filter((candidate) => candidate.of === of))
    command.addOption(new Option(`${flag.flag} <${flag.value}>`, describeFlag(flag)))
  return command
}

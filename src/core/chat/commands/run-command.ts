import {
  type Command,
  type CommandSet,
  expandCommand,
  findCommand,
  parseSlash,
} from '../../context/commands.ts'
import type { BuiltInCommand, CommandContext, CommandResult } from './command.ts'
import { createHelp, search, skill, stats } from './built-in.ts'

const builtIn: readonly BuiltInCommand[] = [createHelp(() => builtIn), search, skill, stats]

/** `source` is the file, or `built-in`. */
export type ListedCommand = Pick<Command, 'name' | 'description' | 'argumentHint' | 'mode'> & {
  aliases: readonly string[]
  source: string
}

/**
 * The command that an input is. Text that only looks like one, such as a path, is undefined and is sent to the model
 * as it is. A command that somebody wrote wins over a built-in one of the same name.
 */
export async function runCommand(
  text: string,
  context: CommandContext,
): Promise<(CommandResult & { allowedTools: string[] }) | undefined> {
  const slash = parseSlash(text)
  if (!slash) return undefined
  const custom = context.custom && findCommand(context.custom, slash.name)
  if (custom)
    return { mode: custom.mode, text: expandCommand(custom, slash.args), allowedTools: custom.allowedTools }
  const command = builtIn.find(({ name, aliases }) => name === slash.name || aliases.includes(slash.name))
  return command && { ...(await command.run(context, slash.args)), allowedTools: [] }
}

/** What can be typed, by name; of a name that both have, the one that somebody wrote. */
export function listCommands(custom: CommandSet | undefined): ListedCommand[] {
  const written = custom?.commands ?? []
  const isHidden = ({ name }: BuiltInCommand) =>
    custom !== undefined && findCommand(custom, name) !== undefined
  return [
    ...written.map(({ path, ...command }) => ({ ...command, source: path })),
    ...builtIn
      .filter((command) => !isHidden(command))
      .map((command) => ({ ...command, mode: 'action' as const, source: 'built-in' })),
  ].sort((one, two) => (one.name < two.name ? -1 : 1))
}

import { Argument, Command } from 'commander'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { listPlaces, type Place } from './completion-places.ts'
import { zshCompletion } from './completion-zsh.ts'
import { printAnswer } from '../core/command-line/output.ts'

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } satisfies Record<
  string,
  (name: string, places: Place[]) => string
>

export function completionCommand(): Command {
  return new Command('completion')
    .description(
      'print a script for tab completion of commands and options: source <(parley completion bash)',
    )
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .action((shell: keyof typeof shells, _options, command: Command) =>
      printAnswer(toScript(command.parent!, shell)),
    )
}

/** Made from the program itself: a new command or option needs nothing more. */
export const toScript = (program: Command, shell: keyof typeof shells): string =>
  shells[shell](program.name(), listPlaces(program))

import type { Command, Option } from 'commander'

/** Where on a command line one can be, and what may come there. */
export interface Place {
  /** The words that lead there: `parley sessions list`. */
  path: string
  commands: Choice[]
  options: OptionChoice[]
  /** Values of the first argument, where they are known. */
  values: string[]
}

export interface Choice {
  name: string
  description: string
}

export interface OptionChoice {
  /** `--kind`, `-k` */
  names: string[]
  description: string
  takesValue: boolean
  /** The values, where they are known. */
  values: string[]
}

/** The program and all its commands; options of those above count everywhere below. */
export function listPlaces(command: Command, above: { path: string; options: Option[] }[] = []): Place[] {
  const help = command.createHelp()
  const path = [...above.slice(-1).map((place) => place.path), command.name()].join(' ')
  const options = [...help.visibleOptions(command)]
  const inherited = above.flatMap((place) => place.options)
  const commands = help.visibleCommands(command)
  const here: Place = {
    path,
    commands: commands.map((child) => ({
      name: child.name(),
      description: oneLine(child.summary() || child.description()),
    })),
    options: [
      ...new Map([...inherited, ...options].map((option) => [option.long ?? option.short, option])).values(),
    ].map(toChoice),
    values: command.registeredArguments[0]?.argChoices ?? [],
  }
  const below = [...above, { path, options }]
  return [here, ...command.commands.flatMap((child) => listPlaces(child as Command, below))]
}

const toChoice = ({ long, short, description, required, optional, argChoices }: Option): OptionChoice => ({
  names: [long, short].filter((name) => name !== undefined),
  description: oneLine(description),
  takesValue: required || optional,
  values: argChoices ?? [],
})

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** In single quotes, as all three shells read them; fish alone needs more. */
export const quoted = (text: string) => `'${text.replaceAll(`'`, `'\\''`)}'`

/** The places and options that want a value, as patterns of a `case`: `'parley serve --port'`. */
export const valuePatterns = (places: Place[]) =>
  places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names }) => names.map((name) => quoted(`${path} ${name}`))),
  )

/** Of the words before the cursor: how a shell reads one, and from which number up to which. */
interface Words {
  at(index: string): string
  first: number
  end: string
}

/** The part of a bash or zsh script that finds the place: command names lead further, values do not. */
export const findPlace = (places: Place[], { at, first, end }: Words) => `
  for ((index = ${first}; index < ${end}; index++)); do
    case "$place ${at('index - 1')}" in
      ${valuePatterns(places).join('|')}) continue ;;
    esac
    case "$place ${at('index')}" in
      ${places
        .slice(1)
        .map(({ path }) => quoted(path))
        .join('|')}) place="$place ${at('index')}" ;;
    esac
  done`

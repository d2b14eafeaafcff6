import type { OptionChoice, Place } from './completion-places.ts'

export const fishCompletion = (name: string, places: Place[]): string => `# completion of ${name} for fish
function __${name}_place
    set -l place ${name}
    set -l previous ''
    for word in (commandline -opc)[2..]
        if not contains -- "$place $previous" ${places.flatMap(valueOptions).join(' ')}
            contains -- "$place $word" ${places
              .slice(1)
              .map(({ path }) => quoted(path))
              .join(' ')}
            and set place "$place $word"
        end
        set previous $word
    end
    test "$place" = "$argv[1]"
end
${places.flatMap((place) => linesOf(name, place)).join('\n')}
`

const valueOptions = ({ path, options }: Place) =>
  options
    .filter(({ takesValue }) => takesValue)
    .flatMap(({ names }) => names.map((option) => quoted(`${path} ${option}`)))

function linesOf(name: string, { path, commands, options, values }: Place): string[] {
  const here = `complete -c ${name} -n ${quoted(`__${name}_place ${quoted(path)}`)}`
  return [
    ...commands.map((choice) => `${here} -f -a ${quoted(choice.name)} -d ${quoted(choice.description)}`),
    ...values.map((value) => `${here} -f -a ${quoted(value)}`),
    ...options.map((option) => `${here} ${flagsOf(option)} -d ${quoted(option.description)}`),
  ]
}

function flagsOf({ names, takesValue, values }: OptionChoice): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  if (values.length > 0) flags.push(`-x -a ${quoted(values.join(' '))}`)
  else if (takesValue) flags.push('-r')
  return flags.join(' ')
}

/** Unlike the other shells, fish reads a backslash in single quotes. */
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll(`'`, String.raw`\'`)}'`

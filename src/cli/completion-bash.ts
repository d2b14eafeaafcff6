import { findPlace, quoted, type Place } from './completion-places.ts'

/** Works from bash 3.2 on, which is what macOS has. Where nothing fits, bash completes file names. */
export const bashCompletion = (name: string, places: Place[]): string => `# completion of ${name} for bash
_${name}() {
  local place=${name} words= index
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}${findPlace(places, { at: (index) => `\${COMP_WORDS[${index}]}`, first: 1, end: 'COMP_CWORD' })}
  case "$place $previous" in
    ${places.flatMap(optionValues).join('\n    ')}
    *)
      case "$place" in
        ${places.map(wordsOf).join('\n        ')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _${name} ${name}
`

const optionValues = ({ path, options }: Place) =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(
      ({ names, values }) =>
        `${names.map((option) => quoted(`${path} ${option}`)).join('|')}) words=${quoted(values.join(' '))} ;;`,
    )

const wordsOf = ({ path, commands, options, values }: Place) => {
  const words = [...commands.map(({ name }) => name), ...values, ...options.flatMap(({ names }) => names)]
  return `${quoted(path)}) words=${quoted(words.join(' '))} ;;`
}

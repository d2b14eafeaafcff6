import { findPlace, quoted, type Choice, type Place } from './completion-places.ts'

/** To be sourced after `compinit`, or saved as `_parley` in a folder of `fpath`. */
export const zshCompletion = (name: string, places: Place[]): string => `#compdef ${name}
_${name}() {
  local place=${name} index
  local -a found options${findPlace(places, { at: (index) => `\${words[${index}]}`, first: 2, end: 'CURRENT' })}
  case "$place \${words[CURRENT - 1]}" in
    ${places.flatMap(optionValues).join('\n    ')}
  esac
  case "$place" in
    ${places.map(placeOf).join('\n    ')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option options
  elif ((\${#found})); then
    _describe command found
  else
    _files
  fi
}
compdef _${name} ${name}
`

const optionValues = ({ path, options }: Place) =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ names, values }) => {
      const then = values.length > 0 ? `compadd -- ${values.map(quoted).join(' ')}` : '_files'
      return `${names.map((option) => quoted(`${path} ${option}`)).join('|')}) ${then}; return ;;`
    })

const placeOf = ({ path, commands, options, values }: Place) => {
  const found = [...commands, ...values.map((name) => ({ name, description: '' }))].map(entry)
  const named = options.flatMap(({ names, description }) => names.map((name) => entry({ name, description })))
  return `${quoted(path)}) found=(${found.join(' ')}) options=(${named.join(' ')}) ;;`
}

const entry = ({ name, description }: Choice) =>
  quoted(`${name.replaceAll(':', String.raw`\:`)}${description && `:${description}`}`)

import { basename } from 'node:path'
import { invalidRequest, quote } from '../protocol/error.ts'
import { flagField, listField, parseFrontMatter, textField } from './front-matter.ts'
import {
  findBases,
  isOn,
  mayInstruct,
  untrustedProblem,
  type Base,
  type Places,
  type Problem,
} from './context-places.ts'
import { captionOf, createReader, toHash, type TextFile, type Traces } from './file-reader.ts'
import { cutNotice, formatCount } from './cut-to-tokens.ts'

/** A slash command that somebody wrote as a Markdown file. */
export interface Command {
  /** Lower case. */
  name: string
  aliases: string[]
  description?: string
  /** What may follow the name, as a person reads it. */
  argumentHint?: string
  /** `prompt`: the text goes to the model; `action`: the text is the answer. */
  mode: 'prompt' | 'action'
  allowedTools: string[]
  /** With the variables that `expandCommand` fills in. */
  text: string
  /** The file as it is shown: from the root, or after `user:`. */
  path: string
  hash: string
}

export interface CommandSet {
  /** By name. A name or alias belongs to the first file that has it. */
  commands: Command[]
  problems: Problem[]
  hash: string
  traces: Traces
}

export interface SlashInput {
  /** Lower case; may be a path such as `usr/bin`, which only a list of commands can distinguish. */
  name: string
  args: string
}

const maxFileBytes = 32 * 1024
const maxNameLength = 64
// a variable that occurs a thousand times with a long argument would not fit into memory
const maxExpandedLength = 2_000_000
const variablePattern =
  /\\(\$(?:ARGUMENTS\b|[1-9]\d?(?!\d)))|\$ARGUMENTS\b|\{\{[ \t]*args[ \t]*\}\}|\$([1-9]\d?)(?!\d)/g
const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_:.-]*$/u

/** Finds the commands of the scope, of the user, and those written for other tools, in this order. */
export async function readCommands(places: Places): Promise<CommandSet> {
  const reader = createReader()
  const found: Command[] = []
  for (const { base, folder } of await findCommandFolders(places)) {
    const paths = await reader.listFiles(base, folder, '.md')
    if (!mayInstruct(places, base)) {
      if (paths.length > 0) reader.problems.push(untrustedProblem(captionOf(base, folder)))
      continue
    }
    for (const path of paths) {
      const file = await reader.read(base, path, maxFileBytes)
      const command = file && toCommand(file, basename(path, '.md'), reader.problems)
      if (command) found.push(command)
    }
  }
  const commands = dropTakenNames(found, reader.problems)
  const hash = toHash(JSON.stringify(commands))
  return { commands, problems: reader.problems, hash, traces: reader.traces }
}

/** The command that a name or an alias means. */
export function findCommand({ commands }: CommandSet, name: string): Command | undefined {
  const wanted = toName(name)
  return commands.find((command) => command.name === wanted || command.aliases.includes(wanted))
}

/** Reads `/name args` and `/(name args)`. The caller decides whether there is such a command. */
export function parseSlash(text: string): SlashInput | undefined {
  const trimmed = text.trim()
  const inner =
    trimmed.startsWith('/(') && trimmed.endsWith(')') ? trimmed.slice(2, -1).trim() : trimmed.slice(1)
  const match = trimmed.startsWith('/') && /^([^\s()/][^\s()]*)(?:\s+|$)/.exec(inner)
  if (!match || match[1]!.length > maxNameLength * 2) return undefined
  return { name: toName(match[1]!), args: inner.slice(match[0].length).trim() }
}

/**
 * Fills `$ARGUMENTS` and `{{args}}` with all arguments and `$1` to `$99` with one each; those that were not given
 * become nothing, and `\$1` stays `$1`. Inserted text is not expanded again. A text without variables gets
 * the arguments at its end. Refuses arguments that would make a text out of all proportion.
 */
export function expandCommand({ text }: Pick<Command, 'text'>, args: string): string {
  const each = splitArguments(args)
  let isUsed = false
  let added = 0
  const expanded = text.replaceAll(
    variablePattern,
    (_, escaped: string | undefined, place: string | undefined) => {
      if (escaped !== undefined) return escaped
      isUsed = true
      const value = place === undefined ? args : (each[Number(place) - 1] ?? '')
      added += value.length
      if (added > maxExpandedLength)
        throw invalidRequest(`A command may grow by ${formatCount(maxExpandedLength)} characters at most.`)
      return value
    },
  )
  return isUsed || args === '' ? expanded : `${expanded}\n\n${args}`
}

async function findCommandFolders(places: Places): Promise<{ base: Base; folder: string }[]> {
  if (!isOn(places, 'commands')) return []
  const { root, user } = await findBases(places)
  const folders = [{ base: root, folder: '.parley/commands' }]
  if (user) folders.push({ base: user, folder: 'commands' })
  if (isOn(places, 'other-tools'))
    folders.push({ base: root, folder: '.claude/commands' }, { base: root, folder: '.cursor/commands' })
  return folders
}

function toCommand(file: TextFile, fileName: string, problems: Problem[]): Command | undefined {
  const report = (message: string) => void problems.push({ path: file.caption, message })
  const matter = parseFrontMatter(file.text)
  if (matter.fault) report(`${matter.fault}; it is taken as text`)
  if (flagField(matter, 'enabled') === false) return undefined
  const name = toName(textField(matter, 'name') ?? fileName)
  const aliases = listField(matter, 'aliases', splitWords).map(toName)
  const mode = matter.fields['mode'] ?? 'prompt'
  const wrongName = [name, ...aliases].find((word) => !isName(word))
  if (wrongName !== undefined) return report(`has the name ${quote(wrongName)}, which cannot be typed as one`)
  if (mode !== 'prompt' && mode !== 'action')
    return report(`has the mode ${quote(mode)}; it must be "prompt" or "action"`)
  const body = matter.body.trim()
  return {
    name,
    aliases,
    description: textField(matter, 'description'),
    argumentHint: textField(matter, 'argument-hint'),
    mode,
    allowedTools: listField(matter, 'allowed-tools', splitTools),
    text: file.isCut ? `${body}\n${cutNotice(file.caption, file.bytesRead, file.bytes)}` : body,
    path: file.caption,
    hash: file.hash,
  }
}

const toName = (text: string): string => text.normalize('NFC').toLowerCase()
const isName = (text: string): boolean => text.length <= maxNameLength && namePattern.test(text)
const splitWords = (text: string): string[] => text.split(/[\s,]+/)

/** Other tools write `Bash(git add:*), Read`. */
const splitTools = (text: string): string[] => text.match(/[^\s,()]+(?:\([^()]*\))?/g) ?? []

/** Names come before aliases, so that nobody's alias takes away a command. */
function dropTakenNames(found: Command[], problems: Problem[]): Command[] {
  const taken = new Map<string, Command>()
  const commands = found.filter((command) => {
    const first = taken.get(command.name)
    if (first) problems.push({ path: command.path, message: `is hidden by ${first.path}` })
    else taken.set(command.name, command)
    return !first
  })
  for (const command of commands)
    command.aliases = command.aliases.filter((alias) => {
      const isFree = !taken.has(alias)
      if (isFree) taken.set(alias, command)
      return isFree
    })
  return commands.sort((one, two) => (one.name < two.name ? -1 : 1))
}

/** Words, or texts in quotes; a quote inside a word, as in `don't`, is an ordinary character. */
function splitArguments(args: string): string[] {
  const pattern = /"([^"\\]*(?:\\.[^"\\]*)*)"(?=\s|$)|'([^']*)'(?=\s|$)|(\S+)/gs
  return Array.from(
    args.matchAll(pattern),
    ([, double, single, word]) => double?.replaceAll(/\\(["\\])/g, '$1') ?? single ?? word ?? '',
  )
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError, type Command } from 'commander'
import { buildProgram, loadGroups } from '../../src/cli/program.ts'
import { readBlocks, root } from './blocks.ts'

const groups = await loadGroups()

/** A command line as a page has it: whole in a block, and often only begun in text. */
export interface CommandLine {
  place: string
  words: string[]
  isWhole: boolean
}

/** What a page says in code between backticks, outside of blocks. */
export interface Span {
  place: string
  text: string
  /** In a table whose header is `command`; there `parley` and the name of the page's command are left out. */
  isOfTable: boolean
}

const begin = /(?:^|[|;&({])[ \t]*(?:[A-Z_]+=(?:"[^"]*"|'[^']*'|[^\s"'])+[ \t]+)*parley(?=\s|$)/gm

/** Every call of `parley` in the blocks for a shell, within `$(…)` and pipes too. */
export function commandsInBlocks(page: string): CommandLine[] {
  return readBlocks(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) =>
      [...text.matchAll(begin)].map((match) => ({
        place: `${page}:${line + text.slice(0, match.index + match[0].length).split('\n').length - 1}`,
        words: splitWords(text.slice(match.index + match[0].length)),
        isWhole: true,
      })),
    )
}

/** The words of a command up to its end, as a shell splits them; variables are left as they are. */
export function splitWords(text: string): string[] {
  const word = /(?:'[^']*'|"(?:\\.|\$\([^)]*\)|[^"\\])*"|\\[^\n]|[^\s'"\\|;&()<>])+/y
  const words: string[] = []
  for (let at = 0; ;) {
    at += /^(?:[ \t]|\\\n)*/.exec(text.slice(at))![0].length
    word.lastIndex = at
    const [found] = text[at] === '#' ? [] : (word.exec(text) ?? [])
    if (found === undefined) return words
    words.push(found.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2'))
    at += found.length
  }
}

export function spansOf(page: string): Span[] {
  let isBlock = false
  let isOfTable = false
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      if (line.startsWith('```')) isBlock = !isBlock
      if (isBlock) return []
      if (!line.startsWith('|')) isOfTable = false
      else if (/^\| command +\|/.test(line)) isOfTable = true
      return [...line.matchAll(/(`+)(.+?)\1/g)].map(([, , text = '']) => ({
        place: `${page}:${index + 1}`,
        text: text.trim().replaceAll('\\|', '|'),
        isOfTable,
      }))
    })
}

/** `parley tasks result <id> [--wait]` as words; of `bash|zsh|fish` the first one. */
export function readSpan({ text, place }: Span): CommandLine {
  const words = splitWords(text.replaceAll(/[[\]<>]|\s?…/g, ' ').replaceAll(/\|\S*/g, ''))
  return { place, words: words.slice(1), isWhole: false }
}

/** What the program itself says against a line; nothing is done. */
export function refusalOf({ words, isWhole }: CommandLine): string | undefined {
  const options = optionsOf(commandOf(words))
  const unknown = words.find((word) => /^--[a-z]/.test(word) && !options.has(word.replace(/=.*/, '')))
  if (unknown !== undefined && !isWhole) return `unknown option '${unknown}'`
  try {
    inert().parse(words, { from: 'user' })
    return undefined
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const isBegun = begunCodes.includes(error.code)
    const isFine = error.exitCode === 0 || error.code === 'commander.help' || (isBegun && !isWhole)
    return isFine ? undefined : error.message
  }
}

/** Of a line that names no values, or something in the place of one: `completion <shell>`. */
const begunCodes = ['missingArgument', 'optionMissingArgument', 'invalidArgument'].map(
  (name) => `commander.${name}`,
)

/** The real program, whose commands are taken apart and do nothing. */
function inert(): Command {
  const program = buildProgram(groups)
  for (const command of commandsBelow(program)) {
    command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    if (command.commands.length === 0) command.action(() => undefined)
  }
  return program
}

/** The command itself and all below it. */
export const commandsBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap((child) => commandsBelow(child as Command)),
]

/** The deepest command that the words lead to. */
export function commandOf(words: string[]): Command {
  let command = buildProgram(groups)
  for (const word of words) {
    const next = command.commands.find((child) => child.name() === word) as Command | undefined
    if (!next) break
    command = next
  }
  return command
}

/** `parley rooms agents list` → `['rooms', 'agents', 'list']` */
export const pathOf = (command: Command): string[] =>
  command.parent ? [...pathOf(command.parent as Command), command.name()] : []

/** Every option that can be given with a command or with one of those below it. */
export function optionsOf(command: Command): Set<string> {
  const above: Command[] = []
  for (let parent = command.parent; parent; parent = parent.parent) above.push(parent as Command)
  const options = [...above, ...commandsBelow(command)].flatMap((each) =>
    each.createHelp().visibleOptions(each),
  )
  return new Set(options.flatMap(({ long, short }) => [long, short]).filter((name) => name !== undefined))
}

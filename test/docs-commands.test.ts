import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildProgram, loadGroups } from '../src/cli/program.ts'
import { settingKeys, variablesOf } from '../src/config/settings.ts'
import { pages, root } from './docs/blocks.ts'
import {
  commandOf,
  commandsBelow,
  commandsInBlocks,
  optionsOf,
  pathOf,
  readSpan,
  refusalOf,
  spansOf,
  splitWords,
  type CommandLine,
} from './docs/command-lines.ts'

const groups = await loadGroups()
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Flags of other programs that text speaks of. */
const foreignFlags = ['--build-arg', '--security-opt', '--bind-fd']

/** Variables that are no settings, and whose they are. */
const otherVariables: Readonly<Record<string, string>> = {
  PARLEY_CONFIG: 'names a project file',
  OPENAI_API_BASE_URL: 'of Open WebUI',
}

describe.each(pages)('%s', (page) => {
  const spans = spansOf(page)
  const named = spans.filter(({ text }) => /^parley( |$)/.test(text)).map(readSpan)
  const lines = [...commandsInBlocks(page), ...named]

  it('shows only commands and options that the program has', () => {
    expect(lines.flatMap(describeRefusal)).toEqual([])
  })

  it('speaks only of options that its commands have', () => {
    const known = new Set(
      [...lines.map(({ words }) => commandOf(words)), ...ownCommand(page)].flatMap((command) => [
        ...optionsOf(command),
      ]),
    )
    const spoken = spans.flatMap(({ text, place }) =>
      text.startsWith('-')
        ? [...text.matchAll(/(?<=^| )--[a-z][a-z-]*/g)].map(([flag]) => ({ flag, place }))
        : [],
    )
    expect(spoken.filter(({ flag }) => !known.has(flag) && !foreignFlags.includes(flag))).toEqual([])
  })

  it('names only variables that are read', () => {
    const known = [...settingKeys.flatMap(variablesOf), ...Object.keys(otherVariables)]
    const found = read(page).match(/\b(PARLEY|OPENAI|ANTHROPIC|GEMINI|OLLAMA|OTEL|DATABASE)_[A-Z_]+\b/g) ?? []
    expect(found.filter((name) => !known.includes(name) && !name.startsWith('PARLEY_TEST_'))).toEqual([])
  })
})

/** `docs/rooms.md` is about `parley rooms`. */
function ownCommand(page: string) {
  const name = /^docs\/(\w+)\.md$/.exec(page)?.[1]
  return buildProgram(groups).commands.filter((command) => command.name() === name)
}

const describeRefusal = (line: CommandLine) => {
  const refusal = refusalOf(line)
  return refusal === undefined ? [] : [`${line.place}: parley ${line.words.join(' ')}: ${refusal}`]
}

describe('tables of commands', () => {
  it.each(pages.filter((page) => ownCommand(page).length > 0))('%s has those of the program', (page) => {
    const name = ownCommand(page)[0]!.name()
    let before = { place: '', group: [name] }
    const problems = spansOf(page)
      .filter(({ isOfTable, text }) => isOfTable && /^[a-z]/.test(text) && !text.startsWith('parley'))
      .flatMap((span) => {
        const { words, place } = readSpan({ ...span, text: `parley ${span.text}` })
        // what follows `agents list` in a row is short for `agents show`
        const tries = [...(before.place === place ? [before.group] : []), [name]].map((path) => ({
          place,
          words: [...path, ...words],
          isWhole: false,
        }))
        const fits = tries.find(
          (line) => commandOf(line.words).commands.length === 0 && refusalOf(line) === undefined,
        )
        if (fits) before = { place, group: pathOf(commandOf(fits.words)).slice(0, -1) }
        return fits ? [] : [`${place}: parley ${name} ${span.text}`]
      })
    expect(problems).toEqual([])
  })
})

describe('the program', () => {
  const program = buildProgram(groups)

  it('has a row in docs/cli.md for every command, and nothing else is there', () => {
    const inPage = spansOf('docs/cli.md')
      .filter(({ isOfTable, text }) => isOfTable && text.startsWith('parley '))
      .map((span) => pathOf(commandOf(readSpan(span).words)))
    expect(inPage).toEqual(commandsBelow(program).slice(1).map(pathOf))
  })

  it('names only options of its own in help', () => {
    const all = optionsOf(program)
    for (const command of commandsBelow(program))
      for (const [flag] of command.helpInformation().matchAll(/(?<![\w-])--[a-z][a-z-]*/g))
        expect([...all, '--version'], command.name()).toContain(flag)
  })
})

it.each(['Dockerfile', 'compose.yaml'])('%s sets only variables that are read', (file) => {
  const known = [...settingKeys.flatMap(variablesOf), ...Object.keys(otherVariables)]
  for (const [name] of read(file).matchAll(/\bPARLEY_[A-Z_]+\b/g)) expect(known).toContain(name)
})

describe('a line that the program would not take', () => {
  const refused = (text: string, isWhole = false) => {
    const { words } = readSpan({ place: 'somewhere', text, isOfTable: false })
    return refusalOf({ place: 'somewhere', words, isWhole })
  }

  it.each([
    ['parley serve --no-such-flag', false],
    ['parley tasks result <id> [--follow]', false],
    ['parley sessions frobnicate', false],
    ['parley doctor now', false],
    ['parley sessions show', true],
    ['parley sessions list --kind thread', true],
  ])('is noticed: %s', (text, isWhole) => {
    expect(refused(text, isWhole)).toBeTruthy()
  })

  it.each(['parley sessions show', 'parley completion <shell>', 'parley tasks', 'parley --help'])(
    'may be begun in text: %s',
    (text) => {
      expect(refused(text)).toBeUndefined()
    },
  )

  it('is split as a shell splits it', () => {
    expect(splitWords(`cron add '0 9 * * *' "a \\"b\\"" --json | jq -r .id`)).toEqual([
      'cron',
      'add',
      '0 9 * * *',
      'a \\"b\\"',
      '--json',
    ])
    expect(splitWords('plans \\\n  list # all')).toEqual(['plans', 'list'])
  })
})

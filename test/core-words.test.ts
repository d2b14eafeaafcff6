/** The core names no capability: what extensions are called, and what they declare, is in no source of the core. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Facets } from '../src/core/protocol/facets.ts'
import { promptTags } from '../src/core/protocol/prompt-tags.ts'
import { builtIn as manifests, loadBuiltIn } from '../src/extensions/built-in.ts'
import type { Manifest } from '../src/core/manifest.ts'
import { openBare } from './bare-parley.ts'
import { temporaryFolder } from './harness.ts'

const builtIn = await loadBuiltIn()

const core = join(import.meta.dirname, '../src/core')

/** What the core calls things of its own as well. */
const ownWords: Record<string, string> = {
  file: 'files are read into prompts and changed by tools of programs; the extension is the tool for them',
  agent: 'what `createAgent` makes, and who acts in the audit; the extension has those with names',
  search: 'sessions are searched',
  lock: 'rows are locked in transactions',
  doc: 'the pages of documentation',
  workspaceDir: 'where the folders of all sessions are; in `bgMeta`, the folder of a run',
  from: 'any word; in a chat, which person of a room says it',
  runId: 'any run; in `toolMeta`, that of a workflow or a plan',
  triggerType: 'of tasks; in `toolMeta`, what started a workflow',
}

/** Sequences of words that mean something else wherever they are. */
const otherPhrases: Record<string, string> = {
  'in memory': 'of the machine',
  'into memory': 'of the machine',
  'from memory': 'of the machine',
  'shared memory': 'of the machine',
  'the memory': 'of the machine',
  'of memory': 'of the machine',
  'max memory': 'of the machine',
  'than memory': 'what a model knows by itself, in the instructions of every session',
  'github workflow': 'a folder that nobody changes unasked',
  'mcp json': 'a file that nobody changes unasked',
  'web page': 'any page',
  'web stream': 'of the platform',
  'open web ui': 'a program whose exports are imported',
  'web search call': 'what such an export calls it',
  'web socket': 'of the platform',
  'of the web': 'ports',
  'terminal command': 'a kind of ask, on the wire',
  'open api document': 'what describes the HTTP surface',
  'search document': 'a table of the index, in migrations of before',
  'parse document': 'a function of the package yaml',
}

/** Files, or folders with a slash at the end, where a word means something else. */
const otherMeanings: { word: string; where: string[]; reason: string }[] = [
  {
    word: 'plan',
    where: [
      'protocol/permission.ts',
      'protocol/mode-within.ts',
      'tools/permission.ts',
      'store/sqlite/restrict-database.ts',
    ],
    reason: 'the permission mode of that name, on the wire and in stored sessions',
  },
  {
    word: 'openai',
    where: [
      'models/',
      'protocol/models.ts',
      'settings/values.ts',
      'catalogue/operations.ts',
      'compose/infrastructure.ts',
      'sessions/formats/',
    ],
    reason: 'the provider of models, and the format of its files; the extension is the surface',
  },
  {
    word: 'anthropic',
    where: [
      'catalogue/providers.ts',
      'command-line/parameter-options.ts',
      'models/',
      'protocol/models.ts',
      'compose/infrastructure.ts',
      'sessions/formats/',
    ],
    reason: 'the provider of models, and the format of its files; the extension is the surface',
  },
  {
    word: 'terminal',
    where: ['command-line/', 'shared/visible.ts', 'processes/find-processes.ts'],
    reason: 'where a person sits',
  },
  {
    word: 'terminal',
    where: ['processes/sandbox/'],
    reason: 'messages name the settings and the page that help',
  },
  {
    word: 'mcp',
    where: ['protocol/parameters.ts'],
    reason: 'a field of requests of a provider, which no option may set',
  },
  {
    word: 'mcpServer',
    where: ['protocol/parameters.ts'],
    reason: 'a field of requests of a provider, which no option may set',
  },
  { word: 'web', where: ['processes/sandbox/'], reason: 'messages name the settings that help' },
  {
    word: 'document',
    where: [
      'sessions/formats/',
      'sessions/imports/',
      'sessions/export.ts',
      'sessions/export-all.ts',
      'sessions/export-text.ts',
      'sessions/import.ts',
      'sessions/task-result.ts',
      'chat/session-streams.ts',
      'chat/session-operations.ts',
      'protocol/facets.ts',
      'protocol/joined-facets.ts',
      'protocol/session-schemas.ts',
      'protocol/session.ts',
      'protocol/sessions.ts',
      'protocol/window.ts',
      'http/body-class.ts',
      'http/body.ts',
    ],
    reason: 'an exported session, `SessionDocument` on the wire',
  },
  {
    word: 'document',
    where: ['protocol/yaml-text.ts', 'context/front-matter.ts'],
    reason: 'what YAML calls a text',
  },
  {
    word: 'document',
    where: ['operations/operation.ts', 'protocol/prompt.ts'],
    reason: 'the OpenAPI document',
  },
  { word: 'memory', where: ['store/sqlite/'], reason: 'of the machine' },
  ...['document', 'knowledge', 'memory', 'plan', 'room', 'workflow'].map((word) => ({
    word,
    where: ['protocol/prompt-tags.ts'],
    reason: 'reserved words of prompts, sealed in stored text whichever extensions are there',
  })),
]

describe('the core', () => {
  let names: string[] = []
  beforeAll(async () => {
    names = await namesOfExtensions()
  })

  it('is held against what extensions are called and declare', () => {
    expect(names).toEqual(
      expect.arrayContaining(['plan', 'room', 'cron', 'todo', 'seat', 'graphRag', 'planId']),
    )
  })

  it('names no capability', () => {
    const found = namesIn(names).filter(({ name, file }) => !isAllowed(name, file))
    expect(found.map(({ name, file, line }) => `${name} in ${file}: ${line}`)).toEqual([])
  })

  it('has no exception that it does not need', () => {
    const found = namesIn(names)
    const unneeded = otherMeanings.flatMap(({ word, where }) =>
      where
        .filter((place) => !found.some(({ name, file }) => name === word && isAt(file, place)))
        .map((place) => `${word} in ${place}`),
    )
    expect(unneeded).toEqual([])
  })

  it('keeps text of others from every tag of an extension, whichever are loaded', () => {
    const tags = manifests.flatMap((one: Manifest) => one.facets?.tags ?? [])
    expect(tags.length).toBeGreaterThan(15)
    expect(promptTags).toEqual(expect.arrayContaining(tags))
  })

  it('gets the same facets with a manifest as with what is loaded by it', async () => {
    for (const one of manifests as readonly Manifest[])
      expect((await one.load()).store?.facets, one.name).toBe(one.facets)
  })
})

/** Names of extensions, of what they declare, and of what only a Parley with them has; in the singular. */
async function namesOfExtensions(): Promise<string[]> {
  using folder = temporaryFolder()
  await using bare = await openBare({ dataDir: join(folder.path, 'bare') })
  await using whole = await openBare({ dataDir: join(folder.path, 'whole') }, builtIn)
  const before = new Set(bare.composed.operations.map(({ name }) => name))
  const declared = builtIn.flatMap(({ name, toolNames = [], options = {}, references = {}, store }) => [
    name,
    ...toolNames,
    ...Object.keys(options),
    ...Object.keys(references),
    ...namesOfFacets(store?.facets),
    ...(store?.runs ? [store.runs.kind, store.runs.source] : []),
  ])
  const added = whole.composed.operations.map(({ name }) => name).filter((name) => !before.has(name))
  // who speaks in a room has a name in no list
  const all = [...declared, ...added, 'seat', 'quiz', 'werewolf'].map((name) => toName(wordsOf(name)))
  return [...new Set(all)].filter((name) => !Object.hasOwn(ownWords, name))
}

const namesOfFacets = ({ session, toolMeta, bgMeta, chat, triggers = [] }: Facets = {}) => [
  ...[session, toolMeta, bgMeta, chat].flatMap((block) => Object.keys(block?.fields ?? {})),
  ...triggers,
]

interface Found {
  name: string
  file: string
  line: string
}

/** A name of one word is looked for among all words, one of several in identifiers: `event hook` can be anything. */
function namesIn(names: readonly string[]): Found[] {
  const wanted = new Set(names)
  const isName = (words: readonly string[]) => wanted.has(toName(words))
  return globSync('**/*.ts', { cwd: core })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => {
      const lines = [file, ...readFileSync(join(core, file), 'utf8').split('\n')]
      return lines.flatMap((line) => {
        const words = withoutPhrases(wordsOf(line))
        const named = words.filter((word) => isName([word]))
        const several = (line.match(/[\w-]+/g) ?? [])
          .map(wordsOf)
          .filter((one) => one.length > 1 && isName(one))
        return [...new Set([...named, ...several.map(toName)])].map((name) => ({
          name,
          file,
          line: line.trim(),
        }))
      })
    })
}

const isAllowed = (name: string, file: string): boolean =>
  otherMeanings.some(({ word, where }) => word === name && where.some((place) => isAt(file, place)))

const isAt = (file: string, place: string) => (place.endsWith('/') ? file.startsWith(place) : file === place)

function withoutPhrases(words: readonly string[]): string[] {
  let text = ` ${words.join(' ')} `
  for (const phrase of Object.keys(otherPhrases)) text = text.replaceAll(` ${phrase} `, '  ')
  return text.split(' ')
}

/** The words of a text in small letters and in the singular: `toolGroups`, `tool-groups` and `tool_groups` are the same. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)].map(([word]) => singular(word.toLowerCase()))

const singular = (word: string) =>
  word.length > 3 && /[^su]s$/.test(word) ? word.replace(/ies$/, 'y').replace(/s$/, '') : word

const toName = ([first = '', ...rest]: readonly string[]) =>
  first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')

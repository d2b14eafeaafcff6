import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

/**
 * What features stand on: the shell, which shows what they contribute, calls of the API, components, and Markdown. None of
 * it knows a feature.
 */
const below = ['shell', 'api', 'ui', 'markdown', 'diagram']

/** The features, each after those that it needs. It may import the files that those offer, and nothing else of them. */
const features: Record<string, { needs?: string[]; offers?: string[] }> = {
  approvals: {
    offers: [
      'ask.tsx',
      'ask-texts.tsx',
      'task-asks.tsx',
      'texts.ts',
      'time-left.tsx',
      'use-approvals.ts',
      'use-ask-view.ts',
    ],
  },
  permissions: { offers: ['change-rules.ts', 'offered-modes.ts', 'texts.ts'] },
  parameters: {},
  context: { offers: ['diff-text.tsx', 'window-draft.ts'] },
  memory: {},
  crons: {},
  usage: {},
  audit: {},
  settings: { needs: ['permissions', 'context'] },
  session: {
    needs: ['approvals'],
    // what a conversation is made of, for views of other kinds of conversations
    offers: [
      'composer/',
      'message-actions.tsx',
      'message-boundary.tsx',
      'message-view.tsx',
      'parts/part-groups.ts',
      'parts/tool-card.tsx',
      'result-grade.tsx',
      'session-link.ts',
      'session-title.tsx',
      'session-view.tsx',
      'status-tag.tsx',
      'texts.ts',
      'timeline.tsx',
      'token-usage.tsx',
      'use-conversation.ts',
      'use-open-session.ts',
      'use-search-for-message.ts',
      'use-session-actions.ts',
    ],
  },
  sessions: { needs: ['approvals', 'session'], offers: ['session-status.tsx'] },
  tasks: { needs: ['session', 'sessions'] },
  rooms: { needs: ['approvals', 'session'] },
  workflows: {
    needs: ['approvals', 'context', 'session', 'sessions'],
    offers: ['graph/drawing.tsx', 'step-icons.ts'],
  },
  plans: { needs: ['approvals', 'session', 'workflows'] },
}

const root = import.meta.dirname
const isTest = (file: string) => /\.test\.tsx?$/.test(file)
const sources = globSync('**/*.{ts,tsx}', { cwd: root }).filter((file) => !isTest(file))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const folderOf = (file: string) => file.split('/')[0]!

/** Files of the workbench that a file imports, at once or later. */
const importsOf = (file: string) =>
  [...read(file).matchAll(/(?:from|import)\(? ?'(\.[^']+)'/g)]
    .map(([, specifier = '']) => join(dirname(file), specifier))
    .filter((target) => !target.startsWith('..'))

const isOffered = (target: string) => {
  const [folder = '', ...rest] = target.split('/')
  return (features[folder]?.offers ?? []).some((offer) =>
    offer.endsWith('/') ? rest.join('/').startsWith(offer) : offer === rest.join('/'),
  )
}

describe('the tree of the workbench', () => {
  it('has a rule for every folder, and no rule for one that is gone', () => {
    const folders = new Set(sources.filter((file) => file.includes('/')).map(folderOf))
    expect([...folders].sort()).toEqual([...below, ...Object.keys(features)].sort())
  })

  it('is put together by one list', () => {
    const listed = importsOf('features.ts').filter((target) => folderOf(target) !== 'shell')
    expect(listed.sort()).toEqual(
      Object.keys(features)
        .map((name) => `${name}/feature.ts`)
        .sort(),
    )
    for (const file of sources)
      for (const target of importsOf(file))
        if (file !== 'features.ts' && file !== 'main.tsx')
          expect(target, file).not.toMatch(/^features\.ts$|\/feature\.ts$/)
  })

  it.each(below)('%s names no feature', (folder) => {
    for (const file of sources.filter((source) => folderOf(source) === folder))
      for (const target of importsOf(file))
        expect(below, `${file} imports ${target}`).toContain(folderOf(target))
  })

  // each means one feature alone; comments may take them for examples
  const featureWords =
    /\b(plan|room|workflow|cron|memory|memories|audit|todo|mcp)s?\b|(plan|room|workflow|cron)[A-Z]\w*/
  const isCode = (line: string) => !/^\s*(\/\/|\/?\*)/.test(line)

  it('shell, ui and markdown have no word of a feature in their code', () => {
    for (const file of sources.filter((source) => ['shell', 'ui', 'markdown'].includes(folderOf(source))))
      for (const line of read(file).split('\n').filter(isCode))
        expect(featureWords.test(line), `${file}: ${line}`).toBe(false)
  })

  it.each(below)('%s knows no page of a feature but those of sessions', (folder) => {
    const own = ['/', '/sessions/$sessionId']
    const paths = Object.keys(features)
      .flatMap((name) =>
        [...read(`${name}/feature.ts`).matchAll(/path: '([^']+)'/g)].map(([, path]) => path!),
      )
      .filter((path) => !own.includes(path))
    expect(paths).toContain('/plans')
    for (const file of sources.filter((source) => folderOf(source) === folder))
      for (const path of paths) expect(read(file), file).not.toContain(`'${path}'`)
  })

  it.each(Object.entries(features))(
    '%s imports of other features what they offer: %j',
    (name, { needs = [] }) => {
      for (const file of sources.filter((source) => folderOf(source) === name))
        for (const target of importsOf(file)) {
          const other = folderOf(target)
          expect([...below, name, ...needs], `${file} imports ${target}`).toContain(other)
          if (needs.includes(other)) expect(isOffered(target), `${file} imports ${target}`).toBe(true)
        }
    },
  )

  it('has no two features that need one another', () => {
    const names = Object.keys(features)
    for (const [name, { needs = [] }] of Object.entries(features))
      for (const needed of needs)
        expect(names.indexOf(needed), `${name} needs ${needed}`).toBeLessThan(names.indexOf(name))
  })

  it('offers nothing that nobody takes', () => {
    const taken = sources.flatMap((file) =>
      importsOf(file).filter((target) => folderOf(target) !== folderOf(file)),
    )
    for (const [name, { needs = [], offers = [] }] of Object.entries(features)) {
      for (const offer of offers)
        expect(
          taken.some((target) => target.startsWith(`${name}/${offer}`)),
          `${name} offers ${offer}`,
        ).toBe(true)
      const used = new Set(
        sources
          .filter((file) => folderOf(file) === name)
          .flatMap(importsOf)
          .map(folderOf),
      )
      for (const needed of needs) expect(used, `${name} needs ${needed}`).toContain(needed)
    }
  })
})

// they read what somebody wrote in Chinese
const readers = ['session/composer/completion.ts', 'crons/schedule-words.ts']

describe('the languages of the workbench', () => {
  it.each(['en', 'zh'])('%s is loaded when it is shown, and imported by nothing else', (language) => {
    const words = new RegExp(`from '[^']*/${language}\\.ts'`)
    for (const file of sources.filter((source) => !source.endsWith(`/${language}.ts`)))
      for (const line of read(file).split('\n'))
        expect(words.test(line) && !line.startsWith('import type'), `${file}: ${line}`).toBe(false)
  })

  it('has no Chinese outside of its files but in names, which the palette finds by any language', () => {
    const strays = sources
      .filter((file) => !file.endsWith('/zh.ts') && !readers.includes(file))
      .flatMap((file) =>
        read(file)
          .split('\n')
          .map((line) => `${file}: ${line}`),
      )
      .filter((line) => /\p{Script=Han}/u.test(line.replaceAll(/中文|英文/g, '')))
      .filter((line) => !/zh: '|: \s*(\/\/|\/?\*)/.test(line))
    expect(strays).toEqual([])
  })
})

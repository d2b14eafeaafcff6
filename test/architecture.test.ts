import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Who may import whom inside the core; a folder may always import itself. */
const core: Record<string, string[]> = {
  shared: [],
  protocol: ['shared'],
  store: ['shared', 'protocol'],
  models: ['shared', 'protocol'],
  prompt: ['shared', 'protocol'],
  files: ['shared', 'protocol'],
  context: ['shared', 'protocol', 'files'],
  runs: ['shared', 'protocol', 'store'],
  tools: ['shared', 'protocol', 'files', 'store', 'models', 'runs'],
  sessions: ['shared', 'protocol', 'files', 'store', 'models'],
  // which addresses may be reached, and how
  net: ['shared', 'protocol'],
  // programs that are run, and what they are confined to
  processes: ['shared', 'protocol', 'files', 'net', 'tools'],
  hooks: ['shared', 'protocol', 'tools', 'processes'],
  // who is notified of work around it
  watch: ['models', 'store', 'tools'],
  // how a verb is declared once for library, server and client
  operations: ['shared', 'protocol', 'store', 'sessions'],
  // what routes of extensions are made of; the server applies it
  http: ['shared', 'protocol', 'store', 'sessions', 'operations'],
  chat: [
    'operations',
    'shared',
    'protocol',
    'files',
    'store',
    'models',
    'prompt',
    'context',
    'sessions',
    'tools',
    'runs',
    'hooks',
  ],
  approvals: ['operations', 'shared', 'protocol', 'files', 'store', 'runs', 'sessions', 'tools', 'hooks'],
  catalogue: ['operations', 'shared', 'protocol', 'store', 'models', 'context', 'sessions', 'tools', 'chat'],
  tasks: ['shared', 'protocol', 'store', 'runs', 'tools', 'chat'],
  // how a setting is declared; reading them is the configuration's
  settings: ['protocol', 'hooks'],
  // what commands of the command line are made of, wherever they are declared
  'command-line': ['shared', 'protocol', 'files', 'store', 'operations', 'chat', 'approvals'],
  // runs whose work is done by tasks and other runs
  orchestrator: ['shared', 'protocol', 'store', 'runs', 'tasks'],
}
const inCore = [
  ...[...Object.keys(core), 'compose'].map((folder) => `core/${folder}`),
  // what an extension is; knows all that one gets
  'core/extension.ts',
  // what one says of itself before it is loaded
  'core/manifest.ts',
]

/** Which extensions an extension needs; it may import the core, itself and these. */
const extensions: Record<string, string[]> = {
  agents: [],
  documents: [],
  files: [],
  terminal: [],
  web: [],
  memory: ['documents'],
  knowledge: ['memory'],
  schedule: [],
  webhook: ['schedule'],
  workflow: ['documents', 'schedule'],
  plan: ['documents', 'knowledge'],
  room: ['agents'],
  mcp: [],
  openai: ['memory'],
  anthropic: ['openai'],
}
const allExtensions = Object.keys(extensions).map((name) => `extensions/${name}`)

/** Who may import whom; a folder may always import itself. The files at the root of src are named in full. */
const mayImport: Record<string, string[]> = {
  ...Object.fromEntries(
    Object.entries(core).map(([folder, allowed]) => [
      `core/${folder}`,
      allowed.map((name) => `core/${name}`),
    ]),
  ),
  'core/extension.ts': inCore,
  'core/manifest.ts': ['core/command-line', 'core/extension.ts', 'core/protocol', 'core/settings'],
  // puts the core and any list of extensions together
  'core/compose': inCore,
  ...Object.fromEntries(
    Object.entries(extensions).map(([name, needs]) => [
      `extensions/${name}`,
      [...inCore, ...needs.map((needed) => `extensions/${needed}`)],
    ]),
  ),
  // the capabilities that come with Parley; what they have is loaded when it is needed
  'extensions/built-in.ts': ['core/extension.ts', ...allExtensions],
  // a program's own small Parley, without server and disk
  agent: inCore,
  // of the operations, their types alone
  client: [...inCore, ...allExtensions, 'operations.ts', 'public-types.ts'],
  'public-types.ts': [...inCore, ...allExtensions],
  // what it is told of is theirs; nobody below knows of it
  telemetry: ['core/shared', 'core/protocol', 'core/models', 'core/store', 'core/tools', 'core/watch'],
  config: ['core/hooks', 'core/manifest.ts', 'core/protocol', 'core/settings', 'extensions/built-in.ts'],
  'config.ts': ['config', 'core/files', 'core/protocol', 'core/settings', 'extensions/built-in.ts'],
  'version.ts': ['core/shared'],
  server: [...inCore, 'telemetry'],
  backup: ['core/shared', 'core/protocol', 'core/files', 'core/store'],
  cli: [
    ...inCore,
    ...allExtensions,
    'extensions/built-in.ts',
    'backup',
    'client',
    'server',
    'config',
    'config.ts',
    'telemetry',
    'parley.ts',
    'version.ts',
  ],
  // every operation by its name: for types, and for what is generated
  'operations.ts': [...inCore, ...allExtensions, 'extensions/built-in.ts'],
  // their names alone
  'operation-names.ts': ['operations.ts'],
  'parley.ts': [
    ...inCore,
    ...allExtensions,
    'extensions/built-in.ts',
    'operation-names.ts',
    'operations.ts',
    'telemetry',
    'version.ts',
  ],
  // loads the rest when it is called
  'create-parley.ts': ['core/extension.ts', 'parley.ts'],
  'index.ts': [
    ...inCore,
    ...allExtensions,
    'public-types.ts',
    'agent',
    'create-parley.ts',
    'parley.ts',
    'telemetry',
  ],
  // what extensions of others are written with
  // types alone of what they can add to
  'extension.ts': [...inCore, 'extensions/room', 'extensions/workflow'],
}

const root = join(import.meta.dirname, '..')
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
/** The folder that a file belongs to: `core/chat`, `extensions/plan`, `server`; or the file itself, at the root. */
const topOf = (file: string) => {
  const [first = '', second = ''] = relative('src', file).split('/')
  return first === 'core' || first === 'extensions' ? `${first}/${second}` : first
}
const isBrowserSafe = (file: string) =>
  /^src\/(client|core\/protocol|extensions\/[\w-]+\/(protocol|facets\.ts))/.test(file)

describe('the tree', () => {
  it('has a rule for every folder, and no rule for one that is gone', () => {
    expect([...new Set(sources.map(topOf))].sort()).toEqual(Object.keys(mayImport).sort())
  })

  it.each(Object.entries(mayImport))('src/%s imports only itself and %j', (folder, allowed) => {
    for (const file of sources.filter((source) => topOf(source) === folder))
      for (const [, specifier = ''] of read(file).matchAll(/(?:from|import)\(? ?'(\.[^']+)'/g))
        expect([folder, ...allowed], `${file} imports ${specifier}`).toContain(
          topOf(join(dirname(file), specifier)),
        )
  })

  it('has nothing in the core that imports an extension, tests included', () => {
    const importing = globSync('src/core/**/*.ts', { cwd: root }).filter((file) =>
      importsOf(file).some((imported) => imported.startsWith('src/extensions/')),
    )
    expect(importing).toEqual([])
  })

  it('keeps what runs in browsers free of Node', () => {
    for (const file of sources.filter(isBrowserSafe))
      expect(read(file), file).not.toMatch(/from 'node:|\bBuffer\b|\bprocess\./)
  })

  it('reads the environment in the configuration only', () => {
    const readers = sources.filter((file) => /process\.env/.test(read(file)))
    expect(readers).toEqual(['src/config.ts'])
  })

  it('keeps no state in a module: two Parleys in one process must not notice each other', () => {
    const holders = sources.filter((file) => statefulLine.test(read(file)))
    expect(holders).toEqual([])
  })

  it('has the client take nothing but types from above the protocol', () => {
    const taken = sources
      .filter((file) => topOf(file) === 'client')
      .flatMap((file) => importsOf(file, valueImports))
    expect(taken.filter((file) => !isBrowserSafe(file) && topOf(file) !== 'core/shared')).toEqual([])
  })

  it('has the page load no schemas: what it takes from here is free of zod, but for types', () => {
    const pages = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\./.test(file))
    const loaded = new Set(
      pages.flatMap((file) => importsOf(file, valueImports)).filter((file) => file.startsWith('src/')),
    )
    // a set that grows is gone through to its end
    for (const file of loaded) for (const next of importsOf(file, valueImports)) loaded.add(next)
    expect([...loaded].filter((file) => read(file).includes("from 'zod'"))).toEqual([])
  })

  it('lists each extension once, and loads nothing that runs with the list', () => {
    const folders = Object.keys(extensions).toSorted()
    expect(globSync('*/', { cwd: join(root, 'src/extensions') }).toSorted()).toEqual(folders)
    expect(importsOf('src/extensions/built-in.ts', valueImports).toSorted()).toEqual(
      folders.map((name) => `src/extensions/${name}/manifest.ts`),
    )
    for (const name of folders) {
      const folder = `src/extensions/${name}`
      expect(read(`${folder}/manifest.ts`)).toContain(`name: '${name}'`)
      expect(read(`${folder}/extension.ts`)).toContain(`name: '${name}'`)
      const light = ['src/core/manifest.ts', `${folder}/facets.ts`, `${folder}/settings.ts`]
      const loaded = importsOf(`${folder}/manifest.ts`, valueImports)
      expect(
        loaded.filter((file) => !light.includes(file) && !file.startsWith(`${folder}/protocol/`)),
      ).toEqual([])
    }
  })

  it('binds nothing late: what is put together gets values, not functions that find them later', () => {
    // a function without parameters that only hands out what somebody else makes
    const thunk = /\(\) =>\s*(?!(?:true|false|null|undefined)\b)[a-z]\w*\s*(?=[,;)\]}\n])/gi
    const parts =
      /\(\) =>\s*(?:\w+\.)*(?:chats|chatRuns|turns|tools|background|engine|work)\s*(?=[,;)\]}\n])/g
    const late = (pattern: RegExp, files: string[]) =>
      files.flatMap((file) => (read(file).match(pattern) ?? []).map((found) => `${file}: ${found}`))
    const isComposing = (file: string) =>
      ['parley.ts', 'core/compose'].includes(topOf(file)) || file === 'src/agent/agent-core.ts'
    expect(late(thunk, sources.filter(isComposing))).toEqual([])
    expect(late(parts, sources)).toEqual([])
    const deps = sources.filter((file) => /-(service|deps|limits)\.ts$|\/open-catalogue\.ts$/.test(file))
    expect(deps.length).toBeGreaterThan(5)
    expect(late(/^ {2}\w+\??: \(\) => .*/gm, deps)).toEqual([])
    // the same within a function: the linter refuses closures over what is made further down
    const { overrides } = JSON.parse(read('.oxlintrc.json')) as {
      overrides: { files: string[]; rules: Record<string, unknown> }[]
    }
    expect(overrides.find(({ rules }) => rules['no-use-before-define'])?.files).toEqual([
      'src/parley.ts',
      'src/core/compose/**',
      'src/agent/agent-core.ts',
    ])
  })

  it('has no drawers', () => {
    const drawers = /^(utils?|helpers?|misc|common|types|constants)\.ts$|V\d+\.ts$|legacy/i
    expect(sources.filter((file) => drawers.test(basename(file)))).toEqual([])
    const barrels = sources.filter((file) => basename(file) === 'index.ts')
    expect(barrels.sort()).toEqual([
      'src/agent/index.ts',
      'src/client/index.ts',
      'src/index.ts',
      'src/server/index.ts',
    ])
  })

  it('says in a file over 500 lines why it is that long', () => {
    const unexplained = sources.filter(
      (file) =>
        read(file).trimEnd().split('\n').length > 500 && !/^\s*(\/\/|\/?\*+) Long because /m.test(read(file)),
    )
    expect(unexplained).toEqual([])
  })

  it.each(['src', 'web/src'])('has no cycle among the files of %s', (folder) => {
    expect(cyclesIn(folder)).toEqual([])
  })

  it('speaks of no machine: no absolute paths of a home, a work or a temporary folder', () => {
    for (const file of sources) expect(read(file), file).not.toMatch(/['"`]\/(home|root|work|tmp|Users)\//)
  })
})

/** Files that import one another in a circle, for their types too; what loads lazily is left out. */
function cyclesIn(folder: string): string[][] {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).filter(
    (file) => !/\.(test|d)\.tsx?$/.test(file),
  )
  const known = new Set(files)
  const found: string[][] = []
  const done = new Set<string>()
  const visit = (file: string, way: string[]): void => {
    const at = way.indexOf(file)
    if (at >= 0) found.push([...way.slice(at), file])
    if (at >= 0 || done.has(file)) return
    for (const next of importsOf(file)) if (known.has(next)) visit(next, [...way, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  return found
}

/** What can change, or holds something open, at the top of a file; a table, a pattern and a weak map are none of that. */
const statefulLine =
  /^(?:export )?(?:let |const \w+[^=\n]*= (?:await |new (?:Map|Set)(?:<[^\n]*>)?\(\)|new (?!Map|Set|WeakMap|RegExp|Intl\.|Text(?:En|De)coder)|(?:open|start|create)(?!Route\()[A-Z]\w*\())/m

const valueImports = /^(?:import|export) (?!type )(?:[\w\s{},*]+ from )?'(\.[^']+)'/gm

const importsOf = (
  file: string,
  pattern = /^(?:import|export) (?:[\w\s{},*]+ from )?'(\.[^']+)'/gm,
): string[] => [...read(file).matchAll(pattern)].map(([, specifier = '']) => join(dirname(file), specifier))

describe('package-lock.json', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean; inBundle?: boolean }>
  }
  const fetched = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle,
  )

  it('says what each package has to hash to', () => {
    expect(fetched.length).toBeGreaterThan(500)
    const unchecked = fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(unchecked.map(([path]) => path)).toEqual([])
  })

  it('names no server that packages come from, nor one that counts installations', () => {
    expect(fetched.flatMap(([, { resolved }]) => resolved ?? [])).toEqual([])
    expect(Object.keys(packages).filter((path) => path.includes('scarf'))).toEqual([])
  })
})

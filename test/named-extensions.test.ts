/** Extensions that a configuration file names: code of others, which may come from a stranger's repository. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { toTrustedCode } from '../src/cli/ask-trust.ts'
import { toExtendedOptions } from '../src/cli/open-parley.ts'
import { loadConfig } from '../src/config.ts'
import { temporaryFolder } from './harness.ts'
import { startServer } from './server-process.ts'
import { need } from './runner/provision.ts'

const root = join(import.meta.dirname, '..')
const compiled = join(root, 'node_modules', '.cache', 'compiled')

function arrange(files: Record<string, string>) {
  const folder = temporaryFolder()
  const home = join(folder.path, 'home')
  const project = join(folder.path, 'project')
  mkdirSync(home)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const env = { PATH: process.env.PATH, HOME: home, NODE_COMPILE_CACHE: compiled }
  const load = () => loadConfig({ cwd: project, home, env })
  const node = (...words: string[]) =>
    promisify(execFile)(process.execPath, words, { cwd: project, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    )
  return {
    path: folder.path,
    project,
    load,
    put(name: string, text: string) {
      mkdirSync(dirname(join(project, name)), { recursive: true })
      writeFileSync(join(project, name), text)
    },
    /** As the question of the command line does, once it is answered. */
    trust() {
      const { trust, project: found } = load()
      trust.add(project, 0, toTrustedCode(found!.code))
    },
    open: async () => (await toExtendedOptions(load())).extensions?.map(({ name }) => name),
    node,
    run: (...words: string[]) => node(join(root, 'src', 'cli', 'main.ts'), ...words),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const quiet = `export default { name: 'quiet', create: () => ({ service: undefined }) }`
const evil = `import { writeFileSync } from 'node:fs'
writeFileSync(new URL('../ran', import.meta.url), 'it ran')
export default { name: 'evil', commands: [{ name: 'evil', load: () => import('./commands.js') }], create: () => ({ service: undefined }) }`

describe('the repository of a stranger', () => {
  const hostile = { 'parley.yaml': 'extensions: [./evil]\n', 'evil/index.js': evil, '.git/HEAD': '' }

  it('runs no code before a person trusts the folder, whatever is asked for', async () => {
    using place = arrange(hostile)
    expect(place.load().config.extensions).toEqual([])
    expect(await place.open()).toBeUndefined()
    for (const words of [
      ['evil'],
      ['help'],
      ['doctor'],
      ['extensions', 'list'],
      ['config'],
      ['sessions', 'list'],
    ])
      await place.run(...words)
    expect(existsSync(join(place.project, 'ran'))).toBe(false)
    expect((await place.run('extensions', 'list')).stderr).toContain(
      'is not used until you trust this folder',
    )
    place.trust()
    expect(await place.open()).toEqual(['evil'])
    expect(existsSync(join(place.project, 'ran'))).toBe(true)
  })

  it('loads nothing from outside of its folder, also when it is trusted', async () => {
    using place = arrange({ 'parley.yaml': 'extensions: [../outside]\n' })
    cpSync(place.project, join(place.path, 'outside'), { recursive: true })
    writeFileSync(join(place.path, 'outside', 'index.js'), evil)
    expect(() => place.load()).toThrow('is outside the folder of that file')
    writeFileSync(join(place.project, 'parley.yaml'), 'extensions: [./link]\n')
    symlinkSync(join(place.path, 'outside'), join(place.project, 'link'))
    expect(() => place.load()).toThrow('is outside the folder of that file')
    writeFileSync(join(place.project, 'parley.yaml'), 'extensions: [./inside]\n')
    mkdirSync(join(place.project, 'inside'))
    writeFileSync(join(place.project, 'inside', 'package.json'), '{"exports": "../../outside/index.js"}')
    place.trust()
    await expect(place.open()).rejects.toThrow('../../outside/index.js is outside of')
    expect(existsSync(join(place.path, 'ran'))).toBe(false)
  })
})

describe('what comes into a trusted folder later', () => {
  const named = (list: string) => `extensions: ${list}\n`
  const files = {
    'package.json': '{"type": "module"}',
    '.git/HEAD': '',
    'parley.yaml': named('[./tea, pot]'),
    'tea/package.json': '{"type": "module", "exports": "./main.js", "dependencies": {"leaf": "*"}}',
    'tea/main.js': `import './parts/cup.js'\nimport 'leaf'\n${quiet.replace('quiet', 'tea')}`,
    'tea/parts/cup.js': '',
    'node_modules/leaf/package.json': '{"type": "module", "exports": "./index.js"}',
    'node_modules/leaf/index.js': '',
    'node_modules/pot/package.json': '{"type": "module", "exports": "./index.js"}',
    'node_modules/pot/index.js': quiet.replace('quiet', 'pot'),
    'other/index.js': evil,
    'node_modules/evil/package.json': '{"type": "module", "exports": "./index.js"}',
    'node_modules/evil/index.js': evil,
  }
  const ran = (place: { project: string }) =>
    ['ran', 'tea/ran', 'node_modules/ran'].some((name) => existsSync(join(place.project, name)))

  it.each<[string, string, (place: ReturnType<typeof arrange>) => void]>([
    ['a new entry', 'other" is new', ({ put }) => put('parley.yaml', named('[./tea, pot, ./other]'))],
    ['a new package', '"evil" is new', ({ put }) => put('parley.yaml', named('[./tea, evil]'))],
    [
      'other settings',
      'has changed',
      ({ put }) => put('parley.yaml', named('[{module: ./tea, settings: {a: 1}}]')),
    ],
    ['other code', 'tea" has changed', ({ put }) => put('tea/main.js', evil)],
    ['another file of a folder', 'tea" has changed', ({ put }) => put('tea/parts/cup.js', evil)],
    [
      'another entry of a folder',
      'tea" has changed',
      ({ put }) => put('tea/package.json', '{"exports": "./parts/cup.js"}'),
    ],
    ['a file that was not there', 'tea" has changed', ({ put }) => put('tea/parts/index.js', evil)],
    [
      'another package under the same name',
      '"pot" has changed',
      ({ put }) => put('node_modules/pot/index.js', evil),
    ],
    [
      'other code of a package that one needs',
      'tea" has changed',
      ({ put }) => put('node_modules/leaf/index.js', evil),
    ],
    [
      'a nearer package that one needs',
      'tea" has changed',
      ({ put }) => {
        put('tea/node_modules/leaf/package.json', '{"type": "module", "exports": "./index.js"}')
        put('tea/node_modules/leaf/index.js', evil)
      },
    ],
    [
      'a link in place of a folder',
      'tea" has changed',
      ({ project }) => {
        renameSync(join(project, 'tea'), join(project, 'old'))
        symlinkSync(join(project, 'other'), join(project, 'tea'))
      },
    ],
    [
      'more than can be checked',
      'is more than can be checked',
      ({ put, project }) => {
        put('tea/large', '')
        truncateSync(join(project, 'tea/large'), 2 ** 36)
      },
    ],
  ])('is not run, and named: %s', async (_, change, bring) => {
    using place = arrange(files)
    place.trust()
    expect(await place.open()).toEqual(['tea', 'pot'])
    bring(place)
    expect(place.load().config.extensions).toEqual([])
    expect(place.load().warnings.join()).toContain(change)
    // the button of the workbench is about what instructs models
    place.load().trust.add(place.project, 1)
    expect(await place.open()).toBeUndefined()
    expect(ran(place)).toBe(false)
  })

  it('is not run, whatever is asked for', async () => {
    using place = arrange(files)
    place.trust()
    place.put('tea/parts/cup.js', evil)
    const listed = await place.run('extensions', 'list')
    expect(listed.stdout).toContain('names no extensions')
    expect(listed.stderr).toContain('tea" has changed since you trusted this folder')
    expect(listed.stderr).toContain(`parley trust ${place.project}`)
    for (const words of [['evil'], ['help'], ['doctor'], ['sessions', 'list'], ['trust', '--list']])
      await place.run(...words)
    expect(ran(place)).toBe(false)
  })

  it('is run once a person trusts it as it is now', async () => {
    using place = arrange(files)
    const trusted = await place.run('trust')
    expect(trusted.stdout).toContain(`It may run: ${join(place.project, 'tea')}`)
    expect((await place.run('extensions', 'list')).stdout).toContain('pot')
    place.put('tea/parts/cup.js', evil)
    expect((await place.run('extensions', 'list')).stdout).not.toContain('pot')
    await place.run('trust', place.project)
    expect((await place.run('extensions', 'list')).stdout).toContain('pot')
    expect(ran(place)).toBe(true)
    // one that is gone takes nothing from the others
    place.put('parley.yaml', named('[pot]'))
    expect((await place.run('extensions', 'list')).stdout).toContain('pot')
    await place.run('trust', '--remove')
    expect((await place.run('extensions', 'list')).stderr).toContain('until you trust this folder')
  })

  it('is not run from a folder below, whose configuration nobody was asked about', async () => {
    using place = arrange({
      ...files,
      'sub/parley.yaml': named('[../other]'),
      'own/parley.yaml': named('[./ext]'),
      'own/ext/index.js': evil,
    })
    place.trust()
    const below = (cwd: string) =>
      loadConfig({ cwd: join(place.project, cwd), home: join(place.path, 'home'), env: {} })
    expect(() => below('sub')).toThrow('outside the folder of that file')
    expect(below('own')).toMatchObject({ config: { extensions: [] }, project: { waiting: ['extensions'] } })
  })

  it('is not loaded when it comes between the look and the import', async () => {
    using place = arrange(files)
    const lazy = `{ commands: [{ name: 'pour', load: () => import('./parts/cup.js') }], name`
    place.put('tea/main.js', quiet.replace('{ name', lazy))
    place.trust()
    const script = `
import { writeFileSync } from 'node:fs'
import { toExtendedOptions } from ${JSON.stringify(join(root, 'src/cli/open-parley.ts'))}
import { loadConfig } from ${JSON.stringify(join(root, 'src/config.ts'))}
const loaded = loadConfig()
const { extensions } = await toExtendedOptions(loaded)
writeFileSync('tea/parts/cup.js', ${JSON.stringify(evil)})
await extensions[0].commands[0].load()`
    const outcome = await place.node('--input-type=module', '--eval', script)
    expect(outcome.stderr).toContain('cup.js has changed since you trusted it')
    expect(ran(place)).toBe(false)
  })

  it('is not served as the page of an extension', async () => {
    using place = arrange({
      'parley.yaml': named('[./tea]'),
      'tea/index.mjs': quiet,
      'tea/package.json': '{"exports": "./index.mjs"}',
      'tea/page.js': 'first',
    })
    const page = `page: { title: 'Tea', module: new URL('page.js', import.meta.url) }`
    place.put('tea/index.mjs', quiet.replace('create:', `${page}, create:`))
    place.trust()
    const server = await startServer({
      env: { HOME: join(place.path, 'home'), PARLEY_DATA_DIR: join(place.path, 'data') },
      cwd: place.project,
    })
    try {
      place.put('tea/page.js', 'second')
      const served = await fetch(`${server.url}/extensions/quiet/page.js`)
      expect(await served.text()).toBe('first')
    } finally {
      await server.kill('SIGTERM')
    }
  })

  it.each(['../other/index.js', 'evil'])(
    'is not loaded from outside of what was looked at: %s',
    async (specifier) => {
      using place = arrange(files)
      place.put('tea/main.js', `import '${specifier}'\n${quiet}`)
      place.trust()
      expect((await place.run('extensions', 'list')).stderr).toContain(
        `loads "${specifier}", which is not in its folder`,
      )
      expect(ran(place)).toBe(false)
    },
  )
})

describe('a trusted folder', () => {
  it('names folders, files and packages, in their order', async () => {
    using place = arrange({
      'parley.yaml': 'extensions: [./one, ./two.js, three]\n',
      'one/package.json': '{"type": "module", "exports": {".": {"default": "./main.js"}}}',
      'one/main.js': quiet.replace('quiet', 'one'),
      'two.js': quiet.replace('quiet', 'two'),
      'package.json': '{"type": "module"}',
      'node_modules/three/package.json': '{"name": "three", "type": "module", "exports": "./index.js"}',
      'node_modules/three/index.js': quiet.replace('quiet', 'three'),
    })
    place.trust()
    expect(await place.open()).toEqual(['one', 'two', 'three'])
  })

  it.each([
    ['is not there', {}, 'does not exist'],
    ['throws', { 'ext/index.js': 'throw new Error("no disk")' }, 'no disk'],
    ['exports nothing', { 'ext/index.js': 'export const a = 1' }, 'its default export is no extension'],
    ['is none', { 'ext/index.js': 'export default { name: "x" }' }, 'create must be a function'],
    ['has no file', { 'ext/readme.md': '' }, 'has neither a package.json'],
  ])('says which extension cannot be loaded, and why: it %s', async (_, files, reason) => {
    using place = arrange({
      'parley.yaml': 'extensions: [./ext]\n',
      'package.json': '{"type":"module"}',
      ...files,
    })
    place.trust()
    const opened = place.open()
    await expect(opened).rejects.toThrow(`The extension "${join(place.project, 'ext')}" cannot be loaded: `)
    await expect(opened).rejects.toThrow(reason)
  })

  it('has settings of its extensions checked by their own table', async () => {
    await need('program')
    using place = arrange({})
    mkdirSync(place.project)
    cpSync(join(root, 'examples', 'polls'), join(place.project, 'polls'), { recursive: true })
    mkdirSync(join(place.project, 'node_modules'))
    symlinkSync(root, join(place.project, 'node_modules', 'parley'))
    const configure = (settings: string) =>
      writeFileSync(
        join(place.project, 'parley.yaml'),
        `extensions:\n  - module: ./polls\n    settings: ${settings}\n`,
      )
    configure('{maxChoices: 4}')
    place.trust()
    expect(await toExtendedOptions(place.load())).toMatchObject({ polls: { maxChoices: 4 } })
    configure('{maxChoices: 1}')
    place.trust()
    await expect(place.open()).rejects.toThrow(
      'its setting "maxChoices" must be a whole number from 2 to 100',
    )
    configure('{most: 1}')
    place.trust()
    await expect(place.open()).rejects.toThrow('"polls" has no setting "most". Its settings: maxChoices')
  })

  it('has commands of its extensions, and doctor lists them', async () => {
    using place = arrange({
      'parley.yaml': 'extensions: [./ext.js]\n',
      'package.json': '{"type": "module"}',
      'ext.js': `export default { name: 'ext', version: '2.0.0', create: () => ({ service: undefined }),
  commands: [{ name: 'hey', load: async () => ({ addCommands: (group, { output }) => group.action(() => output.printAnswer('you')) }) }] }`,
    })
    place.trust()
    expect((await place.run('hey')).stdout).toBe('you\n')
    expect((await place.run('help')).stdout).toContain('hey')
    expect((await place.run('doctor')).stdout).toMatch(/extensions +ext 2\.0\.0/)
    expect((await place.run('extensions', 'list')).stdout).toContain('2.0.0')
  })

  it('begins with what "extensions new" makes, which passes its own test', async () => {
    await need('program')
    using place = arrange({ 'package.json': '{"type": "module"}' })
    mkdirSync(join(place.project, 'node_modules'))
    symlinkSync(root, join(place.project, 'node_modules', 'parley'))
    expect((await place.run('extensions', 'new', 'tea-time')).stdout).toContain('package.json')
    const tested = await promisify(execFile)(process.execPath, ['--test'], {
      cwd: join(place.project, 'tea-time'),
      env: { PATH: process.env.PATH, HOME: place.path },
    })
    expect(tested.stdout).toMatch(/pass 1\n/)
    expect((await place.run('extensions', 'new', 'tea-time')).stderr).toContain('is there already')
    expect((await place.run('extensions', 'new', '../x')).stderr).toContain('must be a word')
  })
})

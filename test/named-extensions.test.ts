/** Extensions that a configuration file names: code of others, which may come from a stranger's repository. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { toExtendedOptions } from '../src/cli/open-parley.ts'
import { loadConfig } from '../src/config.ts'
import { temporaryFolder } from './harness.ts'
import { need } from './runner/provision.ts'

const root = join(import.meta.dirname, '..')

function arrange(files: Record<string, string>) {
  const folder = temporaryFolder()
  const home = join(folder.path, 'home')
  const project = join(folder.path, 'project')
  mkdirSync(home)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const env = { PATH: process.env.PATH, HOME: home }
  const load = () => loadConfig({ cwd: project, home, env })
  return {
    path: folder.path,
    project,
    load,
    trust: () => void load().trust.add(project, 0),
    open: async () => (await toExtendedOptions(load())).extensions?.map(({ name }) => name),
    run: (...words: string[]) =>
      promisify(execFile)(process.execPath, [join(root, 'src', 'cli', 'main.ts'), ...words], {
        cwd: project,
        env,
      }).catch((error: { stdout: string; stderr: string }) => error),
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
    await expect(place.open()).rejects.toThrow(
      'its setting "maxChoices" must be a whole number from 2 to 100',
    )
    configure('{most: 1}')
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

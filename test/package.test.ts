/** The package as others get it: packed, installed in a folder that is not ours, and used. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, globSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const folder = temporaryFolder()
const home = folder.path
const parley = join(home, 'node_modules', '.bin', 'parley')
const env = { PATH: process.env.PATH, HOME: home, PARLEY_DATA_DIR: join(home, 'data') }
let tarball = ''

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', home], { cwd: root })
  tarball = join(home, globSync('*.tgz', { cwd: home })[0]!)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'elsewhere', type: 'module' }))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: home })
}, 300_000)

afterAll(() => folder[Symbol.dispose]())

it('is well formed, and its types are found by programs and bundlers', async () => {
  const tool = (name: string) => join(root, 'node_modules', '.bin', name)
  const { stdout } = await run(tool('publint'), ['--strict', tarball])
  expect(stdout).toContain('All good!')
  await run(tool('attw'), [tarball, '--profile', 'esm-only'])
}, 300_000)

it('holds what runs, and neither sources nor tests', async () => {
  const { stdout } = await run('tar', ['tzf', tarball])
  const files = stdout.split('\n').map((file) => file.replace('package/', ''))
  for (const file of [
    'bin/parley.js',
    'dist/cli/LICENSES.txt',
    'dist/index.js',
    'dist/sbom.json',
    'dist/swagger-ui/LICENSES.txt',
    'dist/types/index.d.ts',
    'LICENSE',
    'README.md',
    'schema/parley.schema.json',
    'src/core/store/migrations/0001-foundation.sql',
    'src/extensions/plan/store/migrations/0015-plans.sql',
    'web/dist/index.html',
  ])
    expect(files).toContain(file)
  expect(files.filter((file) => /\.test\.|^(test|scripts|node_modules)\/|^src\/.*\.ts$/.test(file))).toEqual(
    [],
  )
})

it('installs nothing that reports installations or runs a program on installation', () => {
  const installed = globSync('node_modules/{*,@*/*}/package.json', { cwd: home }).map(
    (file) => JSON.parse(readFileSync(join(home, file), 'utf8')) as { name: string; scripts?: object },
  )
  expect(installed.map(({ name }) => name)).toEqual(expect.arrayContaining(['parley', 'hono', 'pg', 'zod']))
  const starting = installed.filter(
    ({ name, scripts = {} }) =>
      ['preinstall', 'install', 'postinstall'].some((script) => script in scripts) || /scarf/.test(name),
  )
  expect(starting.map(({ name }) => name)).toEqual([])
})

describe('its bill of materials', () => {
  type Component = {
    name: string
    version: string
    purl: string
    hashes?: { alg: string; content: string }[]
  }
  const text = () => readFileSync(join(home, 'node_modules', 'parley', 'dist', 'sbom.json'), 'utf8')
  const components = () => (JSON.parse(text()) as { components: Component[] }).components
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; version: string; integrity?: string; dev?: boolean }>
  }
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const hash = (integrity: string) => Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')

  it('has every package that is installed with it, and every one that is bundled, with its hash', () => {
    const installed = JSON.parse(
      readFileSync(join(home, 'node_modules', '.package-lock.json'), 'utf8'),
    ) as typeof lock
    const named = new Set(components().map(({ name }) => name))
    for (const path of Object.keys(installed.packages))
      if (nameOf(path) !== 'parley') expect(named).toContain(nameOf(path))
    const direct = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object }
    const web = JSON.parse(readFileSync(join(root, 'web', 'package.json'), 'utf8')) as {
      dependencies: object
    }
    for (const [name, version] of Object.entries({ ...direct.dependencies, ...web.dependencies })) {
      const found = components().find((component) => component.name === name && component.version === version)
      const { integrity } = lock.packages[`node_modules/${name}`]!
      expect(found?.hashes, name).toEqual([{ alg: 'SHA-512', content: hash(integrity!) }])
    }
    expect(named).toContain('swagger-ui-dist')
  })

  it('has nothing that only builds and tests need, and names no machine, host or moment', () => {
    const refs = new Set(components().map(({ name, version }) => `${name}@${version}`))
    const shipped = new Set(
      Object.entries(lock.packages).flatMap(([path, { version, dev }]) =>
        dev ? [] : [`${nameOf(path)}@${version}`],
      ),
    )
    const development = Object.entries(lock.packages)
      .filter(([path, { dev, version }]) => dev && !shipped.has(`${nameOf(path)}@${version}`))
      .map(([path, { version }]) => `${nameOf(path)}@${version}`)
    expect(development.length).toBeGreaterThan(100)
    expect(development.filter((ref) => refs.has(ref))).toEqual([])
    expect(text()).not.toContain(root)
    expect(text()).not.toMatch(/registry|timestamp|urn:uuid/)
    expect(JSON.parse(text())).toMatchObject({ metadata: { component: { name: 'parley' } } })
  })
})

describe('as a library', () => {
  it('runs the ten lines of the README, and they fit its types', async () => {
    const program = join(home, 'minimal.ts')
    copyFileSync(join(root, 'examples', '01-minimal.ts'), program)
    const { stdout } = await run(process.execPath, [program], { cwd: home, env })
    expect(stdout).toContain('Dinner plans: 2 messages')
    symlinkSync(join(root, 'node_modules', '@types'), join(home, 'node_modules', '@types'))
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node']
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const typed = join(home, 'typed.ts')
    // a query that an extension adds
    writeFileSync(
      typed,
      `import type { Store } from 'parley'\nexport const find = (store: Store) => store.getPlan('default', 'plan_1')\n`,
    )
    await run(tsc, [...options, '--lib', 'es2024,esnext.disposable', '--skipLibCheck', program, typed], {
      cwd: home,
    })
  })

  it('opens a store of its own, and comes with its client', async () => {
    const program = join(home, 'embedded.js')
    writeFileSync(
      program,
      `import { createParley } from 'parley'
import { createClient } from 'parley/client'
await using parley = await createParley({ dataDir: 'embedded' })
const { id } = await parley.sessions.create({ title: 'From elsewhere' })
process.stdout.write(JSON.stringify([id, typeof createClient({ baseUrl: 'http://127.0.0.1:1' }).sessions.list]))
`,
    )
    const { stdout } = await run(process.execPath, [program], { cwd: home, env })
    expect(JSON.parse(stdout)).toEqual([expect.stringMatching(/^ses_/), 'function'])
  })
})

describe('as a program', () => {
  it('tells its version and answers a prompt', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect((await run(parley, ['--version'], { cwd: home, env })).stdout).toBe(`${version}\n`)
    expect((await run(parley, ['run', 'Hello there'], { cwd: home, env })).stdout).toContain('Hello there')
  })

  it('serves the workbench, the API page and a turn', async () => {
    const child = spawn(parley, ['serve', '--json', '--port', '0'], {
      cwd: home,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      let text = ''
      for await (const line of createInterface(child.stdout)) if ((text += line) && line === '}') break
      const { url } = JSON.parse(text) as { url: string }
      const page = await (await fetch(url)).text()
      expect(page).toContain('<div id="root">')
      expect((await fetch(`${url}/docs/swagger-ui.css`)).status).toBe(200)
      const templates = (await (await fetch(`${url}/api/workflows/templates`)).json()) as { items: unknown[] }
      expect(templates.items.length).toBeGreaterThan(0)
      const post = (path: string, body: object) =>
        fetch(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify(body),
        }).then((answer) => answer.json() as Promise<{ id: string; message: unknown }>)
      const { id } = await post('/api/sessions', {})
      const { message } = await post(`/api/sessions/${id}/chat`, { content: 'Is anybody there?' })
      expect(JSON.stringify(message)).toContain('Is anybody there?')
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  })
})

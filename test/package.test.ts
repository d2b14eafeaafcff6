/** The package as others get it: packed, installed in a folder that is not ours, and used. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { build as esbuild } from 'esbuild'
import { build as rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'
import { testTier } from './runner/tier.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const folder = temporaryFolder()
const home = folder.path
const parley = join(home, 'node_modules', '.bin', 'parley')
const programs = join(root, 'test', 'bundles')
const tsc = join(root, 'node_modules', '.bin', 'tsc')
const ofServers = ['@hono/node-server', 'hono', 'pg', 'pino', 'prom-client', 'ws', '@opentelemetry/api']
const env = { PATH: process.env.PATH, HOME: home, PARLEY_DATA_DIR: join(home, 'data') }
let tarball = ''

beforeAll(async () => {
  await run('npm', ['pack', '--pack-destination', home], { cwd: root })
  tarball = join(home, globSync('*.tgz', { cwd: home })[0]!)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'elsewhere', type: 'module' }))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: home })
}, 300_000)

afterAll(() => folder[Symbol.dispose]())

/** The addresses of what Node loads for a program that uses the package. */
async function listModules(source: string): Promise<string[]> {
  const program = join(home, 'listed.js')
  writeFileSync(program, source)
  const lister = join(programs, 'list-modules.js')
  await run(process.execPath, ['--import', lister, program], { cwd: home, env })
  return readFileSync(join(home, 'modules.txt'), 'utf8').split('\n')
}

const packagesOf = (urls: string[]) =>
  [...new Set(urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))].sort()

it('is well formed, and its types are found by programs and bundlers', async () => {
  const tool = (name: string) => join(root, 'node_modules', '.bin', name)
  const { stdout } = await run(tool('publint'), ['--strict', tarball])
  expect(stdout).toContain('All good!')
  // compilers find them below; this one tries every way in which they could be looked for
  if (testTier === 'long') await run(tool('attw'), [tarball, '--profile', 'esm-only'])
}, 300_000)

it('holds what runs, and neither sources nor tests', async () => {
  const { stdout } = await run('tar', ['tzf', tarball])
  const files = stdout.split('\n').map((file) => file.replace('package/', ''))
  for (const file of [
    'bin/parley.js',
    'dist/agent.js',
    'dist/cli/LICENSES.txt',
    'dist/index.js',
    'dist/LICENSES.txt',
    'dist/sbom.json',
    'dist/swagger-ui/LICENSES.txt',
    'dist/types/index.d.ts',
    'LICENSE',
    'README.md',
    'schema/parley.schema.json',
    'web/dist/index.html',
  ])
    expect(files).toContain(file)
  expect(files.filter((file) => /\.test\.|^(src|test|scripts|node_modules)\//.test(file))).toEqual([])
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
  it('runs the ten lines of the README', async () => {
    const program = join(home, 'minimal.ts')
    copyFileSync(join(root, 'examples', '01-minimal.ts'), program)
    const { stdout } = await run(process.execPath, [program], { cwd: home, env })
    expect(stdout).toContain('Dinner plans: 2 messages')
  })

  it('runs an extension that is written outside of it', async () => {
    const polls = join(home, 'polls')
    cpSync(join(root, 'examples', 'polls'), polls, { recursive: true })
    const { stdout, stderr } = await run(process.execPath, [join(polls, 'main.ts')], { cwd: home, env })
    expect([stdout, stderr]).toEqual(['the model knew the poll\nclosed: Noodles 1, Pizza 1\n', ''])
  })

  it.each([
    ['nodenext', 'nodenext'],
    // two ways of finding files that differ in nothing that concerns types
    ...(testTier === 'long' ? [['esnext', 'bundler']] : []),
  ])(
    'has types that programs fit, without errors of their own: module %s, resolved as %s',
    async (module, moduleResolution) => {
      symlinkSync(join(root, 'node_modules', '@types'), join(home, 'node_modules', '@types'))
      // a query that an extension adds
      writeFileSync(
        join(home, 'typed.ts'),
        `import type { Store } from 'parley'\nexport const find = (store: Store) => store.getPlan('default', 'plan_1')\n`,
      )
      writeFileSync(
        join(home, 'entries.ts'),
        `import { createParley } from 'parley'
import { createAgent } from 'parley/agent'
import { createClient } from 'parley/client'
import { createApp } from 'parley/server'
export default [createParley, createAgent, createClient, createApp]
`,
      )
      const options = {
        noEmit: true,
        strict: true,
        skipLibCheck: false,
        target: 'es2024',
        lib: ['es2024', 'esnext.disposable', 'dom'],
        types: ['node'],
        allowImportingTsExtensions: true,
        module,
        moduleResolution,
      }
      const files = ['entries.ts', 'minimal.ts', 'polls/main.ts', 'typed.ts']
      writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
      // what it prints says more than that it failed
      const { stdout } = await run(tsc, ['-p', home], { cwd: home }).catch(
        (error: { stdout: string }) => error,
      )
      expect(stdout).toBe('')
    },
  )

  it.each(['parley', 'parley/agent'])('loads neither server nor database with %s', async (entry) => {
    const loaded = await listModules(`import '${entry}'`)
    expect(packagesOf(loaded)).toEqual(['fastest-levenshtein', 'parley', 'zod'])
    expect(loaded.filter((url) => /^node:(sqlite|http|net|child_process|worker_threads)$/.test(url))).toEqual(
      [],
    )
    // zod is most of them
    expect(loaded.length).toBeLessThan(150)
  })

  it('loads one database and no server with the first answer of an agent', async () => {
    const loaded = await listModules(readFileSync(join(programs, 'agent.js'), 'utf8'))
    expect(loaded).toContain('node:sqlite')
    expect(packagesOf(loaded)).toEqual(expect.arrayContaining(['kysely', 'parley', 'zod']))
    for (const name of ofServers) expect(packagesOf(loaded)).not.toContain(name)
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

describe('in a bundle', () => {
  interface Bundle {
    program: string
    /** Where it is put. */
    file: string
    banner?: string
  }
  const bundlers = {
    esbuild: async ({ program, file, banner = '' }: Bundle) => {
      await esbuild({
        entryPoints: [program],
        outfile: file,
        bundle: true,
        platform: 'node',
        format: 'esm',
        banner: { js: banner },
        logLevel: 'error',
      })
    },
    rolldown: async ({ program, file }: Bundle) => {
      await rolldown({
        input: program,
        platform: 'node',
        logLevel: 'silent',
        output: { file, format: 'esm', codeSplitting: false },
      })
    },
  }
  // for packages that are CommonJS: the servers of others, pino
  const banner = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)`
  const names = Object.keys(bundlers) as (keyof typeof bundlers)[]

  /** Of one file in a folder that is otherwise empty; ended when it does not end by itself. */
  async function runBundle(name: keyof typeof bundlers, program: string, above: (object | undefined)[]) {
    const source = join(home, program)
    copyFileSync(join(programs, program), source)
    using built = temporaryFolder()
    const bundle = join(built.path, 'program.mjs')
    await bundlers[name]({
      program: source,
      file: bundle,
      banner: program === 'server.js' ? banner : undefined,
    })
    const answers: Record<string, unknown>[] = []
    for (const manifest of above) {
      using place = temporaryFolder()
      if (manifest) writeFileSync(join(place.path, 'package.json'), JSON.stringify(manifest))
      const cwd = join(place.path, 'app')
      mkdirSync(cwd)
      copyFileSync(bundle, join(cwd, 'program.mjs'))
      const { stdout } = await run(process.execPath, ['program.mjs'], {
        cwd,
        env: { HOME: cwd },
        timeout: 200_000,
      })
      answers.push(JSON.parse(stdout))
    }
    return answers
  }

  // in the usual tier each program by one bundler: what the other does differently, the other programs show
  const by = (name: keyof typeof bundlers) => (testTier === 'long' ? names : [name])

  it.each(by('rolldown'))(
    'of %s, chats and asks an agent, with and without a package around it',
    async (name) => {
      const around = [undefined, { name: 'yours', type: 'module' }]
      const answers = await runBundle(name, 'chat.js', around)
      expect(answers).toHaveLength(around.length)
      for (const { chat, agent } of answers) {
        expect(JSON.stringify(chat)).toContain('Is anybody there?')
        expect(agent).toContain('And here?')
      }
    },
  )

  it.each(by('esbuild'))('of %s, has an agent that remembers', async (name) => {
    const [answer] = await runBundle(name, 'agent.js', [undefined])
    expect(answer!.agent).toContain('Is anybody there?')
    expect(answer!.session).toContain('Is anybody there?')
  })

  it.each(by('esbuild'))('of %s, has its threads, texts and server with it', async (name) => {
    const [answer] = await runBundle(name, 'server.js', [undefined])
    const { search, page, ...others } = answer!
    expect(search).toContain('2: needle in the hay')
    expect(page).toContain('# Weather')
    // of the page of the API there are files, which are in the package alone
    expect(others).toEqual({ import: 201, workflows: 4, docs: 404 })
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

// npm run build: the program into dist/cli with its packages in it, which starts three times faster than the sources do;
// the library into dist, beside the packages of whoever uses it; the files of the page at /docs. With --publish also its
// types, a bill of materials, and the workbench.
import {
  copyFileSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { build } from 'rolldown'
import { takeBuiltins } from './build/builtins.js'
import { embed } from './build/embed.js'
import { includeExtensions, joined, joinExtensions } from './build/join-extensions.js'
import { capture, packageCommand } from './setup/command.js'
import { runScript, SetupFailure } from './setup/failure.js'
import { isAlive } from './setup/lock.js'
import { root } from './setup/root.js'
import { writeBill } from './setup/sbom.js'
import { ensureWeb } from './setup/web.js'

// one for each process: two commands that find the sources newer build at the same time
const drafts = join(root, 'dist', '.draft')
const draft = join(drafts, String(process.pid))
// a server that was started from the last build loads some of its parts only when they are needed
const keptMs = 7 * 24 * 3_600_000

// In the library: needed on every way, and given to Node as CommonJS, which keeps bundles that esbuild makes from running.
const modules = { yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js') }

// the compiler writes what a file imports as it stands there; beside the types there are no sources
const sourceImport = /((?:from |import\(|declare module )['"]\.[^'"]*)\.ts(['"])/g
// what an extension adds to types of the core; no other file names it, so the compiler of a program would not find it
const addition = /^declare module ['"]\./m
// What is loaded together is one file, with all that it imports and no stage before it has: to find each of a hundred
// files takes longer than to run what is in them.
const stages = [
  { name: 'command', test: /src[\\/]cli[\\/]program\.ts$/, priority: 3 },
  { name: 'runtime', test: (id) => id === joined || /src[\\/]parley\.ts$/.test(id), priority: 2 },
  { name: 'server', test: /src[\\/]cli[\\/]run-server\.ts$/, priority: 1 },
]
// What a command loads it reads, checks and keeps: without comments, and with a byte for each letter, it is half as much.
// Lines and names stay as they are, for those who read a stack trace.
const programOutput = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
  codeSplitting: { groups: stages },
}
const entries = {
  index: 'src/index.ts',
  extension: 'src/extension.ts',
  agent: 'src/agent/index.ts',
  server: 'src/server/index.ts',
  client: 'src/client/index.ts',
}

await runScript(async () => {
  removeLeftDrafts()
  try {
    await bundle('cli', { parley: 'src/cli/compiled.js' }, { external: isBuiltIn })
    await bundle('.', entries, { external: isPackage, resolve: { alias: modules } })
    copySwagger()
    if (process.argv.includes('--publish')) {
      await declareTypes()
      await writeBill(join(root, 'dist', 'sbom.json'))
      await ensureWeb(process.execPath)
    }
    publish('swagger-ui')
    publish('cli')
    publish('.')
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return 0
})

/** Of builds that were ended in the middle. */
function removeLeftDrafts() {
  mkdirSync(drafts, { recursive: true })
  for (const name of readdirSync(drafts)) {
    const isOwn = Number(name) === process.pid
    if (isOwn || !isAlive(Number(name))) rmSync(join(drafts, name), { recursive: true, force: true })
  }
}

async function bundle(folder, input, options) {
  const embedded = embed()
  const { output } = await build({
    input,
    cwd: root,
    platform: 'node',
    ...options,
    plugins: [
      embedded.plugin,
      ...(folder === 'cli' ? [joinExtensions(), takeBuiltins(), leaveOutLocales()] : [includeExtensions()]),
    ],
    logLevel: 'warn',
    output: {
      dir: join(draft, folder),
      format: 'esm',
      chunkFileNames: '[name]-[hash].js',
      ...(folder === 'cli' && programOutput),
    },
  })
  const files = [...output.flatMap(({ moduleIds = [] }) => moduleIds), ...embedded.files()]
  writeFileSync(join(draft, folder, 'LICENSES.txt'), licensesOf(files.filter(isOfPackage)))
}

/** What zod says in fifty languages; Parley says it in its own words. */
function leaveOutLocales() {
  const locales = /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/
  return { name: 'leave-out-locales', load: (id) => (locales.test(id) ? 'export {}' : null) }
}

function isOfPackage(id) {
  return id.includes('node_modules')
}

function isBuiltIn(id) {
  return id.startsWith('node:') || id === 'pg-native'
}

function isPackage(id) {
  return !(id in modules) && !id.startsWith('.') && !isAbsolute(id)
}

/** Those whose work is in the bundle ask that their licenses go with it. */
function licensesOf(files) {
  const folders = new Set(files.map(packageFolder))
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const texts = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|notice)/i.test(file))
        .map((file) => readFileSync(join(folder, file), 'utf8').trim())
      return [`${name} ${version} (${license})`, ...texts].join('\n\n')
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}

function packageFolder(file) {
  const [, folder] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(file) ?? []
  return folder ?? dirname(file)
}

function copySwagger() {
  const from = join(root, 'node_modules', '@fastify', 'swagger-ui', 'static')
  const to = join(draft, 'swagger-ui')
  mkdirSync(to, { recursive: true })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    copyFileSync(join(from, name), join(to, name))
  copyFileSync(join(root, 'scripts', 'licenses', 'swagger-ui.txt'), join(to, 'LICENSES.txt'))
}

async function declareTypes() {
  const config = join(draft, 'tsconfig.json')
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    addition.test(readFileSync(join(root, file), 'utf8')),
  )
  const files = [...Object.values(entries), ...sources].map((file) => join(root, file))
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.build.json'), files }))
  const { code, output } = await capture(process.execPath, [
    packageCommand('typescript', 'tsc'),
    '-p',
    config,
    '--outDir',
    join(draft, 'types'),
  ])
  if (code !== 0) throw new SetupFailure(`Cannot write the types:\n${output.trim()}`)
  const types = join(draft, 'types')
  const additions = []
  for (const name of globSync('**/*.d.ts', { cwd: types }).sort()) {
    const text = readFileSync(join(types, name), 'utf8').replaceAll(sourceImport, '$1.js$2')
    if (addition.test(text)) additions.push(name)
    writeFileSync(join(types, name), text)
  }
  for (const entry of ['index', 'extension', 'server/index', 'client/index'])
    addImports(join(types, `${entry}.d.ts`), additions)
  publish('types')
}

function addImports(file, names) {
  const up = relative(dirname(file), join(draft, 'types')) || '.'
  const imports = names.map((name) => `import '${up}/${name.replace(/\.d\.ts$/, '.js')}'`)
  writeFileSync(file, [...imports, readFileSync(file, 'utf8')].join('\n'))
}

/** Parts first, then what loads them: whoever starts in between gets the whole old program or the whole new one. */
function publish(folder) {
  const from = join(draft, folder)
  const to = join(root, 'dist', folder)
  mkdirSync(to, { recursive: true })
  const isPart = (name) => /-[\w-]{8}\.js$/.test(name)
  const names = readdirSync(from).filter((name) => folder !== '.' || /\.(js|txt)$/.test(name))
  for (const name of names.sort((one, other) => Number(isPart(other)) - Number(isPart(one)))) {
    if (!name.endsWith('.js')) rmSync(join(to, name), { recursive: true, force: true })
    renameSync(join(from, name), join(to, name))
  }
  const isStale = (name) =>
    isPart(name) && !names.includes(name) && Date.now() - statSync(join(to, name)).mtimeMs > keptMs
  for (const name of readdirSync(to)) if (isStale(name)) rmSync(join(to, name))
}

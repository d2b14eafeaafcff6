import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { build } from 'rolldown'
import { root } from '../setup/root.js'

/** What `readPackageTexts` and `readPackageText` are asked for. */
const textFiles = ['src/**/migrations/*.sql', 'workflows/*.yaml']
const textModule = join(root, 'src', 'core', 'shared', 'package-texts.ts')

const workerUrl = /new URL\('(\.\/[\w-]+-worker\.ts)', import\.meta\.url\)/g
const asCode = '?code'

/**
 * Puts files that Parley reads at run time into the code: texts in the place of the module that reads them, and each
 * worker, with the packages it takes, in the place of its address. So whoever bundles the library once more has to copy
 * nothing beside the bundle.
 */
export function embed() {
  const files = new Set()
  const plugin = {
    name: 'embed',
    resolveId: (id, importer) => (id.endsWith(asCode) ? join(dirname(importer), id) : undefined),
    async load(id) {
      if (id === textModule) return writeTextModule()
      if (!id.endsWith(asCode)) return undefined
      const { code, moduleIds } = await buildWorker(id.slice(0, -asCode.length))
      for (const file of moduleIds) files.add(file)
      return { code: `export default ${JSON.stringify(code)}`, moduleType: 'js' }
    },
    transform(code, id) {
      if (!id.startsWith(join(root, 'src'))) return undefined
      return code.replaceAll(workerUrl, `(await import('$1${asCode}')).default`)
    },
  }
  return { plugin, files: () => [...files] }
}

function writeTextModule() {
  const folders = {}
  for (const path of textFiles.flatMap((pattern) => globSync(pattern, { cwd: root })).sort())
    (folders[dirname(path)] ??= []).push({
      file: basename(path),
      text: readFileSync(join(root, path), 'utf8'),
    })
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return `
    const folders = new Map(Object.entries(${JSON.stringify(folders)}))
    const texts = new Map(Object.entries(${JSON.stringify({ 'package.json': JSON.stringify({ name, version }) })}))
    const required = (found, path) => {
      if (found === undefined) throw new Error(path + ' is not part of this build: see scripts/build/embed.js.')
      return found
    }
    export const readPackageTexts = (folder) => required(folders.get(folder), folder)
    export const readPackageText = (path) => required(texts.get(path), path)
  `
}

/** As CommonJS, which is what a worker expects that is given code instead of a file. */
async function buildWorker(input) {
  const { output } = await build({
    input,
    cwd: root,
    platform: 'node',
    external: (id) => id.startsWith('node:'),
    logLevel: 'warn',
    write: false,
    output: { format: 'cjs', minify: true, codeSplitting: false },
  })
  return output[0]
}

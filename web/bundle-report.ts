// npm run bundle: builds the page without writing it, and prints what it costs to open each of its routes.
import { fileURLToPath } from 'node:url'
import { relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'

type Output = Rolldown.RolldownOutput['output'][number]
type Chunk = Extract<Output, { type: 'chunk' }>

const root = fileURLToPath(new URL('.', import.meta.url))
const largest = 15

const built = await build({ root, mode: 'production', logLevel: 'warn', build: { write: false } })
const { output } = (Array.isArray(built) ? built[0] : built) as Rolldown.RolldownOutput
const files = new Map<string, Output>(output.map((file) => [file.fileName, file]))
const chunks = output.filter((file) => file.type === 'chunk')

/** Gzipped, as it crosses a wire. */
const sizeOf = (name: string) => {
  const file = files.get(name)
  if (!file) return 0
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}
const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + sizeOf(name), 0)

/** A chunk with everything that the browser asks for before it can run it. */
function loadedWith(chunk: Chunk, known = new Set<string>()): Set<string> {
  if (known.has(chunk.fileName)) return known
  known.add(chunk.fileName)
  for (const style of chunk.viteMetadata?.importedCss ?? []) known.add(style)
  for (const name of chunk.imports) {
    const imported = files.get(name)
    if (imported?.type === 'chunk') loadedWith(imported, known)
  }
  return known
}

const toKilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1).padStart(8)} kB`
const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`)
const sourceOf = ({ facadeModuleId }: Chunk) => relative(`${root}src`, facadeModuleId ?? '')

/** The words of a feature in English; another language has about as many. */
const wordsOf = (feature: string) =>
  chunks.filter(({ moduleIds }) => moduleIds.includes(`${root}src/${feature}/en.ts`))
const loadedByPage = (chunk: Chunk) =>
  new Set([chunk, ...wordsOf(sourceOf(chunk).split('/')[0]!)].flatMap((part) => [...loadedWith(part)]))

const entry = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/index.html'))!
const frame = new Set([
  'index.html',
  ...[entry, ...wordsOf('shell')].flatMap((part) => [...loadedWith(part)]),
])
const routes = chunks
  .filter((chunk) => chunk.isDynamicEntry && /(^|[-/])page\.tsx$/.test(sourceOf(chunk)))
  .map((chunk) => ({
    name: sourceOf(chunk),
    own: sum([...loadedByPage(chunk)].filter((file) => !frame.has(file))),
  }))
  .toSorted((one, other) => other.own - one.own)

print([
  'Gzipped. What a page loads when it finds that it needs it, such as the colours of code, is not counted.',
  '',
  'First load of a route'.padEnd(40) + 'own'.padStart(11) + 'whole'.padStart(11),
  ...routes.map(({ name, own }) => name.padEnd(40) + toKilobytes(own) + toKilobytes(own + sum(frame))),
  'frame of them all'.padEnd(51) + toKilobytes(sum(frame)),
  '',
  `The ${largest} largest of ${files.size} files`,
  ...[...files.keys()]
    .map((name) => ({ name, size: sizeOf(name) }))
    .toSorted((one, other) => other.size - one.size)
    .slice(0, largest)
    .map(({ name, size }) => name.padEnd(40) + toKilobytes(size)),
])

import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { isNotRun, placeOf, root, type Block } from './blocks.ts'

/** Blocks of code that belong together, as one file in the folder of their page. */
export interface Program {
  file: string
  blocks: Block[]
}

/** What a reader has installed beside Parley. */
const packages = [
  '@hono/node-server',
  '@opentelemetry/api',
  '@types/node',
  'ai',
  'hono',
  'openai',
  '@anthropic-ai/sdk',
  'standardwebhooks',
  'pino',
  'zod',
]

/** Names that a block may take for granted, and what they are when it is run. */
const givens: Readonly<Record<string, (baseUrl: string) => string>> = {
  parley: () =>
    `import { createParley as createGiven } from 'parley'; await using parley = await createGiven({ dataDir: './given' });`,
  client: (baseUrl) =>
    `import { createClient as createGivenClient } from 'parley/client'; const client = createGivenClient({ baseUrl: '${baseUrl}' });`,
  baseUrl: (baseUrl) => `const baseUrl = '${baseUrl}';`,
}

export function groupPrograms(blocks: Block[], folder: string): Program[] {
  const programs: Program[] = []
  for (const block of blocks.filter(({ language }) => language === 'ts')) {
    const last = programs.at(-1)
    if (block.marks.continues === undefined)
      programs.push({ file: join(folder, `line-${block.line}.ts`), blocks: [block] })
    else if (last) last.blocks.push(block)
    else throw new Error(`${placeOf(block)} continues nothing.`)
  }
  return programs
}

export const isRun = ({ blocks }: Program) => !blocks.some(isNotRun)

/** Each line stands where it does in the page, so that whatever is said of the file is said of the page. */
export function writeProgram({ file, blocks }: Program, baseUrl: string): void {
  const lines: string[] = [blocks.map((block) => toGivens(block, baseUrl)).join(' ')]
  for (const { line, text } of blocks) {
    while (lines.length < line - 1) lines.push('')
    lines.push(...text.trimEnd().split('\n'))
  }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join('\n').replaceAll('127.0.0.1:4127', new URL(baseUrl).host)}\n`)
}

function toGivens(block: Block, baseUrl: string): string {
  const names = block.marks.given?.split(', ') ?? []
  return names
    .map((name) => {
      const given = givens[name]
      if (!given)
        throw new Error(`${placeOf(block)}: "${name}" is none of: ${Object.keys(givens).join(', ')}.`)
      return given(baseUrl)
    })
    .join(' ')
}

/** One run of the compiler for all of them; answers what it has to say. */
export async function checkTypes(folder: string): Promise<string[]> {
  const modules = join(folder, 'node_modules')
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  symlinkSync(root, join(modules, 'parley'))
  const project = join(folder, 'tsconfig.json')
  const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['**/line-*.ts'] }),
  )
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project], { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => ({ stdout: `${error.stdout}${error.stderr}` }),
  )
  return stdout.split('\n').filter((line) => line !== '')
}

/** What each came to; undefined is well. */
export type Outcomes = Map<string, string | undefined>

/** All in one process, one after the other, each in the folder of its page; after one that does not end, in another. */
export async function runPrograms(programs: Program[], timeoutMs: number): Promise<Outcomes> {
  const outcomes: Outcomes = new Map()
  let files = programs.map(({ file }) => file)
  while (files.length > 0) {
    const complaints = await runFiles(files, outcomes, timeoutMs)
    const [stuck, ...rest] = files.filter((file) => !outcomes.has(file))
    if (stuck !== undefined) outcomes.set(stuck, `${basename(stuck)} did not end. ${complaints}`)
    files = rest
  }
  return outcomes
}

/** `console.log(a, b) // 1 0`: what it is said to print is one of the lines that are printed. */
function findUnprinted(file: string, printed: string[]): string | undefined {
  const shown = [...readFileSync(file, 'utf8').matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(
    ([, text]) => text!,
  )
  const missing = shown.filter((text) => !printed.includes(text))
  return missing.length === 0 ? undefined : `It prints ${inspect(printed)}, and not ${inspect(missing)}.`
}

async function runFiles(files: string[], outcomes: Outcomes, timeout: number): Promise<string> {
  const child = fork(join(import.meta.dirname, 'program-runner.ts'), files, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') },
  })
  let complaints = ''
  child.stderr!.on('data', (chunk) => (complaints += chunk))
  child.on('message', ({ file, error, printed }: { file: string; error?: string; printed: string[] }) =>
    outcomes.set(file, error ?? findUnprinted(file, printed)),
  )
  await once(child, 'exit')
  return complaints
}

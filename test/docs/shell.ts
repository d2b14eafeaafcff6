import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf, type Block } from './blocks.ts'
import type { PageServer } from './page-server.ts'
import { findOwnPort } from '../own-port.ts'
import { need, needProgram } from '../runner/provision.ts'

export interface Command {
  line: number
  text: string
  /** What it shall exit with, or what a server shall answer it; else it must succeed. */
  exits?: number
  answers?: number
}

/**
 * The commands of a block. One that shall not succeed says so in a comment that readers see as well: `# exits 6` for its
 * exit code, `# answers 404` for what curl is told.
 */
export function readCommands({ line, text }: Block): Command[] {
  const commands: Command[] = []
  let begun: { line: number; text: string } | undefined
  text.split('\n').forEach((part, index) => {
    if (!begun && /^\s*(#.*)?$/.test(part)) return
    begun = begun ? { ...begun, text: `${begun.text}\n${part}` } : { line: line + index, text: part }
    if (part.endsWith('\\') || !isWhole(begun.text)) return
    const [, word, number] = /\s# (exits|answers) (\d+)\b.*$/.exec(begun.text) ?? []
    commands.push({ ...begun, ...(word && { [word]: Number(number) }) })
    begun = undefined
  })
  if (begun) throw new Error(`Line ${begun.line}: the shell waits for more.`)
  return commands
}

const isWhole = (text: string) => spawnSync('sh', ['-n', '-c', text]).status === 0

/** What a command printed, and the value that it gave to a variable. */
export interface Printed {
  command: Command
  stdout: string
  stderr: string
  value?: string
}

/**
 * Runs the commands of a page in one shell, so that what one sets the next ones have. Port 4127 is that of the page's
 * server, 4128 a free one for servers that the page starts itself. Answers what went wrong, or what was printed.
 */
export async function runShell(
  blocks: Block[],
  { folder, server, timeoutMs }: { folder: string; server: PageServer; timeoutMs: number },
): Promise<{ problem: string } | { printed: Printed[] }> {
  const port = new URL(server.url).port
  const another = String(await findOwnPort())
  const commands = blocks.flatMap((block) => readCommands(block))
  const script = withPorts(['set -eu', ...commands.map(toScript)].join('\n'), port, another)
  const file = join(folder, 'commands.sh')
  writeFileSync(file, script)
  mkdirSync(join(folder, 'printed'))
  const child = spawn('sh', [file], {
    cwd: folder,
    env: { ...server.environment, PATH: `${await writePrograms(folder)}:${server.environment.PATH}` },
    // a group of its own, so that what it leaves in the background can be ended with it
    detached: true,
    stdio: 'ignore',
  })
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), timeoutMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  endGroup(child.pid!)
  if (code === 0) return { printed: commands.map((command) => readPrinted(command, folder)) }
  const line = Number(readFileSync(join(folder, 'line'), 'utf8'))
  const { stdout, stderr } = readPrinted({ line, text: '' }, folder)
  const place = placeOf({ ...blocks[0]!, line })
  return { problem: `${place}: exit code ${code}\n${`${stdout}${stderr}`.slice(-2_000)}` }
}

/** In one go: the port that was put in for one number may hold the other, as 41283 does. */
export const withPorts = (script: string, port: string, another: string): string =>
  script.replaceAll(/(?:localhost|127\.0\.0\.1):4127|4128/g, (found) =>
    found === '4128' ? another : `127.0.0.1:${port}`,
  )

function toScript(command: Command): string {
  const { line, text, exits, answers } = command
  const mark = `echo ${line} > line`
  const run = `{ ${text}\n} > printed/${line}.out 2> printed/${line}.err`
  const variable = variableOf(command)
  if (exits !== undefined) return `${mark}\nif ${run}\nthen exit 99\nelse test $? = ${exits}\nfi`
  if (answers !== undefined)
    return `${mark}\nif ${run}\nthen exit 99\nelse grep -q 'error: ${answers}' printed/${line}.err\nfi`
  return [mark, run, ...(variable === undefined ? [] : [`echo "$${variable}" > printed/${line}.value`])].join(
    '\n',
  )
}

/** The one that gets what another command prints: `id=$(curl …)`. */
const variableOf = ({ text }: Command) => /^(?:export |until )?(\w+)=\$\(/.exec(text)?.[1]

function readPrinted(command: Command, folder: string): Printed {
  const [stdout = '', stderr = '', value] = ['out', 'err', 'value'].map((name) => {
    const file = join(folder, 'printed', `${command.line}.${name}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  })
  return { command, stdout, stderr, ...(value !== undefined && { value: value.trim() }) }
}

/** `parley` as somebody has it who installed it, and a curl for which an error of a server is one of its own. */
async function writePrograms(folder: string): Promise<string> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const main = await need('program')
  const programs: Record<string, string> = {
    parley: `exec '${process.execPath}' '${main}' "$@"`,
    curl: `exec '${await needProgram('curl')}' --silent --show-error --fail-with-body "$@"`,
  }
  for (const name of ['jq', 'openssl']) programs[name] = `exec '${await needProgram(name)}' "$@"`
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // nothing was left in the background
  }
}

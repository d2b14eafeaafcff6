import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Program, Start } from './process.ts'

const file = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'parley.js')

/** The server as one starts it, ready; with the provider of the benchmarks, or with the demo model. */
export async function serveParley(
  start: Start,
  {
    folder,
    name,
    providerUrl,
    config,
    probe,
  }: { folder: string; name: string; providerUrl?: string; config?: string; probe?: string },
): Promise<{ program: Program; url: string }> {
  const program = start([...(probe ? ['--import', probe] : []), file, 'serve', '--json', '--port', '0'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PARLEY_DATA_DIR: join(folder, name),
      PARLEY_LOG_LEVEL: 'error',
      ...(config && { PARLEY_CONFIG: config }),
      ...(providerUrl && {
        PARLEY_MODEL: 'openai/bench-50',
        OPENAI_API_KEY: 'bench-key',
        OPENAI_BASE_URL: providerUrl,
      }),
    },
  })
  let url: string | undefined
  while (!url) url = /"url": "([^"]+)"/.exec(await program.line())?.[1]
  return { program, url }
}

export async function createSession(url: string, body: object = {}): Promise<string> {
  const response = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

/** In MiB. */
export const residentMemory = ({ child }: Program): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', `${child.pid}`], { encoding: 'utf8' })) / 1_024

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
    model = 'bench-50',
    config,
    probe,
  }: { folder: string; name: string; providerUrl?: string; model?: string; config?: string; probe?: string },
): Promise<{ program: Program; url: string }> {
  const program = start([...(probe ? ['--import', probe] : []), file, 'serve', '--json', '--port', '0'], {
    isServer: true,
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PARLEY_DATA_DIR: join(folder, name),
      PARLEY_LOG_LEVEL: 'error',
      ...(config && { PARLEY_CONFIG: config }),
      ...(providerUrl && {
        PARLEY_MODEL: `openai/${model}`,
        OPENAI_API_KEY: 'bench-key',
        OPENAI_BASE_URL: providerUrl,
      }),
    },
  })
  let url: string | undefined
  while (!url) url = /"url": "([^"]+)"/.exec(await program.line())?.[1]
  return { program, url }
}

export const createSession = (url: string, body: object = {}): Promise<string> =>
  post(`${url}/api/sessions`, JSON.stringify(body), 'application/json')

/** A session with so many messages. */
export const importSession = (url: string, messages: number): Promise<string> => {
  const lines = Array.from({ length: messages }, (_, index) =>
    JSON.stringify({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'A message of some three hundred characters. '.repeat(7),
    }),
  )
  return post(`${url}/api/sessions/import`, lines.join('\n'), 'application/jsonl')
}

async function post(url: string, body: string, type: string): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

import { join } from 'node:path'
import { createSession, serveParley } from './parley.ts'
import { programFile, startProvider, type Program, type Start } from './process.ts'

/** One of the servers that are compared. */
export interface Server {
  program: Program
  /** What it stores is in it. */
  folder: string
  /** Where those who talk send their turns: new sessions, which each side but (b) keeps. */
  open(count: number): Promise<string[]>
}

export const sideNames = {
  forward: '(a) bytes forwarded, two appends',
  'stream-text': '(b) Hono and streamText, nothing stored',
  'do-stream': '(c) doStream, two appends',
  parley: 'Parley',
}

export type Side = keyof typeof sideNames

/** Starts them, each on the core for servers, and the provider that all of them ask. */
export async function startSides<Kind extends Side>(
  start: Start,
  folder: string,
  kinds: Kind[],
  model = 'bench-50',
): Promise<Record<Kind, Server>> {
  const providerUrl = await startProvider(start)
  const servers: Partial<Record<Kind, Server>> = {}
  for (const kind of kinds) {
    const own = join(folder, kind)
    servers[kind] = await (kind === 'parley'
      ? startParley(start, { folder, name: kind, providerUrl, model })
      : startOther(start, own, [kind, providerUrl, own, model]))
  }
  return servers as Record<Kind, Server>
}

export async function startParley(
  start: Start,
  options: Parameters<typeof serveParley>[1],
): Promise<Server & { url: string }> {
  const { program, url } = await serveParley(start, options)
  return {
    program,
    url,
    folder: join(options.folder, options.name),
    open: (count) =>
      Promise.all(Array.from({ length: count }, async () => toChat(url, await createSession(url)))),
  }
}

export const toChat = (url: string, id: string) => `${url}/api/sessions/${id}/chat`

async function startOther(start: Start, folder: string, args: string[]): Promise<Server> {
  const program = start([programFile('servers.ts'), ...args], { isServer: true })
  const url = await program.line()
  let opened = 0
  const open = async (count: number) => Array.from({ length: count }, () => `${url}/chat/${opened++}`)
  return { program, folder, open }
}

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { Trouble } from './doctor-finding.ts'

/** A Parley that answers where this one would listen. */
export interface FoundServer {
  url: string
  version: string
}

const patienceMs = 3_000

export async function findServer({ host, port }: Config): Promise<FoundServer | undefined> {
  if (port === 0) return undefined
  const url = urlOf(host, port)
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(patienceMs) }).catch(
    () => undefined,
  )
  const body = (await answer?.json().catch(() => undefined)) as
    | { status?: string; version?: string }
    | undefined
  return body?.status === 'ok' && body.version ? { url, version: body.version } : undefined
}

export async function checkPort({ host, port }: Config, server: FoundServer | undefined): Promise<string> {
  if (server) return `a Parley ${server.version} answers at ${server.url}`
  const probe = createServer().listen(port, host)
  try {
    await once(probe, 'listening')
  } catch (error) {
    throw explain((error as NodeJS.ErrnoException).code, host, port) ?? error
  }
  probe.close()
  return `${host}:${port} is free`
}

/** Whether commands with `--url` would be let in there, with the key that is configured. */
export async function checkKey({ apiKey }: Config, { url }: FoundServer): Promise<string> {
  const { status } = await fetch(`${url}/api/sessions?limit=1`, {
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(patienceMs),
  })
  if (status === 401)
    throw new Trouble(
      `the server at ${url} ${apiKey === undefined ? 'requires a key, and none is set' : 'does not accept the key that is set'}`,
      'set PARLEY_API_KEY to the key that it was started with',
    )
  return apiKey === undefined ? 'none set, and none required' : `accepted by the server at ${url}`
}

function urlOf(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function explain(code: string | undefined, host: string, port: number): Trouble | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return new Trouble(
        `${host}:${port} is taken by another program`,
        `choose another with PARLEY_PORT or --port; "lsof -i :${port}" names the program`,
      )
    case 'EACCES':
      return new Trouble(
        `${host}:${port} may not be used by this user`,
        'choose a port from 1024 on with PARLEY_PORT, and put a reverse proxy in front',
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Trouble(
        `${host} is no address of this machine`,
        'set PARLEY_HOST to one of its addresses, or to 0.0.0.0 for all of them',
      )
    default:
      return undefined
  }
}

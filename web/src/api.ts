export type Health = { version: string }
export type Session = {
  id: string
  title: string | null
  kind: string
  updatedAt: string
  messageCount: number
}

/** The server wants a key, or another one than it got. */
export class KeyWanted extends Error {}

const keyName = 'parley-api-key'

export const apiKey = {
  get: () => sessionStorage.getItem(keyName),
  set: (key: string) => sessionStorage.setItem(keyName, key),
  clear: () => sessionStorage.removeItem(keyName),
}

export async function fetchHealth(): Promise<Health> {
  return fetchJson<Health>('healthz')
}

export async function fetchSessions(limit: number): Promise<Session[]> {
  const { items } = await fetchJson<{ items: Session[] }>(`api/sessions?limit=${limit}`)
  return items
}

async function fetchJson<Body>(path: string): Promise<Body> {
  const key = apiKey.get()
  const headers = { Accept: 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) }
  const response = await fetch(new URL(path, document.baseURI), { headers })
  if (response.status === 401) throw new KeyWanted()
  if (!response.ok) throw new Error(await readReason(response))
  return (await response.json()) as Body
}

async function readReason(response: Response): Promise<string> {
  const status = `${response.status} ${response.statusText}`.trim()
  // whatever stands in front of the server may answer with something else than JSON
  const body = (await response.json().catch(() => undefined)) as { error?: { message?: string } } | undefined
  return body?.error?.message ?? status
}

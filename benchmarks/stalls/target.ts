import { setTimeout as sleep } from 'node:timers/promises'

/** The server under attack, as the holder of a key for one scope reaches it. */
export interface Target {
  send(method: string, path: string, body?: string, type?: string): Promise<Response>
  /** An empty session. */
  sessionId: string
  /** The one that was imported. */
  largeId: string
  /** What `prepare` of an attack found out. */
  note: string
  newest(): Promise<string>
  /** Waits until a search sees everything. */
  untilIndexed(): Promise<Response>
}

export const scope = 'guest'
export const key = 'a-key-that-is-for-one-scope'

export async function openTarget(url: string): Promise<Target> {
  const send: Target['send'] = (method, path, body, type = 'application/json') => {
    const headers = new Headers({
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
    })
    if (body !== undefined) headers.set('content-type', type)
    const request: RequestInit = { method, headers, body }
    return fetch(`${url}${path}${path.includes('?') ? '&' : '?'}scope=${scope}`, request)
  }
  const idOf = async (answer: Response) => ((await answer.json()) as { id: string }).id
  return {
    send,
    sessionId: await idOf(await send('POST', '/api/sessions', '{}')),
    largeId: '',
    note: '',
    async newest() {
      const page = (await (await send('GET', '/api/sessions?limit=1')).json()) as { items: { id: string }[] }
      return page.items[0]!.id
    },
    async untilIndexed() {
      for (;;) {
        const answer = await send('GET', '/api/search?q=nothing')
        const { indexing } = (await answer.clone().json()) as { indexing?: object }
        if (!indexing) return answer
        await sleep(200)
      }
    },
  }
}

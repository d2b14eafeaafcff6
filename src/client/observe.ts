import type { ObservedEvents, ObserveOptions } from '../core/protocol/sessions.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { isEnd, readEvents, reconnectMs } from './chat.ts'
import type { Send } from './http.ts'

/** Watches a run. A connection that breaks is made again, for as long as it takes, and goes on after the last event. */
export async function* observeSession(
  send: Send,
  sessionId: string,
  { scope, run, after = 0, signal }: ObserveOptions = {},
): AsyncGenerator<ObservedEvents> {
  let runId = run
  let last = after
  let isOver = false
  for (;;) {
    try {
      const response = await send('GET', `/api/sessions/${encodeURIComponent(sessionId)}/observe`, {
        query: { scope, run: runId, after: last },
        accept: 'text/event-stream',
        signal,
      })
      runId = response.headers.get('x-parley-run') ?? undefined
      if (response.status === 204 || runId === undefined) return
      for await (const events of readEvents(response, () => (isOver = true))) {
        last = events.at(-1)!.seq
        yield { runId, events }
        isOver ||= events.some(isEnd)
      }
    } catch (error) {
      if (signal?.aborted || isOver) return
      if (error instanceof ParleyError && error.code !== 'store_unavailable') throw error
    }
    if (signal?.aborted || isOver) return
    await new Promise((resolve) => setTimeout(resolve, reconnectMs))
  }
}

import type { ObservedEvents, ObserveOptions } from '../core/protocol/sessions.ts'
import { ParleyError } from '../core/protocol/error.ts'
import { isEnd, readEvents, reconnectMs } from './chat.ts'
import type { Send } from './http.ts'

/** Follows a run. Broken connections are reopened, for as long as it takes, and resume after the last event. */
export async function* observeSession(
  send: Send,
  sessionId: string,
  { scope, run, after = 0, signal }: ObserveOptions = {},
): AsyncGenerator<ObservedEvents> {
  let runId = run
  let last = after
  let isFinished = false
  for (;;) {
    try {
      const response = await send('GET', `/api/sessions/${encodeURIComponent(sessionId)}/observe`, {
        query: { scope, run: runId, after: last },
        accept: 'text/event-stream',
        signal,
      })
      runId = response.headers.get('x-parley-run') ?? undefined
      if (response.status === 204 || runId === undefined) return
      for await (const events of readEvents(response, () => (isFinished = true))) {
        last = events.at(-1)!.seq
        yield { runId, events }
        isFinished ||= events.some(isEnd)
      }
    } catch (error) {
      if (signal?.aborted || isFinished) return
      if (error instanceof ParleyError && error.code !== 'store_unavailable') throw error
    }
    if (signal?.aborted || isFinished) return
    await new Promise((resolve) => setTimeout(resolve, reconnectMs))
  }
}

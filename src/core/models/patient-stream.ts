import type { ModelAdapter, ModelEvent, ModelRequest } from './adapter.ts'
import { batchesOf } from './event-batches.ts'
import { ModelFault } from './fault.ts'
import { watchStream } from './stream-watch.ts'

/**
 * The events of a model that anybody may have written, in batches: one that goes silent for so long has failed, and one that
 * does not listen to its signal is left to itself. An iterator of our own, not a generator: every delta passes here.
 */
export function streamPatiently(
  adapter: ModelAdapter,
  request: ModelRequest,
  { signal, idleMs }: { signal: AbortSignal; idleMs: number },
): AsyncIterable<readonly ModelEvent[]> {
  return {
    [Symbol.asyncIterator]() {
      const events = batchesOf(adapter, request, signal)[Symbol.asyncIterator]()
      let leave = () => {}
      const watch = watchStream(signal, idleMs, () => leave())
      const whyLeft = () =>
        watch.isIdle
          ? new ModelFault('timeout', `${adapter.id} sent nothing for ${idleMs} ms.`)
          : signal.reason
      return {
        next: () =>
          new Promise<IteratorResult<readonly ModelEvent[]>>((resolve, reject) => {
            const fail = (error: unknown) => {
              watch[Symbol.dispose]()
              reject(error)
            }
            leave = () => fail(whyLeft())
            // between two events nobody was there to leave
            if (signal.aborted) return leave()
            watch.wait()
            events.next().then((result) => {
              watch.hear()
              if (result.done) watch[Symbol.dispose]()
              resolve(result)
            }, fail)
          }),
        async return() {
          watch[Symbol.dispose]()
          await events.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

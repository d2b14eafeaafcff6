import type { ModelAdapter, ModelEvent, ModelRequest } from './adapter.ts'

type StreamBatches = NonNullable<ModelAdapter['streamBatches']>

/** An adapter whose events come in batches; for those who want them one by one, too. */
export const toAdapter = (
  { id, takes }: Pick<ModelAdapter, 'id' | 'takes'>,
  streamBatches: StreamBatches,
): ModelAdapter => ({
  id,
  takes,
  streamBatches,
  async *stream(request, signal) {
    for await (const events of streamBatches(request, signal)) yield* events
  },
})

/** One reply as the adapter has it: in batches, or each event alone. */
export function batchesOf(
  adapter: ModelAdapter,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<readonly ModelEvent[]> {
  if (adapter.streamBatches) return adapter.streamBatches(request, signal)
  const stream = adapter.stream(request, signal)
  return {
    [Symbol.asyncIterator]() {
      const events = stream[Symbol.asyncIterator]()
      return {
        next: () => events.next().then(alone),
        async return() {
          await events.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

const alone = ({ done, value }: IteratorResult<ModelEvent>): IteratorResult<readonly ModelEvent[]> =>
  done ? { done, value } : { value: [value] }

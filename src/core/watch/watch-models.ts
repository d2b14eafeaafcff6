import type { ModelAdapter, ModelEvent, ModelRequest } from '../models/adapter.ts'
import { batchesOf, toAdapter } from '../models/event-batches.ts'
import { ModelFault } from '../models/fault.ts'
import type { StepEnd, Watchers } from './watcher.ts'

type RequireModel = (id: string | undefined) => ModelAdapter

/** The same models, each call of which is watched while anybody does. */
export function watchModels(watchers: Watchers, requireModel: RequireModel): RequireModel {
  const watched = new WeakMap<ModelAdapter, ModelAdapter>()
  return (id) => {
    const adapter = requireModel(id)
    const known =
      watched.get(adapter) ??
      toAdapter(adapter, (request, signal) => watchStream(watchers, adapter, request, signal))
    watched.set(adapter, known)
    return known
  }
}

/** An iterator of our own, not a generator: every delta passes here. */
function watchStream(
  watchers: Watchers,
  adapter: ModelAdapter,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncIterable<readonly ModelEvent[]> {
  const watch = watchers.step({ model: adapter.id, request, server: adapter.server })
  const stream = batchesOf(adapter, request, signal)
  if (!watch) return stream
  const began = performance.now()
  const events = stream[Symbol.asyncIterator]()
  let firstMs: number | undefined
  let isFinished = false

  const end = (how: StepEnd) => {
    if (!isFinished) watch.end({ ...how, firstMs })
    isFinished = true
  }
  const see = (result: IteratorResult<readonly ModelEvent[]>) => {
    firstMs ??= performance.now() - began
    if (result.done) end({ fault: 'malformed' })
    else
      for (const event of result.value) {
        watch.onEvent(event)
        if (event.type === 'finish') end({ finish: event })
      }
    return result
  }
  const fail = (error: unknown): never => {
    end({ fault: signal.aborted ? 'stopped' : error instanceof ModelFault ? error.kind : 'internal' })
    throw error
  }
  let next = () => {
    // the request is made here, and belongs to the step
    const first = watch.within(() => events.next())
    next = () => events.next()
    return first
  }
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => next().then(see, fail),
      async return() {
        end({ fault: 'stopped' })
        await events.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}

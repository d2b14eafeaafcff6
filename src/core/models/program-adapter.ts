import { describeThrown, invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { createSecretMask } from '../shared/secret-mask.ts'
import type { ModelAdapter, ModelEvent, ModelRequest } from './adapter.ts'
import { ModelFault } from './fault.ts'
import { keyLike } from './provider-faults.ts'

const eventTypes: ReadonlySet<string> = new Set<ModelEvent['type']>([
  'text-delta',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
  'finish',
])

export const isAdapter = (value: unknown): value is ModelAdapter =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'stream' in value &&
  typeof value.stream === 'function'

/** Has a program make its adapter. Failures are reported with the name of the adapter and the message of the error. */
export function makeProgramAdapter(
  name: string,
  make: (model: string) => ModelAdapter,
  model: string,
  hideSecrets: (text: string) => string,
): ModelAdapter {
  let made: unknown
  try {
    made = make(model)
  } catch (error) {
    if (error instanceof ParleyError) throw error
    const message = `The adapter ${quote(name)} could not be made: ${hideSecrets(describeThrown(error))}`
    throw new ParleyError('adapter_unavailable', message, { cause: error })
  }
  if (!isAdapter(made))
    throw invalidRequest(`The adapter ${quote(name)} must be an object with an id and a stream function.`)
  return nameAdapterBugs(made, hideSecrets)
}

/**
 * An adapter that a program wrote. A `ModelFault` from it means that the model failed; anything else that it throws, and
 * any event that there is not, is a bug of it, and is reported as one.
 */
export function nameAdapterBugs(adapter: ModelAdapter, hideSecrets: (text: string) => string): ModelAdapter {
  const bug = (what: string, cause?: unknown) =>
    new ParleyError('internal', `The adapter ${quote(adapter.id)} ${hideSecrets(what)}`, { cause })
  return {
    id: adapter.id,
    takes: adapter.takes,
    server: adapter.server,
    stream: (request, signal) => watched(adapter, request, signal, bug),
  }
}

/** An iterator of our own, not a generator: every delta passes here. */
function watched(
  adapter: ModelAdapter,
  request: ModelRequest,
  signal: AbortSignal,
  bug: (what: string, cause?: unknown) => ParleyError,
): AsyncIterable<ModelEvent> {
  const fail = (error: unknown): never => {
    if (error instanceof ModelFault || error instanceof ParleyError || signal.aborted) throw error
    throw bug(`failed: ${describeThrown(error)}`, error)
  }
  const check = (result: IteratorResult<ModelEvent>): IteratorResult<ModelEvent> => {
    if (result.done || isEvent(result.value)) return result
    const type = result.value?.type
    if (eventTypes.has(type)) throw bug(`sent a ${quote(type)} whose "text" is no text.`)
    const known = [...eventTypes].join(', ')
    throw bug(`sent an event of the unknown type ${quote(type)}. Types: ${known}.`)
  }
  return {
    [Symbol.asyncIterator]() {
      let events: AsyncIterator<ModelEvent>
      try {
        events = adapter.stream(request, signal)[Symbol.asyncIterator]()
      } catch (error) {
        return fail(error)
      }
      return {
        next() {
          try {
            return events.next().then(check, fail)
          } catch (error) {
            return fail(error)
          }
        },
        async return() {
          await events.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

const isEvent = (event: ModelEvent | undefined): boolean =>
  event?.type === 'text-delta' || event?.type === 'reasoning-delta'
    ? typeof event.text === 'string'
    : event !== undefined && eventTypes.has(event.type)

/** For messages of a program's adapter: hides these keys, and whatever looks like one. */
export function createKeyMask(keys: readonly string[]): (text: string) => string {
  const mask = createSecretMask(keys, '[key]')
  return (text) => mask(text).replace(keyLike, '[key]')
}

import { ParleyError } from '../protocol/error.ts'
import { refuseAfterClose } from '../shared/refuse-after-close.ts'

/** What answers at once; everything else is awaited or iterated. */
const synchronous = new Set([
  'chats.start',
  'chats.adopt',
  'observers.startSession',
  'observers.dispatch',
  'observers.endSession',
  'observers.unregister',
  'observers.isActive',
  'observers.countObservers',
  'observers.clear',
  'registry.require',
  'registry.has',
  'registry.useListed',
  'registry.list',
  'registry.providers',
  'registry.useStored',
  'watchers.add',
  'windows.afterTurn',
])

/** The store refuses by itself; the rest is not called by programs, and is passed on as it is. */
const untouched = new Set([
  'store',
  'ids',
  'operations',
  'contributions',
  'services',
  'contributions',
  'configured',
  'agentBasis',
  'background.hooks',
  'watchers.request',
  'watchers.run',
  'watchers.step',
  'watchers.tool',
  'watchers.traceContext',
])

/** Closes once, however often it is called; then every call is refused. */
export function refuseClosed<T extends AsyncDisposable & { close(): Promise<void> }>(parley: T): T {
  let isClosed = false
  let closing: Promise<void> | undefined
  // while it closes, running work is finished by the same calls
  const close = () =>
    (closing ??= parley.close().finally(() => {
      isClosed = true
    }))
  return refuseAfterClose(
    { ...parley, close, [Symbol.asyncDispose]: close },
    {
      isClosed() {
        return isClosed
      },
      refusal: () => new ParleyError('shutting_down', 'This Parley is closed.'),
      synchronous,
      untouched,
    },
  )
}

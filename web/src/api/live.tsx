import { useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { EventFrame, ParleyClient } from '../../../src/client/index.ts'
import { useFeatures } from '../shell/features-context.tsx'
import { useClient } from './api.tsx'
import { createInvalidator } from './invalidate-soon.ts'
import { staleKeys } from './stale-queries.ts'
import { useScope } from './scope.ts'

type Listener = (event: EventFrame) => void

interface Live {
  subscribe(listener: Listener): () => void
  /** False while the connection is being made again. */
  isConnected: boolean
}

const LiveContext = createContext<Live | undefined>(undefined)

const lostMs = 3_000

function createListeners() {
  const all = new Set<Listener>()
  return {
    tell: (event: EventFrame) => all.forEach((listener) => listener(event)),
    subscribe(listener: Listener) {
      all.add(listener)
      return () => void all.delete(listener)
    },
  }
}

/** Follows what happens on the server: what is shown is asked for again when it has changed, in every tab. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const features = useFeatures()
  const [isConnected, setConnected] = useState(true)
  const [listeners] = useState(createListeners)

  useEffect(() => {
    const abort = new AbortController()
    const invalidate = createInvalidator(queries)
    const stale = features.flatMap(({ queries: own }) => (own ? [own] : []))
    void followForever(client, { scope, signal: abort.signal }, (event) => {
      invalidate(staleKeys(stale, event))
      listeners.tell(event)
    })
    return () => abort.abort()
  }, [client, queries, scope, listeners, features])

  useEffect(() => {
    // the socket reconnects by itself; whether anybody is there at all is asked here
    const abort = new AbortController()
    const look = () =>
      fetch('healthz', { signal: abort.signal, cache: 'no-store' }).then(
        ({ ok }) => {
          setConnected((was) => {
            if (ok && !was) void queries.invalidateQueries()
            return ok
          })
        },
        () => !abort.signal.aborted && setConnected(false),
      )
    const timer = setInterval(() => void look(), lostMs)
    return () => {
      clearInterval(timer)
      abort.abort()
    }
  }, [queries])

  const live = useMemo<Live>(
    () => ({ isConnected, subscribe: listeners.subscribe }),
    [isConnected, listeners],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

/** The client makes broken connections again; what it gives up on, such as a server that was never there, starts over. */
async function followForever(
  client: ParleyClient,
  options: { scope?: string; signal: AbortSignal },
  onEvent: Listener,
): Promise<void> {
  while (!options.signal.aborted) {
    try {
      for await (const event of client.events(options)) onEvent(event)
    } catch {
      // whether the server is there is shown elsewhere
    }
    if (!options.signal.aborted) await new Promise((resolve) => setTimeout(resolve, lostMs))
  }
}

export function useLive(): Live {
  const live = use(LiveContext)
  if (!live) throw new Error('useLive outside of LiveProvider')
  return live
}

/** Calls back on each event of the scope; the listener may change with every render. */
export function useLiveEvents(listener: Listener): void {
  const { subscribe } = useLive()
  useEffect(() => subscribe(listener), [subscribe, listener])
}

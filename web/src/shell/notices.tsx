import { Suspense, useCallback, useState } from 'react'
import { isGap, type EventFrame } from '../../../src/client/index.ts'
import { matchesEvent } from '../api/stale-queries.ts'
import { useLiveEvents } from '../api/live.tsx'
import type { Notice } from './define-web.ts'
import { useContributions } from './features-context.tsx'
import { LazyView } from './lazy-view.tsx'

/** What features notify of. */
export function Notices() {
  return useContributions('notices').map((notice, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the list stays as it is
    <Mounted key={index} {...notice} />
  ))
}

function Mounted({ events, load }: Notice) {
  const [isNeeded, setNeeded] = useState(events === undefined)
  const [channel] = useState(createChannel)
  useLiveEvents(
    useCallback(
      (event: EventFrame) => {
        if (events && (isGap(event) || !events.some((pattern) => matchesEvent(pattern, event.type)))) return
        setNeeded(true)
        channel.emit(event)
      },
      [events, channel],
    ),
  )
  return (
    isNeeded && (
      <Suspense>
        <LazyView load={load} subscribe={channel.subscribe} />
      </Suspense>
    )
  )
}

type Listener = (event: EventFrame) => void

/** Keeps what comes before somebody listens: the component may have to be loaded first. */
function createChannel() {
  const listeners = new Set<Listener>()
  let waiting: EventFrame[] | undefined = []
  return {
    emit(event: EventFrame) {
      if (waiting) waiting.push(event)
      else listeners.forEach((listener) => listener(event))
    },
    subscribe(listener: Listener) {
      listeners.add(listener)
      const missed = waiting ?? []
      waiting = undefined
      missed.forEach(listener)
      return () => void listeners.delete(listener)
    },
  }
}

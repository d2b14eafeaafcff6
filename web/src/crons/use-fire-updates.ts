import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useCallback } from 'react'
import { isGap, type CronFire, type EventFrame } from '../../../src/client/index.ts'
import { useLiveEvents } from '../api/live.tsx'

type FirePage = { items: CronFire[] }

/** Asks again for the fires that an event is about, and for those alone: there may be many crons. */
export function useFireUpdates(): void {
  const queries = useQueryClient()
  useLiveEvents(
    useCallback(
      (event: EventFrame) => {
        if (isGap(event)) return
        const { type, sessionId, data } = event
        if (type === 'cron-deleted') queries.removeQueries({ queryKey: ['fires', data.cronId] })
        else if (type.startsWith('cron-'))
          void queries.invalidateQueries({ queryKey: ['fires', data.cronId] })
        if (sessionId === undefined || !type.startsWith('bg:')) return
        void queries.invalidateQueries({
          queryKey: ['fires'],
          predicate: ({ state }) => firesOf(state.data).some((fire) => fire.sessionId === sessionId),
        })
        void queries.invalidateQueries({ queryKey: ['crons'] })
        void queries.invalidateQueries({ queryKey: ['event-hooks'] })
      },
      [queries],
    ),
  )
}

const firesOf = (data: unknown): CronFire[] => {
  const { items, pages } = (data ?? {}) as Partial<FirePage & InfiniteData<FirePage>>
  return items ?? pages?.flatMap((page) => page.items) ?? []
}

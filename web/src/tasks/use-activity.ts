import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ParleyClient } from '../../../src/client/index.ts'
import type { Chunk, RunEvent } from '../../../src/core/protocol/chunk.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'

/** What a task did last. */
export interface Activity {
  tool?: string
  words?: string
}

// browsers keep six connections to a server that speaks HTTP/1.1; most of them are for the conversation
const maxWatched = 2
const drawMs = 400
const maxWords = 160

const watched = new Set<string>()
const waiting = new Set<() => void>()

/** Watches while it is drawn; where too many are watched already, it waits for a place. */
export function useActivity(sessionId: string, isRunning: boolean): Activity {
  const client = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const [activity, setActivity] = useState<Activity>({})
  useEffect(() => {
    if (!isRunning) return
    let stop: (() => void) | undefined
    const begin = () => {
      if (stop !== undefined || watched.size >= maxWatched) return
      watched.add(sessionId)
      stop = watchActivity(client, { scope, sessionId }, setActivity, () => {
        void queries.invalidateQueries({ queryKey: sessionKeys.usage(sessionId) })
      })
    }
    waiting.add(begin)
    begin()
    return () => {
      waiting.delete(begin)
      if (stop === undefined) return
      stop()
      watched.delete(sessionId)
      for (const next of waiting) next()
    }
  }, [client, queries, scope, sessionId, isRunning])
  return isRunning ? activity : {}
}

function watchActivity(
  client: ParleyClient,
  { scope, sessionId }: { scope?: string; sessionId: string },
  onActivity: (activity: Activity) => void,
  onStep: () => void,
): () => void {
  const abort = new AbortController()
  let activity: Activity = {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const watch = async () => {
    for await (const { events } of client.sessions.observe(sessionId, { scope, signal: abort.signal })) {
      activity = foldActivity(activity, events)
      timer ??= setTimeout(() => {
        timer = undefined
        onActivity(activity)
      }, drawMs)
      if (events.some(({ chunk }) => chunk.type === 'finish-step')) onStep()
    }
  }
  // what a task does is shown where it can be seen, and nothing else hangs on it
  watch().catch(() => {})
  return () => {
    abort.abort()
    clearTimeout(timer)
  }
}

export function foldActivity(activity: Activity, events: readonly RunEvent[]): Activity {
  let next = activity
  for (const { chunk } of events) next = apply(next, chunk)
  return next
}

function apply(activity: Activity, chunk: Chunk): Activity {
  switch (chunk.type) {
    case 'tool-input-start':
    case 'tool-input-available':
      return { tool: chunk.toolName }
    case 'text-start':
      return {}
    case 'text-delta':
      return { words: ((activity.words ?? '') + chunk.delta).slice(-maxWords) }
    default:
      return activity
  }
}

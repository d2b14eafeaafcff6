import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ParleyError } from '../../../../src/client/index.ts'
import { messageText } from '../../../../src/core/protocol/message-text.ts'
import type { RunRecord } from '../../../../src/core/protocol/chat.ts'
import type { Part } from '../../../../src/core/protocol/message.ts'
import { useClient } from '../../api/api.tsx'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { useToast } from '../../ui/toast.tsx'
import { composerTexts } from '../texts.ts'
import { moved } from './moved.ts'

/** A message that waits for its turn. */
export interface Waiting {
  runId: string
  messageId?: string
  text: string
  /** How many files go along. */
  files: number
}

export interface Queue {
  items: readonly Waiting[]
  hasFailed: boolean
  edit(item: Waiting, text: string): Promise<void>
  remove(item: Waiting): Promise<void>
  move(item: Waiting, by: -1 | 1): Promise<void>
  /** Into the turn that goes on. */
  sendNow(item: Waiting): Promise<void>
}

/** The messages of a session that wait, as the server has them: the same in every tab. */
export function useQueue(sessionId: string): Queue {
  const t = useTexts(composerTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  const queryKey = sessionKeys.queue(sessionId)
  const { data = [], isError } = useQuery({
    queryKey,
    queryFn: async () => (await sessions.queue.list(sessionId, { scope })).items.map(toWaiting),
  })

  const perform = async (work: () => Promise<unknown>, said?: string) => {
    try {
      await work()
      if (said !== undefined) announce(said)
    } catch (error) {
      const code = error instanceof ParleyError ? error.code : undefined
      const title = { conflict: t.queueChanged, not_found: t.queueLate }[code as string]
      toast({ title: title ?? (error instanceof Error ? error.message : String(error)) })
    }
    await queries.invalidateQueries({ queryKey })
  }

  /** The order that is being stored: moves that come meanwhile go on from there. */
  const [wanted, setWanted] = useState<readonly Waiting[]>()
  const newest = useRef<readonly Waiting[]>(undefined)
  const line = useRef<Promise<void>>(Promise.resolve())
  const want = (order: readonly Waiting[] | undefined) => {
    newest.current = order
    setWanted(order)
  }

  return {
    items: wanted ?? data,
    hasFailed: isError,
    edit: ({ runId }, content) => perform(() => sessions.queue.edit(sessionId, runId, { scope, content })),
    remove: ({ runId }) => perform(() => sessions.queue.remove(sessionId, runId, { scope }), t.removed),
    async move(item, by) {
      // not what was drawn last, which may be older than what is known
      const present = newest.current ?? queries.getQueryData<readonly Waiting[]>(queryKey) ?? []
      const from = present.findIndex(({ runId }) => runId === item.runId)
      const order = moved(present, from, by)
      if (order === present) return
      want(order)
      const runIds = order.map(({ runId }) => runId)
      // one after the other: they could overtake each other on their way
      line.current = line.current.then(() =>
        perform(
          () => sessions.queue.reorder(sessionId, { scope, runIds }),
          t.moved(from + by + 1, order.length),
        ),
      )
      await line.current
      if (newest.current === order) want(undefined)
    },
    sendNow: ({ runId }) => perform(() => sessions.queue.steer(sessionId, runId, { scope }), t.steered),
  }
}

function toWaiting({ id, input }: RunRecord): Waiting {
  const { message } = (input ?? {}) as { message?: { id?: string; parts?: Part[] } }
  const parts = message?.parts ?? []
  return {
    runId: id,
    messageId: message?.id,
    text: messageText({ parts }),
    files: parts.filter(({ type }) => type === 'file').length,
  }
}

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { Folding, Message, ParleyClient, Session } from '../../../src/client/index.ts'
import type { RoomRecord } from '../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../api/api.tsx'
import { roomKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useFoldedConversation, type OpenConversation } from '../session/use-conversation.ts'
import { answeringRuns, emptyRoomDraft, foldRoom, type RoomDraft } from './room-fold.ts'
import { toRoomItems, type RoomItem } from './room-items.ts'

export type OpenRoom = OpenConversation<RoomDraft>

/** The one stream of a room; each answer enters the log when its round is over. */
const createFolding = ({ runs }: ParleyClient, scope: string | undefined): Folding<RoomDraft> => ({
  empty: emptyRoomDraft,
  fold: foldRoom,
  addsMessages: (before, after) => after.room !== before.room || after.rounds.length !== before.rounds.length,
  isFinished: async (runId) => (await runs.get(runId, { scope })).finishedAt !== undefined,
})

function areInLog(draft: RoomDraft, messages: readonly Message[]): boolean {
  const answered = new Set(messages.map(({ metadata }) => metadata?.runId))
  return answeringRuns(draft).every((runId) => answered.has(runId))
}

export function useRoomConversation(sessionId: string): OpenRoom {
  const client = useClient()
  const scope = useScope()
  return useFoldedConversation(
    sessionId,
    useMemo(() => createFolding(client, scope), [client, scope]),
  )
}

/** The room as one person may see it. */
export function useRoom(session: Session, as: string | undefined, draft: RoomDraft | undefined) {
  const { rooms } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const changed = draft?.room
  useEffect(() => {
    // what was told is for all; what this person may know beyond that is asked for
    if (changed) void queries.invalidateQueries({ queryKey: roomKeys.room(session.id).slice(0, 3) })
  }, [queries, session.id, changed])
  return useQuery({
    queryKey: roomKeys.room(session.id, as),
    queryFn: (): Promise<RoomRecord> => rooms.get(session.id, { scope, as }),
    placeholderData: (before) => before,
  })
}

const pageSize = 50

/** The conversation with its rounds, as far back as the log was read. */
export function useRoomItems(sessionId: string, { messages, draft }: OpenRoom): RoomItem[] {
  const { rooms } = useClient()
  const scope = useScope()
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: roomKeys.rounds(sessionId),
    queryFn: ({ pageParam }) => rooms.rounds(sessionId, { scope, limit: pageSize, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  })
  const rounds = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data])
  const first = messages[0]?.createdAt
  const oldest = rounds.at(-1)?.createdAt
  const lacksSome = hasNextPage && first !== undefined && oldest !== undefined && oldest > first
  useEffect(() => {
    if (lacksSome && !isFetching) void fetchNextPage()
  }, [lacksSome, isFetching, fetchNextPage])

  // what was watched stays until the server has told the same
  const [last, setLast] = useState<RoomDraft>()
  if (draft !== undefined && draft !== last) setLast(draft)
  return useMemo(() => {
    const isStill = last?.isFinished === true && areInLog(last, messages)
    return toRoomItems({ messages, rounds, draft: draft ?? (isStill ? last : undefined) })
  }, [messages, rounds, draft, last])
}

import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { Message } from '../../../src/client/index.ts'
import type { CheckpointList } from '../../../src/core/protocol/rollback.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { toUndone, type Undone } from './undone.ts'

export type ChangesByKind = CheckpointList['items'][number]['changesByKind']

interface Rollback {
  canRollBack(message: Message): boolean
  /** Turns that changed something and can be undone, by the id of the message that began them. */
  marks: ReadonlyMap<string, { message: Message; changes: ChangesByKind }>
  /** What would go, while somebody is asked about it. */
  undone?: Undone
  onRollBack(message: Message): void
  onClose(): void
}

/** Where one can go back to: before each turn that left a checkpoint. */
export function useRollback(sessionId: string, messages: readonly Message[]): Rollback {
  const client = useClient()
  const scope = useScope()
  const [chosen, setChosen] = useState<Undone>()
  const { data } = useQuery<CheckpointList>({
    queryKey: sessionKeys.checkpoints(sessionId),
    queryFn: () => client.sessions.checkpoints(sessionId, { scope }),
  })
  const items = data?.items
  const places = useMemo(() => new Set(items?.map(({ messageSeq }) => messageSeq)), [items])
  const marks = useMemo(() => {
    const changed = new Map(items?.map(({ messageSeq, changesByKind }) => [messageSeq, changesByKind]))
    return new Map(
      messages.flatMap((message) => {
        const changes = message.role === 'user' ? changed.get(message.seq - 1) : undefined
        return changes && Object.keys(changes).length > 0 ? [[message.id, { message, changes }]] : []
      }),
    )
  }, [items, messages])
  const canRollBack = useCallback(
    ({ role, seq }: Message) => role === 'user' && places.has(seq - 1),
    [places],
  )
  const onRollBack = useCallback(
    (message: Message) => setChosen(items && toUndone(message, items, messages)),
    [items, messages],
  )
  return { canRollBack, marks, undone: chosen, onRollBack, onClose: () => setChosen(undefined) }
}

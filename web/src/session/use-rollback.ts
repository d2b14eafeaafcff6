import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import type { Message } from '../../../src/client/index.ts'
import type { CheckpointList } from '../../../src/protocol/rollback.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { toUndone, type Undone } from './undone.ts'

interface Rollback {
  canRollBack(message: Message): boolean
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
    queryKey: keys.checkpoints(sessionId),
    queryFn: () => client.sessions.checkpoints(sessionId, { scope }),
  })
  const items = data?.items
  const places = useMemo(() => new Set(items?.map(({ messageSeq }) => messageSeq)), [items])
  const canRollBack = useCallback(
    ({ role, seq }: Message) => role === 'user' && places.has(seq - 1),
    [places],
  )
  const onRollBack = useCallback(
    (message: Message) => setChosen(items && toUndone(message, items, messages)),
    [items, messages],
  )
  return { canRollBack, undone: chosen, onRollBack, onClose: () => setChosen(undefined) }
}

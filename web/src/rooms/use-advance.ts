import { useMutation, useQueryClient } from '@tanstack/react-query'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useToast } from '../ui/toast.tsx'
import { useClient } from '../api/api.tsx'
import { modeTexts } from './texts.ts'
import type { OpenRoom } from './use-room.ts'

/** Takes the room on, and does what a person is asked for. */
export function useAdvance(sessionId: string, conversation: OpenRoom, as: string | undefined) {
  const t = useTexts(modeTexts)
  const { rooms } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (action: Record<string, unknown> | undefined) =>
      rooms.advance(sessionId, { scope, ...(as && { from: as }), ...(action && { action }) }),
    onSuccess() {
      conversation.refresh()
      void queries.invalidateQueries({ queryKey: sessionKeys.session(sessionId) })
    },
  })
  return {
    isAdvancing: isPending,
    act: (action: Record<string, unknown>) => mutateAsync(action),
    advance: () =>
      void mutateAsync(undefined).catch(({ message }: Error) =>
        toast({ title: t.advanceFailed, description: message, isProblem: true }),
      ),
  }
}

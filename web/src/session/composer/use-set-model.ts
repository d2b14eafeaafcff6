import { useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { useToast } from '../../ui/toast.tsx'
import { composerTexts } from '../texts.ts'

/** Sets the model of a session: what is sent from now on, from anywhere, is answered by it. */
export function useSetModel({ id }: Session): (model: string | undefined) => Promise<void> {
  const t = useTexts(composerTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  return async (model) => {
    try {
      await sessions.update(id, { scope, model: model ?? null })
    } catch (error) {
      toast({ title: t.modelNotSet, description: error instanceof Error ? error.message : undefined })
    }
    await queries.invalidateQueries({ queryKey: sessionKeys.session(id) })
  }
}

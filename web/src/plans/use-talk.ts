import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useToast } from '../ui/toast.tsx'

/** Begins a session about a plan, or, without one, a session that may make one, and goes there. */
export function useTalk(planId?: string): () => void {
  const t = useTexts(appTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const toast = useToast()
  const begin = async () => {
    const { id } = await sessions.create({ scope, mode: 'plan', planId })
    void queries.invalidateQueries({ queryKey: ['sessions'] })
    await navigate({
      to: '/sessions/$sessionId',
      params: { sessionId: id },
      search: { scope, dock: planId === undefined ? undefined : 'plan' },
      state: { isTyping: true },
    })
  }
  return () =>
    void begin().catch(({ message }: Error) =>
      toast({ title: t.notDone, description: message, isProblem: true }),
    )
}

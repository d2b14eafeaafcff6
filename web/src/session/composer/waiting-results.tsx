import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/api.tsx'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useTexts } from '../../shell/texts.ts'
import { composerTexts } from '../texts.ts'

/** Results of tasks that were delivered here and are taken in with the next turn. */
export function WaitingResults({ sessionId, isRunning }: { sessionId: string; isRunning: boolean }) {
  const t = useTexts(composerTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const { data = [] } = useQuery({
    queryKey: sessionKeys.inbox(sessionId),
    queryFn: async () => (await sessions.inbox(sessionId, { scope })).items,
  })
  const names = data.flatMap(({ result }) => (result ? [result.label ?? result.taskId] : []))
  // a turn that goes on takes them in by itself
  if (isRunning || names.length === 0) return null
  return (
    <p className="mb-1.5 flex gap-2 rounded-lg bg-selected px-3 py-1 text-sm">
      <span className="shrink-0 font-medium">{t.resultsWait(names.length)}</span>
      <span dir="auto" className="truncate">
        {names.join(', ')}
      </span>
    </p>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useClient } from './api.tsx'
import { sessionQuery } from './session-queries.ts'
import { useScope } from './scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'

/** What an ask is called after. */
export function useSessionTitle(sessionId: string): string {
  const { untitled } = useTexts(appTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery(sessionQuery(client, sessionId, scope))
  return data?.title || data?.bgMeta?.label || untitled
}

import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ShellSearch } from '../shell/shell-search.ts'

/** Opens another session in place of this one; what else the address says stays. */
export function useOpenSession(): (sessionId: string, messageId?: string) => void {
  const navigate = useNavigate()
  return useCallback(
    (sessionId, messageId) =>
      void navigate({
        to: '/sessions/$sessionId',
        params: { sessionId },
        search: (before: ShellSearch) => ({ ...before, message: messageId }),
      } as never),
    [navigate],
  )
}

import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { FilledPath } from './pages.ts'

/** To another page of the same scope; what belongs to the page that is left stays with it. */
export function useGoTo(): (path: FilledPath, search?: Record<string, string | undefined>) => void {
  const navigate = useNavigate()
  return useCallback(
    (path, search) =>
      void navigate({
        to: path as string,
        search: (({ scope, dock }: Record<string, unknown>) => ({ scope, dock, ...search })) as never,
      }),
    [navigate],
  )
}

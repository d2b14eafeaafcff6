import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ShellSearch } from '../shell/shell-search.ts'

export const views = ['prompt', 'changes', 'window', 'memo'] as const
export type View = (typeof views)[number]

type Search = Pick<ShellSearch, 'run' | 'step' | 'base'> & { view: View }

/** What of the context is looked at: part of the URL, so that a link shows the same. */
export function useContextSearch(): [Search, (patch: Partial<Search>) => void] {
  const { view, run, step, base } = useSearch({ strict: false })
  const navigate = useNavigate()
  return [
    { view: views.find((name) => name === view) ?? 'prompt', run, step, base },
    (patch) =>
      void navigate({
        to: '.',
        replace: true,
        search: (before: ShellSearch) => ({ ...before, ...patch }),
      }),
  ]
}

import { useMemo } from 'react'
import { actions, type Action } from './actions.ts'
import { useContributions } from './features-context.tsx'

/** All actions: those of the shell, and those that open pages. */
export function useActions(): readonly Action[] {
  const pages = useContributions('pages')
  return useMemo(
    () => [
      ...actions,
      ...pages.flatMap(({ path, nav }): Action[] =>
        nav?.action
          ? [
              {
                ...nav.action,
                label: nav.name,
                icon: nav.icon,
                scope: 'everywhere',
                perform: ({ goTo }) => goTo(path),
              },
            ]
          : [],
      ),
    ],
    [pages],
  )
}

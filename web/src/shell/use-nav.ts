import { Puzzle, type LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import { useExtensionPages } from './extensions/extension-list.ts'
import { useContributions } from './features-context.tsx'
import type { FilledPath } from './pages.ts'
import type { Name } from './texts.ts'

export interface NavEntry {
  path: FilledPath
  name: Name
  icon: LucideIcon
  Badge?: ComponentType
}

/** What the navigation leads to: pages of features, then those of extensions. */
export function useNav(): readonly NavEntry[] {
  const pages = useContributions('pages')
  const { data: extensions = [] } = useExtensionPages()
  return [
    ...pages.flatMap(({ path, nav }) => (nav ? { path: path as FilledPath, ...nav } : [])),
    ...extensions.map(({ name, title }) => ({ path: `/x/${name}/` as const, name: title, icon: Puzzle })),
  ]
}

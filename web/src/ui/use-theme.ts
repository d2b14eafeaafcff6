import { usePreferences } from '../shell/preferences.ts'
import { useMediaQuery } from './use-media-query.ts'

/** The theme that is to be seen, whoever chose it. */
export function useTheme(): 'light' | 'dark' {
  const chosen = usePreferences(({ theme }) => theme)
  const isDark = useMediaQuery('(prefers-color-scheme: dark)')
  return chosen === 'system' ? (isDark ? 'dark' : 'light') : chosen
}

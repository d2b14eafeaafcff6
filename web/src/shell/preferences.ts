import { create } from 'zustand'

/**
 * What one person chose in this browser. Features add theirs: `declare module './preferences.ts' { interface Preferences
 * { … } }`, each optional.
 */
export interface Preferences {
  language: 'system' | 'en' | 'zh'
  theme: 'system' | 'light' | 'dark'
  /** What Enter does while a turn is running; Alt+Enter does the other. */
  whileRunning: 'enqueue' | 'steer'
  sidebar: 'open' | 'closed'
  notifications: 'on' | 'off'
  /** Keys by the name of an action, where they differ from the usual. */
  shortcuts: Record<string, string>
  /** Whether the guided start was seen. */
  welcomed: boolean
}

const storageKey = 'parley-preferences'

const defaults: Preferences = {
  language: 'system',
  theme: 'system',
  whileRunning: 'enqueue',
  sidebar: 'open',
  notifications: 'off',
  shortcuts: {},
  welcomed: false,
}

export const usePreferences = create<Preferences>(() => ({ ...defaults, ...readStored() }))

export function setPreferences(patch: Partial<Preferences>): void {
  usePreferences.setState(patch)
  const all = usePreferences.getState()
  try {
    localStorage.setItem(storageKey, JSON.stringify(all))
  } catch {
    // a browser that stores nothing keeps them until the page is closed
  }
  applyTheme(all)
}

/** `theme.js` does the same before the first paint. */
function applyTheme({ theme }: Preferences): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

function readStored(): Partial<Preferences> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    return typeof stored === 'object' && stored !== null ? stored : {}
  } catch {
    return {}
  }
}

import { create } from 'zustand'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { setPreferences, usePreferences } from './preferences.ts'

/** What lies over the page; never two of them, and nothing of it outlives the page. */
interface Overlays {
  open?: 'palette' | 'shortcuts' | 'drawer'
}

export const useOverlays = create<Overlays>(() => ({}))

export const setOverlay = (open: Overlays['open']) => useOverlays.setState({ open })

export const toggleOverlay = (name: NonNullable<Overlays['open']>) =>
  useOverlays.setState(({ open }) => ({ open: open === name ? undefined : name }))

export const isDrawerOpen = () => useOverlays.getState().open === 'drawer'

const wideQuery = '(min-width: 768px)'
/** Where there is room for the dock beside a conversation. */
export const dockBesideQuery = '(min-width: 1100px)'

interface SidebarState {
  isOpen: boolean
  /** Over the page instead of beside it; closed until somebody asks for it. */
  isDrawer: boolean
}

export function useSidebarState(): SidebarState {
  const isDrawer = !useMediaQuery(wideQuery)
  const isOverlaid = useOverlays(({ open }) => open === 'drawer')
  const isBeside = usePreferences(({ sidebar }) => sidebar === 'open')
  return { isDrawer, isOpen: isDrawer ? isOverlaid : isBeside }
}

export function toggleSidebar(): void {
  if (!matchMedia(wideQuery).matches) return toggleOverlay('drawer')
  const isOpen = usePreferences.getState().sidebar === 'open'
  setPreferences({ sidebar: isOpen ? 'closed' : 'open' })
}

/** Shown in any case, for what is about to point at something in it. */
export function showSidebar(): void {
  if (matchMedia(wideQuery).matches) setPreferences({ sidebar: 'open' })
  else setOverlay('drawer')
}

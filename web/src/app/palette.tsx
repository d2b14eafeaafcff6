import { lazy, Suspense, useEffect } from 'react'
import { useOverlays } from './overlays.ts'

const load = () => import('./palette-dialog.tsx')
const PaletteDialog = lazy(async () => ({ default: (await load()).PaletteDialog }))
// when the page has what it needs; whoever opens the palette types at once, and no letter may be lost
const preloadMs = 1_000

/** Search and commands in one place. */
export function Palette() {
  const isOpen = useOverlays(({ open }) => open === 'palette')
  useEffect(() => {
    const timer = setTimeout(() => void load(), preloadMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    isOpen && (
      <Suspense>
        <PaletteDialog />
      </Suspense>
    )
  )
}

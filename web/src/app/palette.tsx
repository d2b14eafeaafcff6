import { lazy, Suspense, useEffect } from 'react'
import { useOverlays } from './overlays.ts'

const load = () => import('./palette-dialog.tsx')
const PaletteDialog = lazy(async () => ({ default: (await load()).PaletteDialog }))
/** Search and commands in one place. */
export function Palette() {
  const isOpen = useOverlays(({ open }) => open === 'palette')
  // whoever opens the palette types at once, and no letter may be lost: it comes with the first half of its keys
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void load()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    isOpen && (
      <Suspense>
        <PaletteDialog />
      </Suspense>
    )
  )
}

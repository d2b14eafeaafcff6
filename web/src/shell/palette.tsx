import { lazy, Suspense, useEffect } from 'react'
import { useFeatures } from './features-context.tsx'
import { useOverlays } from './overlays.ts'
import { loadSource } from './palette-sources.ts'

const load = () => import('./palette-dialog.tsx')
const PaletteDialog = lazy(async () => ({ default: (await load()).PaletteDialog }))
/** Search and commands in one place. */
export function Palette() {
  const isOpen = useOverlays(({ open }) => open === 'palette')
  const features = useFeatures()
  // whoever opens the palette types at once, and no letter may be lost: it comes with the first half of its keys
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Control' && key !== 'Meta') return
      void load()
      for (const { commands } of features) if (commands) void loadSource(commands)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [features])
  return (
    isOpen && (
      <Suspense>
        <PaletteDialog />
      </Suspense>
    )
  )
}

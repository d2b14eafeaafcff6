/** Panes that open when somebody asks for them: what draws them is loaded then, and not with the first page. */
import { lazy, Suspense, type ComponentProps } from 'react'

const LazySheet = lazy(async () => ({ default: (await import('./sheet.tsx')).Sheet }))
const LazyDialog = lazy(async () => ({ default: (await import('./dialog.tsx')).Dialog }))
const LazyConfirmDialog = lazy(async () => ({
  default: (await import('./confirm-dialog.tsx')).ConfirmDialog,
}))

export const Sheet = (props: ComponentProps<typeof LazySheet>) => (
  <Suspense>
    <LazySheet {...props} />
  </Suspense>
)

export const Dialog = (props: ComponentProps<typeof LazyDialog>) => (
  <Suspense>
    <LazyDialog {...props} />
  </Suspense>
)

export const ConfirmDialog = (props: ComponentProps<typeof LazyConfirmDialog>) => (
  <Suspense>
    <LazyConfirmDialog {...props} />
  </Suspense>
)

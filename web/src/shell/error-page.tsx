import { TriangleAlert } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { appTexts } from './shell-texts.ts'
import { useTexts } from './texts.ts'

/** In place of what could not be drawn. It relies on nothing around it, since that may be what failed. */
export function ErrorPage({ error }: { error: unknown }) {
  const t = useTexts(appTexts)
  return (
    <div
      role="alert"
      className="flex h-full flex-col items-center justify-center gap-4 overflow-y-auto p-6 text-center"
    >
      <TriangleAlert aria-hidden className="size-8 shrink-0 text-warning" />
      <h1 className="text-lg font-semibold">{t.broken}</h1>
      <p className="max-w-prose text-muted">{t.brokenHint}</p>
      <code className="max-w-full rounded-md bg-surface px-3 py-2 text-sm break-words whitespace-pre-wrap">
        <bdi>{error instanceof Error ? error.message : String(error)}</bdi>
      </code>
      <div className="flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          {t.reload}
        </Button>
        <Button onClick={startAgain}>{t.backToStart}</Button>
      </div>
    </div>
  )
}

/** What is in memory may be what failed: it goes too. */
function startAgain(): void {
  location.hash = '#/'
  location.reload()
}

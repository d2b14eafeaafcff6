import { useTexts } from '../../shell/texts.ts'
import { Button } from '../../ui/button.tsx'
import { composerTexts } from '../texts.ts'

/** Why a message came back into the box. */
export function NotSent({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const t = useTexts(composerTexts)
  return (
    <div
      role="alert"
      className="mb-1.5 flex items-center gap-2 rounded-lg bg-removed px-3 py-1.5 text-sm text-danger"
    >
      <p className="min-w-0 flex-1">{t.notSent(error instanceof Error ? error.message : String(error))}</p>
      <Button size="small" onClick={onRetry}>
        {t.retry}
      </Button>
    </div>
  )
}

import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useErrorText } from '../api/field-errors.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'

export function Loading() {
  const t = useTexts(appTexts)
  return (
    <p role="status" className="flex items-center justify-center gap-2 p-6 text-muted">
      <LoaderCircle aria-hidden className="size-4 animate-spin" />
      {t.loading}
    </p>
  )
}

/** What is said where there is nothing to show. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="flex flex-col items-center gap-3 p-6 text-center text-muted">{children}</div>
}

interface FailureProps {
  error: unknown
  onRetry?(): void
}

export function Failure({ error, onRetry }: FailureProps) {
  const t = useTexts(appTexts)
  const toText = useErrorText()
  return (
    <div role="alert" className="flex flex-col items-center gap-3 p-6 text-center">
      <p className="text-danger">{t.failed(toText(error))}</p>
      {onRetry && <Button onClick={onRetry}>{t.retry}</Button>}
    </div>
  )
}

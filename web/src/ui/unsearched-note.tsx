import { clsx } from 'clsx'
import type { SearchPage } from '../../../src/client/index.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { useNumbers } from './use-numbers.ts'

interface Props {
  indexing: SearchPage['indexing']
  className?: string
}

/** Beside what was found: that there may be more. Nothing, when all was searched. */
export function UnsearchedNote({ indexing, className }: Props) {
  const t = useTexts(appTexts)
  const { count } = useNumbers()
  if (!indexing) return null
  return <p className={clsx('text-xs text-muted', className)}>{t.unsearched(count(indexing.messages))}</p>
}

import type { TaskResult } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'

interface Props {
  source: TaskResult['source']
  isDegraded?: boolean
}

/** How sure one can be of a result. */
export function ResultGrade({ source, isDegraded = false }: Props) {
  const t = useTexts(sessionTexts)
  return (
    <span className={`text-xs ${isDegraded ? 'font-medium text-warning' : 'text-muted'}`}>
      {isDegraded ? t.degraded(t.source[source]) : t.source[source]}
    </span>
  )
}

import type { CronPreview } from '../../../src/client/index.ts'
import { useLanguage, useTexts } from '../shell/texts.ts'
import { cronsTexts } from './texts.ts'
import { formatInZone } from './schedule-words.ts'

/** When a schedule fires next, on the clocks of its zone, and where these are changed. */
export function FiresPreview({ preview }: { preview: CronPreview }) {
  const t = useTexts(cronsTexts)
  const language = useLanguage()
  return (
    <ol aria-label={t.nextFiresOf(preview.timeZone)} className="flex flex-col gap-0.5 text-sm">
      {preview.items.map(({ at, offset, shifted }) => (
        <li key={at} className="flex flex-wrap gap-x-3">
          <time dateTime={at} className="tabular-nums">
            {formatInZone(at, preview.timeZone, language)}
          </time>
          <span className="text-muted tabular-nums">{offset}</span>
          {shifted && <span className="text-warning">{t.shifted(offset)}</span>}
        </li>
      ))}
    </ol>
  )
}

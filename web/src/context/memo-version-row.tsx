import type { MemoVersion } from '../../../src/core/protocol/window.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Tag } from '../ui/tag.tsx'
import { contextTexts } from './texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'

interface Props {
  version: MemoVersion
  isNewest: boolean
  onCompare(): void
  onUndo(): void
}

/** Who made a version, when, from what. */
export function MemoVersionRow({ version: made, isNewest, onCompare, onUndo }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const { version, author, model, fromSeq, toSeq, sizeBefore, sizeAfter, createdAt } = made
  return (
    <li
      className="flex flex-col gap-0.5 border-t border-line py-2 text-sm"
      aria-label={t.memoVersion(version)}
    >
      <div className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{t.memoVersion(version)}</span>
        <Tag>{t.authors[author]}</Tag>
        {model !== undefined && <span className="font-mono text-xs text-muted">{model}</span>}
        <RelativeTime time={createdAt} className="ml-auto text-xs text-muted" />
      </div>
      <p className="text-muted tabular-nums">
        {fromSeq !== undefined && toSeq !== undefined && `${t.tookIn(fromSeq, toSeq)} · `}
        {t.memoSizes(count(sizeBefore), count(sizeAfter))}
      </p>
      <div className="flex gap-1">
        <Button size="small" variant="ghost" className="-ml-2" onClick={onCompare}>
          {t.showVersion}
        </Button>
        {!isNewest && (
          <Button size="small" variant="ghost" onClick={onUndo}>
            {t.undo}
          </Button>
        )}
      </div>
    </li>
  )
}

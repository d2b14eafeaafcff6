import type { Resize } from '../../../src/core/protocol/window.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Tag, type TagState } from '../ui/tag.tsx'
import { contextTexts } from './texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'

interface Props {
  resizes: readonly Resize[]
}

const states: Record<Resize['outcome'], TagState> = {
  resized: 'completed',
  unchanged: 'plain',
  failed: 'failed',
}

/** Every time the window was cut, or should have been, newest first. */
export function ResizeLog({ resizes }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm font-semibold">{t.resizeLog}</h3>
      {resizes.length === 0 && <p className="text-sm text-muted">{t.noResizes}</p>}
      <ol className="flex flex-col">
        {resizes.map((resize) => {
          const { number, type, reason, outcome, message, before, after, memoVersion, createdAt } = resize
          const known = Object.hasOwn(t.resizeReasons, reason) ? t.resizeReasons[reason] : reason
          return (
            <li key={number} className="flex flex-col gap-0.5 border-t border-line py-2 text-sm">
              <div className="flex flex-wrap items-center gap-x-2">
                <Tag state={states[outcome]}>{t.outcomes[outcome]}</Tag>
                <span className="min-w-0 flex-1">{known}</span>
                <span className="font-mono text-xs text-muted">{type}</span>
                <RelativeTime time={createdAt} className="text-xs text-muted" />
              </div>
              <p className="text-muted tabular-nums">
                {t.sizes(count(before.messages), count(after.messages))} ·{' '}
                {t.charSizes(count(before.chars), count(after.chars))}
                {memoVersion !== undefined && ` · ${t.memoMade(memoVersion)}`}
              </p>
              {message !== undefined && <p className="text-muted">{message}</p>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

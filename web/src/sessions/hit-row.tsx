import { Link } from '@tanstack/react-router'
import { CornerDownRight } from 'lucide-react'
import { appTexts } from '../shell/shell-texts.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { markWords, type SearchHit } from './session-rows.ts'

interface Props {
  hit: SearchHit
  words: string
  /** Where it does not stand below its session. */
  hasTitle: boolean
  isActive: boolean
  onPick?(): void
}

/** A message that was found: leads to its place in the session. */
export function HitRow({ hit, words, hasTitle, isActive, onPick }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(appTexts)
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId: hit.sessionId }}
      search={keepSearch({ message: hit.messageId })}
      tabIndex={isActive ? 0 : -1}
      onClick={onPick}
      className="mx-2 block rounded-md px-2 py-1 text-xs text-muted hover:bg-hover focus-visible:outline-offset-[-2px]"
    >
      {hasTitle && <bdi className="block truncate text-sm text-text">{hit.title || t.untitled}</bdi>}
      <span className="flex gap-1">
        <CornerDownRight aria-hidden className="mt-0.5 size-3 shrink-0" />
        <bdi className="line-clamp-2">
          {markWords(hit.snippet, words).map(({ text, isMarked, at }) =>
            isMarked ? (
              <mark key={at} className="bg-mark text-text">
                {text}
              </mark>
            ) : (
              text
            ),
          )}
        </bdi>
      </span>
    </Link>
  )
}

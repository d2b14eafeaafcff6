import { useState } from 'react'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'

const kinds = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
] as const
type Kind = (typeof kinds)[number]

/** What an answer took, in short; all of it when pressed. */
export function TokenUsage({ usage }: { usage: unknown }) {
  const t = useTexts(sessionTexts)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const counts = (usage ?? {}) as Partial<Record<Kind, unknown>>
  const known = kinds.filter((kind) => typeof counts[kind] === 'number')
  if (known.length === 0) return null
  const format = (kind: Kind) =>
    ((counts[kind] as number | undefined) ?? 0).toLocaleString(localeOf(language))
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
      className="min-w-0 truncate rounded-md px-1.5 py-1 text-xs text-muted tabular-nums hover:bg-hover"
    >
      {isOpen
        ? known.map((kind) => `${t.usageKinds[kind]} ${format(kind)}`).join(' · ')
        : t.tokens(format('inputTokens'), format('outputTokens'))}
    </button>
  )
}

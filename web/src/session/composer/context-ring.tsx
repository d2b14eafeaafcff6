import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { SessionUsage } from '../../../../src/core/protocol/usage.ts'
import { useClient } from '../../api/api.tsx'
import { sessionUsageQuery } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import type { ShellSearch } from '../../shell/shell-search.ts'
import { localeOf, useLanguage, useTexts } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { composerTexts } from '../texts.ts'
import { toArc, toFullness, toPercent, type Fullness } from './ring.ts'

const colours: Record<Fullness['level'], string> = {
  calm: 'text-muted',
  high: 'text-warning',
  full: 'text-danger',
}
const radius = 7
const circumference = 2 * Math.PI * radius

/** How full the window is; opens what is in it. */
export function ContextRing({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const { data } = useQuery({
    ...sessionUsageQuery(client, sessionId, scope),
    retry: false,
  })
  const describe = useDescription()
  const fullness = toFullness(data?.window ?? { tokens: 0 })
  const locale = localeOf(useLanguage())
  const words = toWords(fullness, locale)
  const open = () =>
    void navigate({
      to: '.',
      search: (before: ShellSearch) => ({ ...before, dock: 'context' as const }),
    })
  return (
    <IconButton
      size="small"
      label={describe(data, fullness)}
      data-level={fullness.level}
      onClick={open}
      className={clsx(words !== undefined && 'w-auto! px-1.5!')}
    >
      <svg viewBox="0 0 20 20" aria-hidden className={clsx('size-5! -rotate-90', colours[fullness.level])}>
        <circle cx="10" cy="10" r={radius} fill="none" strokeWidth="2.5" className="stroke-line" />
        <circle
          cx="10"
          cy="10"
          r={radius}
          fill="none"
          stroke="currentColor"
          strokeWidth="2.5"
          strokeDasharray={`${toArc(fullness.share ?? 0, circumference)} ${circumference}`}
        />
      </svg>
      {words !== undefined && (
        <span className={clsx('text-xs font-normal', colours[fullness.level])}>{words}</span>
      )}
    </IconButton>
  )
}

function useDescription() {
  const t = useTexts(composerTexts)
  const locale = localeOf(useLanguage())
  const count = (tokens: number) => tokens.toLocaleString(locale)
  return (usage: SessionUsage | undefined, { tokens, share, level }: Fullness): string => {
    if (!usage || tokens === 0) return t.contextUnknown
    const limit = usage.window.limitTokens
    const how =
      limit === undefined
        ? t.contextTokens(compact(tokens, locale))
        : t.contextShare(count(tokens), count(limit), toPercent(share!))
    const warning = level === 'full' ? t.contextFull : level === 'high' ? t.contextHigh : undefined
    return [how, warning, usage.cost !== undefined && t.cost(formatCost(usage.cost, locale))]
      .filter(Boolean)
      .join(' · ')
  }
}

/** Few, and only where the ring alone would not say it. */
function toWords({ tokens, share, level }: Fullness, locale: string): string | undefined {
  if (share === undefined) return tokens === 0 ? undefined : compact(tokens, locale)
  return level === 'calm' ? undefined : `${toPercent(share)}%`
}

const compact = (tokens: number, locale: string) =>
  new Intl.NumberFormat(locale, { notation: 'compact' }).format(tokens)

const formatCost = (cost: number, locale: string) =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: cost < 0.1 ? 4 : 2,
  }).format(cost)

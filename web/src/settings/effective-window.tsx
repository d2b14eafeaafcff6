import type { SettingsView } from '../../../src/client/index.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { settingsTexts } from './texts.ts'

interface Props {
  window: SettingsView['effective']['window']
}

/** What counts when everything below it is taken together. */
export function EffectiveWindow({ window }: Props) {
  const t = useTexts(settingsTexts)
  const format = new Intl.NumberFormat(localeOf(useLanguage())).format
  const limit = (value: number) => (value === 0 ? t.noLimit : format(value))
  const facts = [
    [t.mode, t.modes[window.memo ? 'memo' : 'lite']],
    [t.chars, limit(window.maxChars)],
    [t.messages, limit(window.maxMessages)],
    [t.tokens, limit(window.maxTokens)],
    [t.everyNTurns, window.everyNTurns === 0 ? t.never : format(window.everyNTurns)],
    ...(window.rounds ? [[t.roundsLabel, t.rounds(window.rounds.keep, window.rounds.drop)]] : []),
  ] as const
  return (
    <section aria-labelledby="effective-window" className="rounded-lg border border-line bg-surface p-3">
      <h3 id="effective-window" className="mb-2 text-sm font-semibold">
        {t.effective}
      </h3>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {facts.map(([term, value]) => (
          <div key={term} className="contents">
            <dt className="text-muted">{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

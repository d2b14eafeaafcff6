import type { WindowView } from '../../../src/core/protocol/window.ts'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'
import { useNumbers } from '../ui/use-numbers.ts'
import { originsOf } from './window-origins.ts'

/** What holds for the window, and who said so. */
export function WindowSettings({ view }: { view: WindowView }) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const { effective, settings } = view
  const origins = originsOf(view)
  const limit = (value: number) => (value > 0 ? count(value) : t.noLimit)
  const rows: [string, string, keyof typeof t.origins][] = [
    [t.mode, effective.mode, origins.mode],
    [
      t.keepMemo,
      effective.memo ? t.yes : t.no,
      settings.memo?.enabled === undefined ? origins.mode : 'session',
    ],
    [t.preset, settings.preset ? t.presets[settings.preset] : t.none, origins.preset],
    [t.chars, limit(effective.maxChars), origins.chars],
    [t.messages, limit(effective.maxMessages), origins.messages],
    [t.tokensEstimated, limit(effective.maxTokens), origins.tokens],
    [t.everyNTurns, effective.everyNTurns > 0 ? count(effective.everyNTurns) : t.never, origins.everyNTurns],
  ]
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm font-semibold">{t.effective}</h3>
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">{t.setting}</th>
            <th scope="col">{t.value}</th>
            <th scope="col">{t.origin}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, value, origin]) => (
            <tr key={name} className="border-b border-line last:border-0">
              <th scope="row" className="py-1 pr-2 text-left font-normal">
                {name}
              </th>
              <td className="py-1 pr-2 tabular-nums">{value}</td>
              <td className="py-1 text-right text-muted">{t.origins[origin]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

import type { ReactNode } from 'react'
import { useTexts } from '../shell/texts.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import type { Figures } from './usage-figures.ts'
import { cachedShare } from './usage-figures.ts'
import { useFormats } from '../ui/use-formats.ts'
import { usageTexts } from './texts.ts'

interface Props {
  label: string
  /** Names of the columns before the figures. */
  heads: readonly string[]
  rows: readonly { key: string; cells: readonly ReactNode[]; figures: Figures }[]
  totals: Figures
}

export function UsageTable({ label, heads, rows, totals }: Props) {
  const t = useTexts(usageTexts)
  return (
    <ScrollRegion label={label} className="rounded-lg border border-line">
      <table className="w-full text-sm tabular-nums [&_td]:px-3 [&_td]:py-1.5 [&_th]:px-3 [&_th]:py-1.5">
        <thead className="bg-surface text-left text-muted">
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className="font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
            {[t.calls, t.input, t.cached, t.output, t.cost].map((head) => (
              <th key={head} scope="col" className="text-right font-medium whitespace-nowrap">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, cells, figures }) => (
            <tr key={key}>
              {cells.map((cell, index) =>
                index === 0 ? (
                  <th key={heads[index]} scope="row" className="min-w-36 text-left font-normal">
                    {cell}
                  </th>
                ) : (
                  <td key={heads[index]} className="whitespace-nowrap">
                    {cell}
                  </td>
                ),
              )}
              <FigureCells figures={figures} />
            </tr>
          ))}
        </tbody>
        <tfoot className="border-t border-line font-medium">
          <tr>
            <th scope="row" colSpan={heads.length} className="text-left font-medium">
              {t.sum}
            </th>
            <FigureCells figures={totals} />
          </tr>
        </tfoot>
      </table>
    </ScrollRegion>
  )
}

function FigureCells({ figures }: { figures: Figures }) {
  const t = useTexts(usageTexts)
  const { count, share, money } = useFormats()
  const cached = cachedShare(figures)
  const cells = [
    ['calls', count(figures.calls)],
    ['input', count(figures.inputTokens)],
    ['cached', cached === undefined ? t.unknown : share(cached)],
    ['output', count(figures.outputTokens)],
    ['cost', figures.cost === undefined ? t.unknown : money(figures.cost)],
  ] as const
  return cells.map(([name, text]) => (
    <td key={name} className="text-right whitespace-nowrap">
      {text}
    </td>
  ))
}

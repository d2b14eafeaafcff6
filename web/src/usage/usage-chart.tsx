import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { localeOf, useLanguage } from '../shell/texts.ts'
import type { Chart } from './usage-figures.ts'

interface Props {
  chart: Chart
  /** What it shows, for those who do not see it. */
  label: string
  /** A name as it is shown. */
  toName(series: string): string
  toText(value: number): string
}

/** As many as can be told apart, in both themes. */
const chartColours = [
  'var(--accent)',
  'var(--run-completed)',
  'var(--run-degraded)',
  'var(--run-running)',
  'var(--run-failed)',
  'var(--muted)',
] as const

/** A picture only: the tables below say the same in words. */
export function UsageChart({ chart, label, toName, toText }: Props) {
  const language = useLanguage()
  const format = new Intl.DateTimeFormat(localeOf(language), {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  })
  const compact = new Intl.NumberFormat(localeOf(language), { notation: 'compact', maximumFractionDigits: 2 })
  const axis = { stroke: 'var(--line)', tick: { fill: 'var(--muted)', fontSize: 12 } }
  return (
    <div role="img" aria-label={label} className="h-72">
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={chart.bars} margin={{ top: 8, right: 8 }} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--line)" vertical={false} />
          <XAxis dataKey="day" tickFormatter={(day: string) => format.format(new Date(day))} {...axis} />
          <YAxis width={56} tickFormatter={(value: number) => compact.format(value)} {...axis} />
          <Tooltip
            isAnimationActive={false}
            cursor={{ fill: 'var(--hover)' }}
            formatter={(value) => toText(Number(value))}
            contentStyle={{ background: 'var(--raised)', border: '1px solid var(--line)', borderRadius: 8 }}
            itemStyle={{ color: 'var(--text)' }}
          />
          <Legend formatter={toLegend} />
          {chart.series.map((name, index) => (
            <Bar
              key={name}
              dataKey={({ values }: Chart['bars'][number]) => values[index]}
              name={toName(name)}
              stackId="all"
              fill={chartColours[index]}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

const toLegend = (name: string) => <span className="text-sm text-text">{name}</span>

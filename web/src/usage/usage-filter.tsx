import { clsx } from 'clsx'
import { useTexts } from '../shell/texts.ts'
import { controlStyle } from '../ui/field.tsx'
import type { Metric, Split } from './usage-figures.ts'
import { usageTexts } from './texts.ts'

interface Props {
  /** Undefined when two days were chosen. */
  days?: number
  from: string
  to: string
  metric: Metric
  split: Split
  onDays(days: number): void
  onRange(range: { from: string; to: string }): void
  onMetric(metric: Metric): void
  onSplit(split: Split): void
}

export const rangeChoices = [7, 30, 90, 365] as const

export function UsageFilter({ days, from, to, metric, split, ...on }: Props) {
  const t = useTexts(usageTexts)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Choice
        label={t.range}
        value={days}
        options={rangeChoices.map((count) => [count, t.lastDays(count)])}
        onChange={on.onDays}
      />
      <div className="flex items-center gap-2 text-sm max-sm:grid max-sm:w-full max-sm:grid-cols-2">
        <DayInput label={t.from} value={from} onChange={(day) => on.onRange({ from: day, to })} />
        <DayInput label={t.to} value={to} onChange={(day) => on.onRange({ from, to: day })} />
      </div>
      <Choice
        label={t.metric}
        value={metric}
        options={[
          ['tokens', t.metrics.tokens],
          ['cost', t.metrics.cost],
        ]}
        onChange={on.onMetric}
      />
      <Choice
        label={t.by}
        value={split}
        options={[
          ['model', t.splits.model],
          ['kind', t.splits.kind],
        ]}
        onChange={on.onSplit}
      />
    </div>
  )
}

interface DayProps {
  label: string
  value: string
  onChange(day: string): void
}

function DayInput({ label, value, onChange }: DayProps) {
  return (
    <label className="flex min-w-0 items-center gap-1.5 max-sm:flex-col max-sm:items-start max-sm:gap-0.5">
      <span className="whitespace-nowrap text-muted">{label}</span>
      <input
        type="date"
        required
        className={clsx(controlStyle, 'h-8 min-h-8! px-2! py-0!')}
        value={value}
        onChange={(event) => event.target.value !== '' && onChange(event.target.value)}
      />
    </label>
  )
}

interface ChoiceProps<Value> {
  label: string
  value: Value | undefined
  options: readonly (readonly [value: Value, label: string])[]
  onChange(value: Value): void
}

function Choice<Value extends string | number>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <div role="group" aria-label={label} className="flex overflow-hidden rounded-md border border-line">
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === value}
          onClick={() => onChange(name)}
          className="h-8 px-2.5 text-sm whitespace-nowrap -outline-offset-2! not-first:border-l not-first:border-line hover:bg-hover aria-pressed:bg-selected aria-pressed:font-medium"
        >
          {text}
        </button>
      ))}
    </div>
  )
}

import { useState } from 'react'
import { localeOf, useLanguage } from '../shell/texts.ts'
import { toScale, type Chart } from './usage-figures.ts'

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

// where there is space for them; half as many on a phone
const mostDayLabels = 10
const barShare = 0.8

const percent = (share: number) => `${share * 100}%`

/** A picture only: the tables below say the same in words. Everything is placed by shares, so that it fits any width. */
export function UsageChart({ chart: { series, bars }, label, toName, toText }: Props) {
  const locale = localeOf(useLanguage())
  const [pointedAt, setPointedAt] = useState<number>()
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 2 })
  const format = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const toDayText = (day: string) => format.format(new Date(day))
  const { top, ticks } = toScale(Math.max(0, ...bars.map(({ values }) => sum(values))))
  const every = Math.ceil(bars.length / mostDayLabels)
  const middleOf = (index: number) => percent((index + 0.5) / bars.length)
  const pointed = pointedAt === undefined ? undefined : bars[pointedAt]

  return (
    <div role="img" aria-label={label} className="@container flex h-72 flex-col gap-1 text-xs text-muted">
      <div className="flex min-h-0 flex-1 pt-2 pr-2">
        <div className="relative w-14 shrink-0">
          {ticks.map((tick) => (
            <span
              key={tick}
              className="absolute right-2 -translate-y-1/2"
              style={{ top: percent(1 - tick / top) }}
            >
              {compact.format(tick)}
            </span>
          ))}
        </div>
        <div className="relative flex-1" onPointerLeave={() => setPointedAt(undefined)}>
          <svg aria-hidden className="block size-full overflow-visible">
            {ticks.map((tick) => (
              <line
                key={tick}
                x2="100%"
                y1={percent(1 - tick / top)}
                y2={percent(1 - tick / top)}
                stroke="var(--line)"
              />
            ))}
            {bars.map(({ day, values }, index) => (
              <g key={day} onPointerEnter={() => setPointedAt(index)}>
                <rect
                  x={percent(index / bars.length)}
                  width={percent(1 / bars.length)}
                  height="100%"
                  fill={index === pointedAt ? 'var(--hover)' : 'transparent'}
                />
                {values.map(
                  (value, place) =>
                    value > 0 && (
                      <rect
                        key={series[place]}
                        data-series={series[place]}
                        x={percent((index + (1 - barShare) / 2) / bars.length)}
                        width={percent(barShare / bars.length)}
                        y={percent(1 - sum(values.slice(0, place + 1)) / top)}
                        height={percent(value / top)}
                        fill={chartColours[place]}
                      />
                    ),
                )}
              </g>
            ))}
          </svg>
          {pointed && (
            <div
              aria-hidden
              className="pointer-events-none absolute top-2 z-10 rounded-lg border border-line bg-raised px-3 py-2 text-sm whitespace-nowrap text-text"
              style={besides(pointedAt!, bars.length)}
            >
              <p>{toDayText(pointed.day)}</p>
              {series.map((name, place) => (
                <p key={name} className="flex items-center gap-2">
                  <Swatch colour={chartColours[place]} />
                  {toName(name)}: {toText(pointed.values[place]!)}
                </p>
              ))}
            </div>
          )}
        </div>
      </div>
      <div className="relative mr-2 ml-14 h-5">
        {bars.map(
          ({ day }, index) =>
            index % every === 0 && (
              <span
                key={day}
                className={`absolute top-0 -translate-x-1/2 whitespace-nowrap ${index % (2 * every) === 0 ? '' : 'hidden @2xl:inline'}`}
                style={{ left: middleOf(index) }}
              >
                {toDayText(day)}
              </span>
            ),
        )}
      </div>
      <div className="flex flex-wrap justify-center gap-x-4 gap-y-1 text-sm text-text">
        {series.map((name, place) => (
          <span key={name} className="flex items-center gap-1.5">
            <Swatch colour={chartColours[place]} />
            {toName(name)}
          </span>
        ))}
      </div>
    </div>
  )
}

const Swatch = ({ colour }: { colour: string | undefined }) => (
  <span className="size-3 shrink-0" style={{ background: colour }} />
)

/** Left of the day in the right half, so that it is never cut off. */
const besides = (index: number, count: number) =>
  index < count / 2 ? { left: percent((index + 1) / count) } : { right: percent(1 - index / count) }

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

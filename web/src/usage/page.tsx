import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { usageKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { isDay, lastDays, listDays, sumBy, toChart, type Metric, type Split } from './usage-figures.ts'
import { UsageChart } from './usage-chart.tsx'
import { rangeChoices, UsageFilter } from './usage-filter.tsx'
import { UsageTable } from './usage-table.tsx'
import { usageTexts } from './texts.ts'
import { UsageTotals } from './usage-totals.tsx'
import { useFormats } from '../ui/use-formats.ts'

const chartSeries = 6

export function Page() {
  const t = useTexts(usageTexts)
  const client = useClient()
  const scope = useScope()
  const [search, setSearch] = useSearchState<'days' | 'from' | 'to' | 'metric' | 'by'>()
  const { count, money } = useFormats()
  const [now] = useState(Date.now)
  const isCustom = isDay(search.from) && isDay(search.to)
  const days = rangeChoices.find((choice) => String(choice) === search.days) ?? 30
  const { from, to } = isCustom ? { from: search.from!, to: search.to! } : lastDays(days, now)
  const metric: Metric = search.metric === 'cost' ? 'cost' : 'tokens'
  const split: Split = search.by === 'kind' ? 'kind' : 'model'
  const { data, error, refetch } = useQuery({
    queryKey: usageKeys.usage({ scope, from, to }),
    queryFn: () => client.usage({ scope, from, to }),
    placeholderData: keepPreviousData,
  })
  const toKind = (kind: string) => (t.kinds as Record<string, string>)[kind] ?? kind
  const toName = (name: string) => (split === 'kind' ? toKind(name) : name)

  return (
    <PageFrame title={t.title}>
      <div className="mx-auto flex max-w-5xl flex-col gap-5 p-4">
        <UsageFilter
          days={isCustom ? undefined : days}
          from={from}
          to={to}
          metric={metric}
          split={split}
          onDays={(choice) => setSearch({ days: String(choice), from: undefined, to: undefined })}
          onRange={(range) => setSearch({ ...range, days: undefined })}
          onMetric={(choice) => setSearch({ metric: choice })}
          onSplit={(choice) => setSearch({ by: choice })}
        />
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <Loading />
        ) : data.items.length === 0 ? (
          <Empty>{t.none}</Empty>
        ) : (
          <>
            <UsageTotals totals={data.totals} />
            {metric === 'cost' && data.totals.cost === undefined ? (
              <Empty>{t.noCost}</Empty>
            ) : (
              <UsageChart
                label={t.chartOf(t.metrics[metric], from, to)}
                toName={toName}
                toText={metric === 'cost' ? money : count}
                chart={toChart(data.items, listDays(from, to), {
                  metric,
                  split,
                  most: chartSeries,
                  others: t.others,
                })}
              />
            )}
            {metric === 'cost' && data.totals.cost !== undefined && (
              <p className="text-sm text-muted">{t.costHint}</p>
            )}
            <section className="flex flex-col gap-2">
              <h2 className="font-semibold">{t.byModelAndKind}</h2>
              <UsageTable
                label={t.byModelAndKind}
                heads={[t.model, t.kind]}
                totals={data.totals}
                rows={[...sumBy(data.items, ({ model, kind }) => `${model}\n${kind}`)].map(
                  ([key, figures]) => {
                    const [model = '', kind = ''] = key.split('\n')
                    return { key, cells: [model, toKind(kind)], figures }
                  },
                )}
              />
            </section>
            <section className="flex flex-col gap-2">
              <h2 className="font-semibold">{t.byDay}</h2>
              <UsageTable
                label={t.byDay}
                heads={[t.day]}
                totals={data.totals}
                rows={[...sumBy(data.items, ({ day }) => day)]
                  .toReversed()
                  .map(([day, figures]) => ({ key: day, cells: [day], figures }))}
              />
            </section>
          </>
        )}
      </div>
    </PageFrame>
  )
}

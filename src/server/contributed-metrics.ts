import { Counter, Gauge, type Registry } from 'prom-client'
import type { MetricContribution } from '../core/http/contributions.ts'

/** Metrics that extensions count and read themselves. */
export function addContributedMetrics(registry: Registry, contributed: readonly MetricContribution[]): void {
  for (const metric of contributed) registry.registerMetric(toMetric(metric))
}

function toMetric(contributed: MetricContribution): Counter | Gauge {
  const { name, help, type, labels = [] } = contributed
  const described = { name, help, labelNames: [...labels], registers: [] }
  const collect = async (
    metric: Counter | Gauge,
    add: (of: Record<string, string>, value: number) => void,
  ) => {
    const samples = await Promise.resolve()
      .then(() => contributed.read())
      .catch(() => undefined)
    // synchronous from here on: another scrape may be in progress
    metric.reset()
    for (const sample of samples ?? []) add(sample.labels ?? {}, sample.value)
    // what cannot be known now is left out, and not 0
    if (!samples && labels.length === 0) metric.remove()
  }
  return type === 'counter'
    ? new Counter({
        ...described,
        collect() {
          return collect(this, (of, value) => this.inc(of, value))
        },
      })
    : new Gauge({
        ...described,
        collect() {
          return collect(this, (of, value) => this.set(of, value))
        },
      })
}

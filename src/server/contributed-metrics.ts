import { Counter, Gauge, type Registry } from 'prom-client'
import type { MetricContribution } from '../core/http/contributions.ts'

/** What extensions count and look up themselves. */
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
    // from here on at once: another scrape may be under way
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

import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'
import type { ServerContributions } from '../core/http/contributions.ts'
import { addContributedMetrics } from './contributed-metrics.ts'
import { addStateMetrics, type StateSources } from './state-metrics.ts'
import { addWorkMetrics, type WorkSources } from './work-metrics.ts'

export interface Metrics {
  registry: Registry
  measure: MiddlewareHandler
}

export interface MetricSources extends WorkSources, StateSources {
  contributions: Pick<ServerContributions, 'metrics'>
}

/** Of the requests and the process; with a Parley, of its work, its store and its extensions too. */
export function createMetrics(parley?: MetricSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  if (parley) {
    addWorkMetrics(registry, parley)
    addStateMetrics(registry, parley)
    addContributedMetrics(registry, parley.contributions.metrics)
  }
  const registers = [registry]
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'parley_http_requests_total',
    help: 'Requests answered',
    labelNames,
    registers,
  })
  const seconds = new Histogram({
    name: 'parley_http_request_seconds',
    help: 'Time until the answer began',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  })
  return {
    registry,
    async measure(c, next) {
      const start = performance.now()
      await next()
      // the pattern, not the path: ids would make a series each
      const route = routePath(c, -1)
      requests.inc({ method: c.req.method, route, status: c.res.status })
      seconds.observe({ route }, (performance.now() - start) / 1_000)
    },
  }
}

import type { Tracer } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { TelemetryOptions } from './open-telemetry.ts'

// a collector that is away must not keep a program from ending
const closeMs = 3_000
const warnEveryMs = 60_000

/** Loaded only where spans are sent. Nothing is registered for the process: another Parley in it has its own. */
export function openOtlp(
  options: Omit<TelemetryOptions, 'tracer' | 'content'>,
  { logger, version }: { logger: Logger; version: string },
): { tracer: Tracer; close(): Promise<void> } {
  const { endpoint = 'http://127.0.0.1:4318', headers, serviceName = 'parley', samplePercent = 100 } = options
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = reporting(new OTLPTraceExporter({ url, headers }), logger)
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    // what began elsewhere is as it was decided there
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplePercent / 100) }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1_000 })],
  })
  return {
    tracer: provider.getTracer('parley', version),
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)))
      // the loss of spans has been logged already
      await Promise.race([provider.shutdown().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

/** The SDK silently drops what it cannot send; this logs it, now and then. */
function reporting(exporter: OTLPTraceExporter, logger: Logger): SpanExporter {
  let warnedAt = -Infinity
  return {
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        done(result)
        if (result.code === 0 || performance.now() - warnedAt < warnEveryMs) return
        warnedAt = performance.now()
        logger.warn({ reason: result.error?.message }, 'spans could not be sent and are lost')
      }),
  }
}

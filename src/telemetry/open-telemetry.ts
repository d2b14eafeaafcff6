import type { Tracer } from '@opentelemetry/api'
import type { Logger } from 'pino'
import type { Tracing } from './tracing.ts'
import type { Watchers } from '../core/watch/watcher.ts'

/** Left out, nothing of OpenTelemetry is loaded. */
export interface TelemetryOptions {
  /** Of an SDK that the program has set up itself; then nothing is sent from here. */
  tracer?: Tracer
  /** Address of a collector that accepts OTLP over HTTP; default `http://127.0.0.1:4318`. */
  endpoint?: string
  /** Sent along to it. */
  headers?: Record<string, string>
  /** Default `parley`. */
  serviceName?: string
  /** Of traces that begin here, so many in a hundred; default 100. */
  samplePercent?: number
  /** Default false: prompts and answers of models, and inputs and results of tools, are left out. */
  content?: boolean
}

interface TelemetryDeps {
  watchers: Watchers
  logger: Logger
  version: string
}

export interface OpenTelemetry extends Pick<Tracing, 'noteRun'> {
  /** Sends what was not sent yet. */
  close(): Promise<void>
}

/** Undefined if spans are not enabled. */
export async function openTelemetry(
  options: TelemetryOptions | undefined,
  { watchers, logger, version }: TelemetryDeps,
): Promise<OpenTelemetry | undefined> {
  if (!options) return undefined
  const { createTracing } = await import('./tracing.ts')
  const { tracer, close } = options.tracer
    ? { tracer: options.tracer, close: async () => {} }
    : (await import('./otlp.ts')).openOtlp(options, { logger, version })
  const tracing = createTracing({ tracer, content: options.content })
  watchers.add(tracing)
  return { noteRun: tracing.noteRun, close }
}

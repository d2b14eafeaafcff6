import type { Tracer } from '@opentelemetry/api'
import { amount, filledText, flag, objectWith, optionGroup, textsByName } from '../core/protocol/options.ts'
import type { TelemetryOptions } from './open-telemetry.ts'

interface TelemetryOption {
  /** Spans of OpenTelemetry, to a collector or by a tracer of the program: `{}` for the defaults; left out, none. */
  telemetry?: TelemetryOptions
}

declare module '../core/compose/options.ts' {
  interface ExtensionOptions extends TelemetryOption {}
}

/** What checks the option. */
export const telemetryOption = {
  name: 'telemetry',
  options: {
    telemetry: optionGroup<TelemetryOptions>({
      tracer: objectWith<Tracer>('a tracer of OpenTelemetry', 'startSpan'),
      endpoint: filledText,
      headers: textsByName,
      serviceName: filledText,
      samplePercent: amount,
      content: flag,
    }),
  },
  secretOptions: ['telemetry'],
}

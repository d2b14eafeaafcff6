import { maskFields, maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import { headers, httpUrl, onOff, serviceName, wholeNumber } from '../../core/settings/values.ts'

export const telemetrySettings = {
  'telemetry.enabled': setting(onOff, {
    description: 'Send spans of requests, runs, model calls and tool calls to an OpenTelemetry collector.',
    default: false,
    env: 'PARLEY_TELEMETRY',
  }),
  'telemetry.endpoint': setting(httpUrl, {
    description: 'Address of the collector (OTLP over HTTP), without `/v1/traces`.',
    default: 'http://127.0.0.1:4318',
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    mask: maskUrl,
    onlyWith: 'telemetry.enabled',
  }),
  'telemetry.headers': setting(headers, {
    description: 'Headers for the collector, such as its key; as a variable `name=value,name=value`.',
    default: {},
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    secret: true,
    mask: maskFields,
    onlyWith: 'telemetry.enabled',
  }),
  'telemetry.serviceName': setting(serviceName, {
    description: 'Name of this Parley in traces.',
    default: 'parley',
    env: 'OTEL_SERVICE_NAME',
    onlyWith: 'telemetry.enabled',
  }),
  'telemetry.samplePercent': setting(wholeNumber(0, 100), {
    description: 'Percentage of the traces that begin here to send.',
    default: 100,
    env: 'PARLEY_TELEMETRY_SAMPLE_PERCENT',
  }),
  'telemetry.content': setting(onOff, {
    description: 'Put prompts and answers of models, and inputs and results of tools, into spans.',
    default: false,
    env: 'PARLEY_TELEMETRY_CONTENT',
  }),
}

/** `traceparent`, and `tracestate` where there is one, by name, as headers of HTTP have them. */
export type TraceContext = Readonly<Record<string, string>>

/** Of the work that is being done now; undefined where nobody follows it. */
export type ReadTraceContext = () => TraceContext | undefined

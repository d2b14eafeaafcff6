export { createApp, type AppSettings } from './app.ts'
export { createMetrics } from './metrics.ts'
export { serve, type RunningServer } from './serve.ts'
export type { ServerDeps, ServerLimits } from './environment.ts'

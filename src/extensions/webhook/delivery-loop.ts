import type { Logger } from 'pino'
import { addNewDeliveries } from './add-deliveries.ts'
import { deliver } from './deliver-event.ts'
import type { WebhookDeps } from './webhook-service.ts'

export interface WebhookSender {
  start(): void
  /** Checks once for new events and due deliveries, and resolves when the calls that it started have ended. */
  tick(): Promise<void>
  /** Aborts calls that wait for their answer; the next process makes them again. */
  stop(): Promise<void>
}

const tickMs = 1_000
const batch = 100
const pruneEveryMs = 3_600_000
const dayMs = 24 * pruneEveryMs

/**
 * Calls webhooks for what happened. Any number of nodes may do so at the same time: all state is in the store, and there
 * one of them gets each attempt.
 */
export function createWebhookSender(deps: WebhookDeps & { logger: Logger }): WebhookSender {
  const { store, clock, limits, logger } = deps
  const stopping = new AbortController()
  const calls = new Map<string, { webhookId: string; ended: Promise<void> }>()
  const callsOf = (webhookId: string) =>
    [...calls.values()].filter((call) => call.webhookId === webhookId).length
  let timer: NodeJS.Timeout | undefined
  let checking: Promise<void> | undefined
  let prunedAt = 0
  let lastChecked: string | undefined

  /** One that fails is tried again with the next tick, and keeps none of the others waiting. */
  const attempt = (what: string, id: string, work: () => Promise<unknown>): Promise<void> =>
    work().then(
      () => {},
      (error: unknown) => logger.warn({ err: error, id }, `${what} failed, will try again`),
    )

  async function check(): Promise<void> {
    const behind = await store.listWebhooksBehind(batch, lastChecked)
    // the next check continues after these: some may be full, and stay behind
    lastChecked = behind.length < batch ? undefined : behind.at(-1)!.id
    for (const webhook of behind) {
      if (stopping.signal.aborted) return
      await attempt('a webhook', webhook.id, () => addNewDeliveries(deps, webhook))
    }
    const now = clock.now()
    const free = limits.maxAtOnce - calls.size
    // a receiver that hangs takes a third of the places at most
    const perWebhook = Math.ceil(limits.maxAtOnce / 3)
    if (free > 0)
      for (const due of await store.listDueDeliveries(now, { limit: free, perWebhook })) {
        if (stopping.signal.aborted) return
        if (callsOf(due.webhookId) >= perWebhook) continue
        const ended = attempt('a delivery', due.id, () => deliver(deps, due, stopping.signal))
        calls.set(due.id, { webhookId: due.webhookId, ended: ended.finally(() => calls.delete(due.id)) })
      }
    if (Math.abs(now - prunedAt) < pruneEveryMs) return
    prunedAt = now
    await store.deleteDeliveriesBefore(now - limits.keptDays * dayMs)
  }

  const checkOnce = () =>
    (checking ??= check()
      .catch((error: unknown) => logger.warn({ err: error }, 'looking for deliveries failed, will try again'))
      .finally(() => {
        checking = undefined
      }))

  return {
    start() {
      timer = setInterval(() => void checkOnce(), tickMs)
      timer.unref()
      void checkOnce()
    },
    async tick() {
      await checkOnce()
      await Promise.all([...calls.values()].map(({ ended }) => ended))
    },
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await checking
      await Promise.all([...calls.values()].map(({ ended }) => ended))
    },
  }
}

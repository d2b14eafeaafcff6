import type { DueDelivery } from './store/webhook-deliveries.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { sendChecked } from '../../core/net/checked-request.ts'
import { requireTarget } from '../../core/net/request-target.ts'
import { signedHeaders } from './event-body.ts'
import type { WebhookDeps } from './webhook-service.ts'

const secondMs = 1_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
// over a night and a day: long enough for a receiver that somebody has to repair
const retryDelaysMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  10 * hourMs,
]
const maxErrorLength = 500

type Answer = { status: number } | { error: string }

/**
 * Makes one attempt, and stores its result. Between an answer and its row the process can die: then the
 * call is made again, with the same `webhook-id`.
 */
export async function deliver(
  deps: WebhookDeps,
  delivery: DueDelivery,
  stopping: AbortSignal,
): Promise<void> {
  const { store, clock, limits } = deps
  // until then nobody else tries: longer than the attempt can take
  const abandonedAt = clock.now() + limits.timeoutMs + 30 * secondMs
  if (!(await store.claimDelivery(delivery, abandonedAt))) return
  const answer = await call(deps, delivery, stopping)
  if (stopping.aborted && 'error' in answer) {
    await store.settleDelivery(delivery, {
      status: 'waiting',
      error: 'Interrupted.',
      nextAttemptAt: clock.now(),
    })
    return
  }
  await store.transaction((tx) => settle(tx, deps, delivery, answer))
}

async function call(deps: WebhookDeps, delivery: DueDelivery, stopping: AbortSignal): Promise<Answer> {
  const { clock, limits } = deps
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  try {
    const response = await sendChecked(
      { ...deps, allowedBy: 'webhooks.allowPrivate' },
      requireTarget(delivery.url),
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(delivery.body),
          'user-agent': 'Parley',
          ...signedHeaders(delivery, clock.now()),
        },
        body: delivery.body,
        signal: AbortSignal.any([timeout, stopping]),
      },
    )
    // the body does not matter
    response.destroy()
    return { status: response.statusCode ?? 0 }
  } catch (error) {
    const said = timeout.aborted
      ? `No answer within ${limits.timeoutMs} ms.`
      : (error as Error).message || String((error as NodeJS.ErrnoException).code)
    return { error: said.slice(0, maxErrorLength) }
  }
}

async function settle(
  tx: StoreOperations,
  deps: WebhookDeps,
  delivery: DueDelivery,
  answer: Answer,
): Promise<void> {
  const { clock, limits } = deps
  const attempts = delivery.attempts + 1
  const answerStatus = 'status' in answer ? answer.status : undefined
  if (answerStatus !== undefined && answerStatus >= 200 && answerStatus < 300) {
    if (await tx.settleDelivery(delivery, { status: 'delivered', answerStatus }))
      await tx.setWebhookFailures(delivery.webhookId, 0)
    return
  }
  const error = 'error' in answer ? answer.error : describeStatus(answer.status)
  // 410: the receiver is gone for good
  const isGone = answerStatus === 410
  const delayMs = retryDelaysMs[Math.min(attempts, retryDelaysMs.length) - 1]!
  if (attempts < limits.maxAttempts && !isGone) {
    const nextAttemptAt = clock.now() + delayMs
    await tx.settleDelivery(delivery, { status: 'waiting', answerStatus, error, nextAttemptAt })
    return
  }
  if (await tx.settleDelivery(delivery, { status: 'failed', answerStatus, error }))
    await countFailure(tx, deps, delivery, isGone)
}

const describeStatus = (status: number) =>
  status >= 300 && status < 400
    ? `Answered ${status}; redirects are not followed.`
    : `Answered ${status} in place of 2xx.`

async function countFailure(
  tx: StoreOperations,
  { limits }: WebhookDeps,
  { webhookId, scope }: DueDelivery,
  isGone: boolean,
): Promise<void> {
  const webhook = await tx.lockWebhook(scope, webhookId)
  const failures = webhook.failures + 1
  await tx.setWebhookFailures(webhookId, failures)
  if (webhook.status === 'paused' || (failures < limits.maxFailures && !isGone)) return
  const reason = isGone
    ? 'The receiver answered 410: it is gone.'
    : `${failures} deliveries in a row failed. Resume it when the receiver works again.`
  await tx.updateWebhook(scope, webhookId, { status: 'paused', reason })
  const actor = { type: 'system', id: 'webhooks' } as const
  const resource = { resourceType: 'webhook', resourceId: webhookId }
  await tx.recordAudit(scope, { actor, action: 'pause', ...resource, detail: { name: webhook.name, reason } })
  await tx.recordEvent(scope, { type: 'webhook-paused', data: { webhookId, name: webhook.name, reason } })
}

import { isOfType, passesFilter } from '../schedule/event-filter.ts'
import type { ScopeEvent } from '../../core/protocol/event.ts'
import type { WebhookRecord } from './store/webhooks.ts'
import { eventBody } from './event-body.ts'
import type { WebhookDeps } from './webhook-service.ts'

const eventsPerRead = 200

/**
 * Adds a delivery for each event that a webhook has not seen and is meant for. How far it has come moves on in the same
 * transaction, so that each event is added once and none is passed over after a crash. True when there may be more.
 */
export async function addNewDeliveries(
  { store, limits }: WebhookDeps,
  webhook: WebhookRecord,
): Promise<boolean> {
  const { scope } = webhook
  const free = limits.maxWaiting - (await store.countWaitingDeliveries(webhook.id))
  // the rest stays in the log of the scope until some of these are through
  if (free <= 0) return false
  // before the read: what is there by now is seen by it
  const { last } = await store.getEventRange(scope)
  const events = await store.listEvents(scope, { after: webhook.seenSeq, limit: eventsPerRead })
  const isWhole = events.length < eventsPerRead
  const wanted: ScopeEvent[] = []
  for (const event of events) if (await isWanted(store, webhook, event)) wanted.push(event)
  const added = wanted.slice(0, free)
  const next = wanted[free]
  // numbers without an event are those of events that are not kept any more
  const seenSeq = next ? next.seq - 1 : isWhole ? Math.max(last, webhook.seenSeq) : events.at(-1)!.seq
  const isOurs = await store.transaction(async (tx) => {
    if (!(await tx.advanceWebhook(webhook, seenSeq))) return false
    await tx.addDeliveries(
      webhook.id,
      added.map((event) => ({ seq: event.seq, type: event.type, body: eventBody(webhook, event) })),
    )
    return true
  })
  return isOurs && !isWhole && next === undefined
}

async function isWanted(
  store: WebhookDeps['store'],
  webhook: WebhookRecord,
  event: ScopeEvent,
): Promise<boolean> {
  if (!isOfType(webhook.event, event.type)) return false
  const session =
    event.sessionId === undefined || !Object.hasOwn(webhook.filter, 'label')
      ? undefined
      : await store.getSession(webhook.scope, event.sessionId)
  return passesFilter(webhook, event, session)
}

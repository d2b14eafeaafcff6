import { createHmac } from 'node:crypto'
import type { ScopeEvent } from '../../core/protocol/event.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type { WebhookRecord } from './store/webhooks.ts'

// receivers commonly refuse more than a few hundred kilobytes; what is left out can be read by the number of the event
const maxDataLength = 200_000

/** What is sent for an event: type, time and data as Standard Webhooks has them, and where it happened. */
export function eventBody(
  { id, scope }: WebhookRecord,
  { type, seq, sessionId, createdAt, data }: ScopeEvent,
): string {
  const text = JSON.stringify(data)
  const head = { type, timestamp: createdAt, webhookId: id, scope, seq, sessionId }
  return JSON.stringify(
    text.length > maxDataLength ? { ...head, data: {}, isDataOmitted: true } : { ...head, data },
  )
}

export const testBody = ({ id, scope }: WebhookRecord, sentBy: string, now: number): string =>
  JSON.stringify({
    type: 'webhook-test',
    timestamp: toTimestamp(now),
    webhookId: id,
    scope,
    data: { sentBy },
  })

/** The headers of Standard Webhooks: receivers check them with any of its libraries. */
export function signedHeaders(
  { id, body, secret }: { id: string; body: string; secret: string },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}

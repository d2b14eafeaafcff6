export interface WebhookTables {
  webhooks: WebhookRow
  webhook_deliveries: WebhookDeliveryRow
}

export interface WebhookRow {
  id: string
  scope: string
  name: string
  url: string
  event: string
  filter: string
  secret: string
  status: 'active' | 'paused'
  reason: string | null
  seen_seq: number
  failures: number
  created_at: number
  updated_at: number
}

export interface WebhookDeliveryRow {
  id: string
  webhook_id: string
  seq: number | null
  type: string
  body: string
  status: 'waiting' | 'delivered' | 'failed'
  attempts: number
  next_attempt_at: number
  answer_status: number | null
  error: string | null
  created_at: number
  ended_at: number | null
}

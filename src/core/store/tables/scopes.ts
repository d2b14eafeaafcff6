export interface ScopeTables {
  scopes: { name: string; root: string | null; event_seq: number; created_at: number }
  settings: { scope: string; key: string; value: string; updated_at: number }
  events: {
    scope: string
    seq: number
    type: string
    session_id: string | null
    data: string
    created_at: number
  }
  audit: {
    id: string
    scope: string
    actor_type: string
    actor_id: string
    action: string
    resource_type: string
    resource_id: string
    session_id: string | null
    result: 'success' | 'error' | 'denied'
    detail: string
    created_at: number
  }
  idempotency_keys: { scope: string; key: string; fingerprint: string; answer: string; created_at: number }
  usage_days: {
    scope: string
    day: string
    model: string
    kind: string
    calls: number
    input_tokens: number
    output_tokens: number
    cache_read_tokens: number
    cost: number | null
  }
}

import type { StoreSlice } from '../../../core/store/store-slice.ts'
import { webhookDeliveryQueries, type WebhookDeliveryQueries } from './webhook-deliveries.ts'
import { webhookQueries, type WebhookQueries } from './webhooks.ts'
import type { WebhookTables } from './tables.ts'

export const webhookStore: StoreSlice = {
  name: 'webhook',
  migrations: 'src/extensions/webhook/store/migrations',
  sharedThrough: 18,
  queries: [webhookDeliveryQueries, webhookQueries],
  restrict: ({ pauseActive }) => pauseActive('webhooks', 'webhook'),
}

declare module '../../../core/store/store.ts' {
  interface ExtensionQueries extends WebhookDeliveryQueries, WebhookQueries {}
}

declare module '../../../core/store/tables.ts' {
  interface ExtensionTables extends WebhookTables {}
}

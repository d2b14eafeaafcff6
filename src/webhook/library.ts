import {
  createWebhookSchema,
  deliveryListQuerySchema,
  updateWebhookSchema,
  webhookListQuerySchema,
  type Webhooks,
} from '../protocol/webhook.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { WebhookDeps } from './deps.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  retryDelivery,
  sendTest,
  updateWebhook,
} from './webhooks.ts'

/** The webhooks of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createWebhooks(deps: WebhookDeps, pages: PageLimits): Webhooks {
  const { store } = deps
  return {
    async create(input) {
      const { scope, ...fields } = check(createWebhookSchema, input)
      return createWebhook(store, deps, callerIn({ scope }), fields)
    },
    get: async (id, options) => getWebhook(store, callerIn(options), id),
    list: async (query = {}) =>
      listWebhooks(store, pages, callerIn(query), check(webhookListQuerySchema, query)),
    update: async (id, patch) =>
      updateWebhook(store, deps, callerIn(patch), id, check(updateWebhookSchema, patch)),
    delete: async (id, options) => deleteWebhook(store, callerIn(options), id),
    test: async (id, options) => sendTest(store, deps, callerIn(options), id),
    deliveries: async (id, query = {}) =>
      listDeliveries(store, pages, callerIn(query), id, check(deliveryListQuerySchema, query)),
    retry: async (id, deliveryId, options) => retryDelivery(store, callerIn(options), id, deliveryId),
  }
}

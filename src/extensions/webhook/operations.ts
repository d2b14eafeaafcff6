import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'
import {
  createWebhookSchema,
  deliveryListQuerySchema,
  updateWebhookSchema,
  webhookDeliveryPageSchema,
  webhookDeliverySchema,
  webhookListQuerySchema,
  webhookPageSchema,
  webhookSchema,
} from './protocol/webhook.ts'
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
import type { WebhookDeps } from './webhook-service.ts'

const webhooks = operationsOf<WebhookDeps>('webhooks')

export const webhookOperations = {
  /** Only this answer, and that of a change of the secret, contains the secret. */
  create: webhooks.write('POST', '/api/webhooks', {
    summary: 'Create a webhook: a URL that is called, signed and retried, when something happens',
    input: createWebhookSchema,
    output: webhookSchema,
    status: 201,
    returns: 'The webhook with its secret, which is not shown again',
    run: ({ tx, deps, caller }, _, input) => createWebhook(tx, deps, caller, input),
  }),
  /** Newest first. */
  list: webhooks.read('/api/webhooks', {
    summary: 'List webhooks, newest first',
    input: webhookListQuerySchema,
    output: webhookPageSchema,
    returns: 'A page of webhooks',
    run: ({ tx, pages, caller }, _, filter) => listWebhooks(tx, pages, caller, filter),
  }),
  get: webhooks.read('/api/webhooks/{id}', {
    summary: 'Get a webhook',
    output: webhookSchema,
    returns: 'The webhook, without its secret',
    run: ({ tx, caller }, { id }) => getWebhook(tx, caller, id),
  }),
  update: webhooks.write('PATCH', '/api/webhooks/{id}', {
    summary: 'Change a webhook, pause it, or resume it',
    input: updateWebhookSchema,
    output: webhookSchema,
    returns: 'The webhook as it is now',
    run: ({ tx, deps, caller }, { id }, patch) => updateWebhook(tx, deps, caller, id, patch),
  }),
  /** Deliveries that were waiting are not sent. */
  delete: webhooks.remove('/api/webhooks/{id}', {
    summary: 'Delete a webhook with its deliveries; those that were waiting are not sent',
    returns: 'Deleted',
    run: ({ tx, caller }, { id }) => deleteWebhook(tx, caller, id),
  }),
  /** Sends an event of the type `webhook-test`. */
  test: webhooks.write('POST', '/api/webhooks/{id}/test', {
    summary: 'Send an event of the type webhook-test',
    input: inScopeSchema,
    output: webhookDeliverySchema,
    status: 201,
    returns: 'The delivery, which is sent next',
    run: ({ tx, deps, caller }, { id }) => sendTest(tx, deps, caller, id),
  }),
  /** Newest first. */
  deliveries: webhooks.read('/api/webhooks/{id}/deliveries', {
    summary: 'List the deliveries of a webhook, newest first',
    input: deliveryListQuerySchema,
    output: webhookDeliveryPageSchema,
    returns: 'A page of deliveries',
    run: ({ tx, pages, caller }, { id }, filter) => listDeliveries(tx, pages, caller, id, filter),
  }),
  /** Sends one again that was delivered or given up. */
  retry: webhooks.write('POST', '/api/webhooks/{id}/deliveries/{deliveryId}/retry', {
    summary: 'Send a delivered or failed delivery again',
    input: inScopeSchema,
    output: webhookDeliverySchema,
    returns: 'The delivery, which is sent next',
    run: ({ tx, caller }, { id, deliveryId }) => retryDelivery(tx, caller, id, deliveryId),
  }),
}

/** URLs that are called when something happens: the same calls in the process and over HTTP. */
export type Webhooks = Calls<typeof webhookOperations>

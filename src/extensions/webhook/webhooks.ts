import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { conflict, invalidRequest, quote } from '../../core/protocol/error.ts'
import { toTimestamp } from '../../core/protocol/names.ts'
import type {
  CreateWebhook,
  DeliveryListQuery,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookListQuery,
  WebhookPage,
} from './protocol/webhook.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { requireLimit, type PageLimits } from '../../core/sessions/list.ts'
import type { DeliveryRecord } from './store/webhook-deliveries.ts'
import type { WebhookRecord } from './store/webhooks.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { hostOf, requireTarget } from '../../core/net/request-target.ts'
import { testBody } from './event-body.ts'
import type { WebhookDeps } from './webhook-service.ts'

type WebhookCaller = Pick<Caller, 'scope' | 'actor'>

/** Begins with what happens from now on. */
export function createWebhook(
  store: StoreOperations,
  deps: WebhookDeps,
  caller: WebhookCaller,
  input: Omit<CreateWebhook, 'scope'>,
): Promise<Webhook> {
  return store.transaction(async (tx) => {
    const { scope } = caller
    const url = requireUrl(deps, input.url)
    await tx.ensureScope(scope)
    const { maxPerScope } = deps.limits
    if ((await tx.countWebhooks(scope)) >= maxPerScope)
      throw conflict(
        `The scope ${quote(scope)} has ${maxPerScope} webhooks, the most (webhooks.maxPerScope).`,
      )
    const webhook = await tx.createWebhook({
      scope,
      name: input.name ?? url.host,
      url: url.href,
      event: input.event,
      filter: input.filter ?? {},
      secret: input.secret ?? `whsec_${randomBytes(32).toString('base64')}`,
      seenSeq: (await tx.getEventRange(scope)).last,
    })
    await audit(tx, caller, 'create', webhook, { url: webhook.url, event: webhook.event })
    return { ...toWebhook(webhook), secret: webhook.secret }
  })
}

export const getWebhook = async (
  store: StoreOperations,
  { scope }: WebhookCaller,
  id: string,
): Promise<Webhook> => toWebhook(await store.requireWebhook(scope, id))

export async function listWebhooks(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: WebhookCaller,
  { limit, cursor }: WebhookListQuery,
): Promise<WebhookPage> {
  const page = await store.listWebhooks(scope, { limit: requireLimit(limits, limit), cursor })
  return { ...page, items: page.items.map(toWebhook) }
}

/** Active again, it sends what is still waiting, and what happens from then on. */
export function updateWebhook(
  store: StoreOperations,
  deps: WebhookDeps,
  caller: WebhookCaller,
  id: string,
  { scope: _scope, url, status, ...patch }: UpdateWebhook,
): Promise<Webhook> {
  return store.transaction(async (tx) => {
    const { scope, actor } = caller
    const before = await tx.lockWebhook(scope, id)
    const isResumed = status === 'active' && before.status === 'paused'
    const isPaused = status === 'paused' && before.status === 'active'
    const webhook = await tx.updateWebhook(scope, id, {
      ...patch,
      status,
      url: url === undefined ? undefined : requireUrl(deps, url).href,
      ...(isResumed && { reason: null, failures: 0, seenSeq: (await tx.getEventRange(scope)).last }),
      ...(isPaused && { reason: `Paused by ${actor.id}.` }),
    })
    const fields = Object.entries({ ...patch, url, status }).flatMap(([key, value]) =>
      value === undefined ? [] : [key],
    )
    await audit(tx, caller, 'update', webhook, { fields, ...(url !== undefined && { url: webhook.url }) })
    return { ...toWebhook(webhook), ...(patch.secret !== undefined && { secret: webhook.secret }) }
  })
}

/** What was waiting is not sent any more. */
export function deleteWebhook(store: StoreOperations, caller: WebhookCaller, id: string): Promise<void> {
  return store.transaction(async (tx) => {
    const webhook = await tx.lockWebhook(caller.scope, id)
    await tx.deleteWebhook(caller.scope, id)
    await audit(tx, caller, 'delete', webhook)
  })
}

/** A delivery of its own, which goes out, is retried and is listed as any other. */
export function sendTest(
  store: StoreOperations,
  { clock }: WebhookDeps,
  caller: WebhookCaller,
  id: string,
): Promise<WebhookDelivery> {
  return store.transaction(async (tx) => {
    const webhook = await requireActive(tx, caller, id)
    const body = testBody(webhook, caller.actor.id, clock.now())
    const [delivery] = await tx.addDeliveries(id, [{ type: 'webhook-test', body }])
    await audit(tx, caller, 'test', webhook)
    return toDelivery(delivery!)
  })
}

export async function listDeliveries(
  store: StoreOperations,
  limits: PageLimits,
  { scope }: WebhookCaller,
  id: string,
  { limit, cursor, status }: DeliveryListQuery,
): Promise<WebhookDeliveryPage> {
  await store.requireWebhook(scope, id)
  const page = await store.listDeliveries(id, { limit: requireLimit(limits, limit), cursor, status })
  return { ...page, items: page.items.map(toDelivery) }
}

export function retryDelivery(
  store: StoreOperations,
  caller: WebhookCaller,
  id: string,
  deliveryId: string,
): Promise<WebhookDelivery> {
  return store.transaction(async (tx) => {
    const webhook = await requireActive(tx, caller, id)
    if ((await tx.requireDelivery(id, deliveryId)).status === 'waiting')
      throw conflict(`The delivery ${quote(deliveryId)} is waiting already; it will be sent.`)
    const delivery = await tx.restartDelivery(id, deliveryId)
    await audit(tx, caller, 'retry', webhook, { deliveryId })
    return toDelivery(delivery)
  })
}

async function requireActive(
  tx: StoreOperations,
  { scope }: WebhookCaller,
  id: string,
): Promise<WebhookRecord> {
  const webhook = await tx.lockWebhook(scope, id)
  if (webhook.status === 'paused')
    throw conflict(`The webhook ${quote(id)} is paused and sends nothing. Resume it first.`)
  return webhook
}

/** Refuses now what would be refused at every attempt. What a name leads to is checked when it is called. */
function requireUrl({ rules }: WebhookDeps, text: string): URL {
  const url = parseUrl(text)
  const host = hostOf(url)
  if (isIP(host) !== 0 && !rules.isAllowed(host, host))
    throw invalidRequest(
      `url: ${quote(host)} is not a public address. Name it in webhooks.allowPrivate to call it.`,
    )
  return url
}

function parseUrl(text: string): URL {
  try {
    return requireTarget(text)
  } catch (error) {
    throw invalidRequest(`url: ${(error as Error).message}`)
  }
}

export const toWebhook = ({
  secret: _secret,
  seenSeq: _seen,
  createdAt,
  updatedAt,
  ...rest
}: WebhookRecord): Webhook => ({
  ...rest,
  createdAt: toTimestamp(createdAt),
  updatedAt: toTimestamp(updatedAt),
})

const toDelivery = ({
  webhookId: _webhook,
  body: _body,
  nextAttemptAt,
  createdAt,
  endedAt,
  ...rest
}: DeliveryRecord): WebhookDelivery => ({
  ...rest,
  nextAttemptAt: rest.status === 'waiting' ? toTimestamp(nextAttemptAt) : undefined,
  createdAt: toTimestamp(createdAt),
  endedAt: endedAt === undefined ? undefined : toTimestamp(endedAt),
})

function audit(
  tx: StoreOperations,
  { scope, actor }: WebhookCaller,
  action: string,
  { id, name }: WebhookRecord,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const resource = { resourceType: 'webhook', resourceId: id }
  return tx.recordAudit(scope, { actor, action, ...resource, detail: { name, ...detail } })
}

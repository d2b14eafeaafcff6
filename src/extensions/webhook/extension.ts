import { defineExtension } from '../../core/extension.ts'
import { createAddressRules } from '../../core/net/address-rules.ts'
import { resolveBySystem } from '../../core/net/checked-request.ts'
import { amount, count, optionGroup, positiveCount, textList } from '../../core/protocol/options.ts'
import { schedule } from '../schedule/extension.ts'
import { defaultWebhookLimits, type WebhookDeps, type WebhookLimits } from './webhook-service.ts'
import { webhookOperations } from './operations.ts'
import { createWebhookSender } from './delivery-loop.ts'
import { webhookStore } from './store/slice.ts'

interface WebhookOptions {
  /** Bounds of webhooks, and private hosts, addresses and ranges that they may call; what is left out has its default. */
  webhooks?: Partial<WebhookLimits> & { allowPrivate?: readonly string[] }
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends WebhookOptions {}
}

/** URLs that are called when something happens. */
export const webhook = defineExtension<WebhookDeps>({
  name: 'webhook',
  store: webhookStore,
  // which events are meant
  needs: [schedule],
  options: {
    webhooks: optionGroup<NonNullable<WebhookOptions['webhooks']>>({
      maxPerScope: count,
      maxWaiting: count,
      maxAtOnce: positiveCount,
      timeoutMs: positiveCount,
      maxAttempts: positiveCount,
      maxFailures: positiveCount,
      keptDays: amount,
      allowPrivate: textList,
    }),
  },
  create({ store, clock, logger }, { options: { webhooks = {} } }) {
    const { allowPrivate = [], ...limits } = webhooks
    const service: WebhookDeps = {
      store,
      clock,
      rules: createAddressRules(allowPrivate),
      resolve: resolveBySystem,
      limits: { ...defaultWebhookLimits, ...limits },
    }
    const sender = createWebhookSender({ ...service, logger })
    return {
      service,
      operations: { webhooks: { operations: webhookOperations, deps: service } },
      start: () => sender.start(),
      stop: () => sender.stop(),
    }
  },
})

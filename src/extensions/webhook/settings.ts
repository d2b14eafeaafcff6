import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { privateHosts, wholeNumber } from '../../core/settings/values.ts'

export const webhookSettings = defineSettings({
  listedAfter: 'hooks',
  toOptions: ({ webhooks }) => ({ webhooks }),
  table: {
    'webhooks.allowPrivate': setting(privateHosts, {
      description:
        'Hosts, addresses and ranges (`10.0.0.0/8`) that webhooks may call although they are not public.',
      default: [],
      env: 'PARLEY_WEBHOOKS_ALLOW_PRIVATE',
    }),
    'webhooks.maxPerScope': setting(wholeNumber(0, 10_000), {
      description: 'Most webhooks of one scope.',
      default: 50,
    }),
    'webhooks.maxWaiting': setting(wholeNumber(1, 100_000), {
      description: 'Most deliveries of one webhook that wait; further events wait in the log of the scope.',
      default: 1_000,
    }),
    'webhooks.maxAtOnce': setting(wholeNumber(1, 1_000), {
      description: 'Most calls at a time, in one process.',
      default: 10,
    }),
    'webhooks.timeoutMs': setting(wholeNumber(100, 300_000), {
      description: 'How long a receiver may take to answer, in milliseconds.',
      default: 15_000,
    }),
    'webhooks.maxAttempts': setting(wholeNumber(1, 20), {
      description:
        'Attempts of one delivery: at once, after 5 s, 5 min, 30 min, 2 h, 5 h, and every 10 h from then on.',
      default: 8,
    }),
    'webhooks.maxFailures': setting(wholeNumber(1, 1_000), {
      description: 'After so many deliveries in a row that were given up, a webhook pauses.',
      default: 5,
    }),
    'webhooks.keptDays': setting(wholeNumber(1, 3_650), {
      description: 'For how many days finished deliveries stay listed.',
      default: 30,
    }),
  },
})

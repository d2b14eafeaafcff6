import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { wholeNumber } from '../../core/settings/values.ts'

export const documentSettings = defineSettings({
  listedAfter: 'permissions',
  toOptions: ({ documents, locks }) => ({ documents, locks }),
  table: {
    'documents.maxBytes': setting(wholeNumber(1_024, 10_485_760), {
      description: 'The most bytes of one document.',
      default: 1_048_576,
    }),
    'locks.ttlMs': setting(wholeNumber(1_000, 3_600_000), {
      description:
        'How long a lock on a document or todo list holds without a sign of its session, in milliseconds.',
      default: 300_000,
    }),
  },
})

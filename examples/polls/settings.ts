import { defineExtensionSettings, setting, z } from 'parley/extension'
import { defaultLimits } from './verbs.ts'

const error = 'a whole number from 2 to 100'

export const pollSettings = defineExtensionSettings({
  table: {
    maxChoices: setting(z.int({ error }).min(2, { error }).max(100, { error }), {
      description: 'The most choices of one poll.',
      default: defaultLimits.maxChoices,
    }),
  },
  toOptions: ({ maxChoices }) => ({ polls: { maxChoices } }),
})

import { defineSettings } from '../../core/settings/settings-slice.ts'
import { setting } from '../../core/settings/setting.ts'
import { model, onOff, wholeNumber } from '../../core/settings/values.ts'
import { memoryHookEvents } from './hook-events.ts'

export const memorySettings = defineSettings({
  listedAfter: 'permissions',
  hookEvents: {
    names: Object.keys(memoryHookEvents) as (keyof typeof memoryHookEvents)[],
    when: 'before memories are added to a prompt or stored',
  },
  toOptions: ({ memory }) => ({ memory }),
  table: {
    'memory.enabled': setting(onOff, {
      description: 'Add memories to turns, and let models store memories.',
      default: true,
      project: 'always',
    }),
    'memory.learn': setting(onOff, {
      description:
        'Learn from each turn, by two short model calls that are counted as `memory`, and one more for each document that ' +
        'was changed. The demo model learns nothing.',
      defaultText: 'on where `memory.model` is set',
      project: 'trusted',
    }),
    'memory.model': setting(model, {
      description: 'Model that learns, as `adapter/model`; a small one will do.',
      defaultText: 'the one that answered',
      project: 'trusted',
    }),
    'memory.embeddingModel': setting(model, {
      description:
        'Embedding model of an OpenAI-compatible provider, as `openai/model`: memories are found by meaning too.',
      project: 'trusted',
    }),
    'memory.shareUser': setting(onOff, {
      description: 'Use what is known of the user in one scope in all of them.',
      default: false,
    }),
    'memory.maxPerLayer': setting(wholeNumber(10, 5_000), {
      description:
        'Most memories of models for a scope, its user or a session; those that were not used for longest go first.',
      default: 2_000,
    }),
  },
})

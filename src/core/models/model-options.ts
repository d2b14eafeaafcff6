// apart from the registry, so that whoever checks options does not load adapters
import { z } from 'zod'
import { callable, optionGroup, text } from '../protocol/options.ts'
import type { ModelSettings, ProviderSettings } from './registry.ts'

const providerOptions = optionGroup<ProviderSettings>({ apiKey: text, baseUrl: text })

export const modelOptions = optionGroup<ModelSettings>({
  model: text,
  openai: providerOptions,
  anthropic: providerOptions,
  gemini: providerOptions,
  ollama: optionGroup<ModelSettings['ollama']>({ host: text }),
  fetch: callable,
  extra: z.record(z.string(), callable, {
    error: 'must be an object of functions that make adapters, by name',
  }),
})

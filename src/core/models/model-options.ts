// apart from the registry, so that whoever checks options does not load adapters
import { z } from 'zod'
import {
  callable,
  choice,
  oneByOne,
  filledText,
  optionGroup,
  requiredGroup,
  text,
} from '../protocol/options.ts'
import {
  isNewProviderName,
  isPlainUrl,
  modelFactsSchema,
  type ModelFacts,
  namedProviderKinds,
  providerNameRule,
} from '../protocol/models.ts'
import type { ModelSettings, NamedProvider, ProviderSettings } from './registry.ts'

const providerOptions = optionGroup<ProviderSettings>({ apiKey: text, baseUrl: text })

const namedProviders = z.record(
  z.string().refine(isNewProviderName, `must be an object whose names have ${providerNameRule}`),
  requiredGroup<NamedProvider>(
    {
      kind: choice(...namedProviderKinds),
      baseUrl: text.refine(isPlainUrl, 'must be an http:// or https:// URL without user name and password'),
      apiKey: filledText,
    },
    ['baseUrl'],
  ),
  { error: 'must be an object of providers by name' },
)

const factsOption = z.record(
  z.string(),
  oneByOne<ModelFacts>(() => modelFactsSchema),
  { error: 'must be an object of what is known of models, by id' },
)

export const modelOptions = optionGroup<ModelSettings>({
  model: text,
  openai: providerOptions,
  anthropic: providerOptions,
  gemini: providerOptions,
  ollama: optionGroup<ModelSettings['ollama']>({ host: text }),
  providers: namedProviders,
  facts: factsOption,
  fetch: callable,
  extra: z.record(z.string(), callable, {
    error: 'must be an object of functions that make adapters, by name',
  }),
})

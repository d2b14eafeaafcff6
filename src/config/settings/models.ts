import { maskText, maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import {
  expandVariables,
  httpUrl,
  modelFacts,
  namedProviders,
  numberFrom,
  ollamaHost,
  oneOf,
  prices,
  providerOptions,
  secretKey,
  stopTexts,
  wholeNumber,
} from '../../core/settings/values.ts'
import { reasoningEfforts } from '../../core/protocol/parameters.ts'

// as far as the protocol lets a session go
const maxSeed = Number.MAX_SAFE_INTEGER
const lower = 'Scopes, sessions and inputs can set another.'

export const modelSettings = {
  'openai.apiKey': setting(secretKey(), {
    description: 'Key for `openai/…` models.',
    env: 'OPENAI_API_KEY',
    secret: true,
  }),
  'openai.baseUrl': setting(httpUrl, {
    description: 'Address of an OpenAI-compatible server; `openai/…` then uses Chat Completions.',
    env: 'OPENAI_BASE_URL',
    mask: maskUrl,
  }),
  'anthropic.apiKey': setting(secretKey(), {
    description: 'Key for `anthropic/…` models.',
    env: 'ANTHROPIC_API_KEY',
    secret: true,
  }),
  'anthropic.baseUrl': setting(httpUrl, {
    description: 'Address of an Anthropic-compatible server.',
    env: 'ANTHROPIC_BASE_URL',
    mask: maskUrl,
  }),
  'gemini.apiKey': setting(secretKey(), {
    description: 'Key for `gemini/…` models.',
    env: 'GEMINI_API_KEY',
    secret: true,
  }),
  'ollama.host': setting(ollamaHost, {
    description: 'Address of the Ollama server behind `ollama/…` models.',
    env: 'OLLAMA_HOST',
    mask: maskUrl,
  }),
  'parameters.temperature': setting(numberFrom(0, 2), {
    description: `The temperature that models are asked with. Without it they have their own. ${lower}`,
    project: 'always',
  }),
  'parameters.topP': setting(numberFrom(0, 1), {
    description: `The share of likely words that models choose from. ${lower}`,
    project: 'always',
  }),
  'parameters.maxOutputTokens': setting(wholeNumber(1, 10_000_000), {
    description: `Maximum tokens of one reply. ${lower}`,
    project: 'always',
  }),
  'parameters.stop': setting(stopTexts, {
    description: `Texts before which an answer ends. ${lower}`,
    project: 'always',
  }),
  'parameters.seed': setting(wholeNumber(-maxSeed, maxSeed), {
    description: `The seed, for models that can repeat an answer. ${lower}`,
    project: 'always',
  }),
  'parameters.presencePenalty': setting(numberFrom(-2, 2), {
    description: `How much words that occurred are avoided. ${lower}`,
    project: 'always',
  }),
  'parameters.frequencyPenalty': setting(numberFrom(-2, 2), {
    description: `How much words are avoided that occurred often. ${lower}`,
    project: 'always',
  }),
  'parameters.reasoningEffort': setting(oneOf(...reasoningEfforts), {
    description: `How much models think before they answer. ${lower}`,
    project: 'always',
  }),
  'parameters.providerOptions': setting(providerOptions, {
    description:
      'By adapter, further fields of the body of its requests: `{openai: {service_tier: flex}}`. ' +
      'Scopes, sessions and inputs can set others.',
    project: 'trusted',
  }),
  providers: setting(namedProviders, {
    description:
      'Servers with names of their own, whose models are `name/model`: `{kind, baseUrl, apiKey}`. `kind` is `openai` ' +
      '(Chat Completions, the default) or `anthropic` (Messages); `${VARIABLE}` in a key is filled in. Only in your own file.',
    default: {},
    secret: true,
    mask: (providers) =>
      Object.fromEntries(
        Object.entries(providers).map(([name, { apiKey, baseUrl, ...provider }]) => [
          name,
          { ...provider, baseUrl: maskUrl(baseUrl), ...(apiKey && { apiKey: maskText(apiKey) }) },
        ]),
      ),
    byName: true,
    resolve: (providers, _toPath, env) =>
      Object.fromEntries(
        Object.entries(providers).map(([name, { apiKey, ...provider }]) => [
          name,
          { ...provider, ...(apiKey && { apiKey: expandVariables(apiKey, env) }) },
        ]),
      ),
  }),
  models: setting(modelFacts, {
    description:
      'What is known of models, by id: `{contextWindow, maxOutputTokens, input}`, where the list that comes with Parley ' +
      'has nothing or something else. `input` is what a model can be sent: text, image, pdf, audio, video.',
    default: {},
    byName: true,
    project: 'trusted',
  }),
  prices: setting(prices, {
    description:
      'Prices of models per million tokens, by id: `{input, output, cacheRead, cacheWrite}`; those of common providers are ' +
      'known. Required for cost budgets of other models.',
    default: {},
    byName: true,
    project: 'trusted',
  }),
}

import { maskUrl } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import { httpUrl, ollamaHost, prices, secretKey } from '../../core/settings/values.ts'

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
  prices: setting(prices, {
    description:
      'Prices of models per million tokens, by id: `{input, output, cacheRead}`. Required for cost budgets.',
    default: {},
    byName: true,
    project: 'trusted',
  }),
}

import { z } from 'zod'
import { flag, scopeSchema } from './names.ts'
import { wordings } from './wordings.ts'

const rateShape = {
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional().meta({ description: 'Of input that was in the cache; default: input' }),
  cacheWrite: z
    .number()
    .optional()
    .meta({ description: 'Of input that went into the cache; default: input' }),
}

export const modelPriceSchema = z
  .object({
    ...rateShape,
    tiers: z
      .array(z.object({ above: z.int(), ...rateShape }))
      .optional()
      .meta({
        description: 'What counts for all of a call with more tokens of input than this; the largest last',
      }),
  })
  .meta({ id: 'ModelPrice', description: 'For a million tokens' })
export type ModelPrice = z.infer<typeof modelPriceSchema>

export const modalities = ['text', 'image', 'pdf', 'audio', 'video'] as const

/** What is known of a model beside its name. */
const factsShape = {
  contextWindow: z.int().positive().optional().meta({ description: 'Tokens that it can take in' }),
  maxOutputTokens: z.int().positive().optional(),
  input: z.array(z.enum(modalities)).optional().meta({ description: 'What it can be sent' }),
  price: modelPriceSchema.optional(),
}
export const modelFactsSchema = z.strictObject(factsShape)
export type ModelFacts = z.infer<typeof modelFactsSchema>

export const modelSchema = z
  .object({
    id: z.string().meta({ example: 'openai/gpt-5.2' }),
    adapter: z.string(),
    available: z.boolean(),
    reason: z.string().optional().meta({ description: 'What to do about it when it is not available' }),
    ...factsShape,
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof modelSchema>

/** Those that are always there; each is the adapter of the same name. Others get a name of their own. */
export const providerNames = ['openai', 'anthropic', 'google', 'ollama'] as const
export type ProviderName = (typeof providerNames)[number]

/** What servers with a name of their own speak. */
export const namedProviderKinds = ['openai', 'anthropic'] as const
export type NamedProviderKind = (typeof namedProviderKinds)[number]
export const defaultProviderKind: NamedProviderKind = 'openai'

/** Adapters that are no provider, or another word for one. */
const takenNames: readonly string[] = [...providerNames, 'gemini', 'demo', 'default']

export const isBuiltInProvider = (name: string): name is ProviderName =>
  (providerNames as readonly string[]).includes(name)

/** It is the first part of model ids: `name/model`. */
export const isNewProviderName = (name: string): boolean =>
  /^[a-z0-9][a-z0-9_-]{0,31}$/.test(name) && !takenNames.includes(name) && !(name in {})

export const providerNameRule = `1 to 32 lower-case letters, digits, "-" and "_", and none of ${takenNames.join(', ')}`

export const providerSchema = z
  .object({
    name: z.string().meta({ example: 'openai' }),
    kind: z.enum(providerNames).meta({ description: 'What it speaks; of a built-in provider its own name' }),
    isBuiltIn: z.boolean().meta({ description: 'False where somebody added it under a name of its own' }),
    isConfigured: z.boolean().meta({ description: 'Whether its models can be asked' }),
    source: z.enum(['environment', 'stored', 'none']).meta({
      description: 'Where key and address come from; what the environment or a config file says wins',
    }),
    baseUrl: z
      .string()
      .optional()
      .meta({ description: 'Where it is not the address of the provider itself' }),
    error: z.string().optional().meta({ description: 'Why its models could not be listed' }),
  })
  .meta({ id: 'Provider' })
export type Provider = z.infer<typeof providerSchema>

export const providerListSchema = z
  .object({ items: z.array(providerSchema), nextCursor: z.null() })
  .meta({ id: 'ProviderList' })
export type ProviderList = z.infer<typeof providerListSchema>

export const testProviderSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    model: z.string().min(1).max(150).optional().meta({
      description: 'Sends this model of the provider a short message too, which costs a few tokens',
      example: 'gpt-6-astra',
    }),
  })
  .meta({ id: 'TestProvider' })
export type TestProvider = z.infer<typeof testProviderSchema>

export const providerTestSchema = z
  .object({
    name: z.string(),
    ok: z.boolean(),
    models: z.int().meta({ description: 'How many models it lists' }),
    error: z.string().optional().meta({ description: 'Why it failed' }),
    reply: z.string().optional().meta({ description: 'The beginning of what the model answered' }),
    ms: z.int().meta({ description: 'How long it took' }),
  })
  .meta({ id: 'ProviderTest' })
export type ProviderTest = z.infer<typeof providerTestSchema>

export const modelListSchema = z
  .object({
    items: z.array(modelSchema),
    default: z.string().meta({ description: 'The model of sessions of this scope that name none' }),
    providers: z.array(providerSchema),
    nextCursor: z.null(),
  })
  .meta({ id: 'ModelList' })
export type ModelList = z.infer<typeof modelListSchema>

export const modelListQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  refresh: flag.optional().meta({ description: 'Ask the providers again; default: what they said lately' }),
})

/** Anything else could not travel in an HTTP header. */
const apiKeySchema = z
  .string()
  .max(1_000)
  .regex(/^[\x21-\x7e]+$/, wordings.printable_ascii)
  .meta({ writeOnly: true })

const baseUrlSchema = z
  .string()
  .max(2_000)
  .refine(isPlainUrl, wordings.plain_url)
  .meta({ example: 'http://127.0.0.1:8080/v1' })

export const putProviderSchema = z
  .strictObject({
    kind: z.enum(namedProviderKinds).optional().meta({
      description: 'What a server with a name of its own speaks; default: openai, which is Chat Completions',
    }),
    apiKey: apiKeySchema.optional(),
    baseUrl: baseUrlSchema.optional(),
  })
  .meta({ id: 'PutProvider', description: 'Replaces what was stored; no answer ever holds the key' })
export type PutProvider = z.infer<typeof putProviderSchema>

export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && !/[?#\s]/.test(text)
}

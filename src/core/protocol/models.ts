import { z } from 'zod'
import { flag, scopeSchema } from './names.ts'
import { wordings } from './wordings.ts'

export const modelSchema = z
  .object({
    id: z.string().meta({ example: 'openai/gpt-5.2' }),
    adapter: z.string(),
    available: z.boolean(),
    reason: z.string().optional().meta({ description: 'What to do about it when it is not available' }),
  })
  .meta({ id: 'Model' })
export type Model = z.infer<typeof modelSchema>

/** Those whose keys and addresses can be set; each is the adapter of the same name. */
export const providerNames = ['openai', 'anthropic', 'google', 'ollama'] as const
export type ProviderName = (typeof providerNames)[number]

export const providerSchema = z
  .object({
    name: z.enum(providerNames),
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
  .strictObject({ apiKey: apiKeySchema.optional(), baseUrl: baseUrlSchema.optional() })
  .meta({ id: 'PutProvider', description: 'Replaces what was stored; no answer ever holds the key' })
export type PutProvider = z.infer<typeof putProviderSchema>

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && !/[?#\s]/.test(text)
}

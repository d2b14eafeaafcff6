import { z } from 'zod'
import { takesLarge } from '../../core/http/body-class.ts'
import { requireBody } from '../../core/http/body.ts'
import { readKey } from '../../core/http/idempotency.ts'
import { defineRoute, type RouteHost } from '../../core/http/contributions.ts'
import { json, jsonBody } from '../../core/http/responses.ts'
import {
  findEmbeddingServer,
  requestEmbeddings,
  type EmbeddingRequest,
  type Embeddings,
  type EmbeddingServer,
} from '../../core/models/embedding-request.ts'
import { ModelFault } from '../../core/models/fault.ts'
import type { ModelRegistry } from '../../core/models/registry.ts'
import { ParleyError, quote } from '../../core/protocol/error.ts'
import { inScopeSchema, scopeSchema } from '../../core/protocol/names.ts'
import { openAiErrorSchema, turnFailed } from './error.ts'
import { defaultName } from './models.ts'
import { refuseMisfit } from './request.ts'

// as OpenAI has it
const maxInputs = 2_048
const inputError = 'must be a text that is not empty, or a list of such texts; tokens are not taken'

const text = z.string(inputError).min(1, inputError)
const embeddingRequestSchema = z
  .looseObject({
    model: z
      .string()
      .min(1)
      .max(200)
      .meta({ description: '`default` is that of the setting memory.embeddingModel', example: 'default' }),
    input: z.union(
      [text, z.array(text).min(1, inputError).max(maxInputs, `must be at most ${maxInputs} texts`)],
      inputError,
    ),
    encoding_format: z.enum(['float', 'base64'], { error: 'must be "float" or "base64"' }).nullish(),
    dimensions: z.int().positive().max(100_000).nullish().meta({ description: 'Passed on to the provider' }),
    user: z.string().max(1_000).nullish(),
  })
  .meta({ id: 'EmbeddingRequest' })

const embeddingListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .meta({ description: 'Numbers, or the Base64 of 32-bit floats in little-endian order' }),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({ id: 'EmbeddingList' })

const problem = (description: string) => json(openAiErrorSchema, description)

const embed = defineRoute({
  method: 'post',
  path: '/v1/embeddings',
  ...takesLarge,
  summary: 'Turn texts into vectors, as OpenAI does, by the provider of the model',
  tags: ['openai'],
  request: {
    query: inScopeSchema,
    headers: z.object({
      'x-parley-scope': scopeSchema.optional().meta({ description: 'Goes before the query parameter' }),
    }),
    body: jsonBody(embeddingRequestSchema),
  },
  middleware: requireBody,
  responses: {
    200: json(embeddingListSchema, 'One vector for each text, in their order'),
    400: problem('The request is not valid, or the provider refused it'),
    401: problem('The API key is missing or wrong'),
    403: problem('The key or the origin has no access'),
    404: problem('There is no such embedding model'),
  },
})

export interface EmbeddingDeps {
  registry: Pick<ModelRegistry, 'providers'>
  /** The embedding model of the settings. */
  configured: string | undefined
  fetch: typeof globalThis.fetch | undefined
}

export function registerEmbeddings(host: RouteHost, deps: EmbeddingDeps): void {
  host.add(
    embed,
    async (c) => {
      // asking twice changes nothing, so that nothing is kept of a key
      readKey(c)
      const { model, input, encoding_format: format, dimensions, user } = c.req.valid('json')
      const server = findServer(deps, model)
      const request = {
        texts: typeof input === 'string' ? [input] : input,
        dimensions: dimensions ?? undefined,
        user: user ?? undefined,
        signal: c.req.raw.signal,
      }
      const { vectors, tokens = 0 } = await ask(server, request, deps.fetch)
      return c.json(
        {
          object: 'list' as const,
          data: vectors.map((vector, index) => ({
            object: 'embedding' as const,
            index,
            embedding: format === 'base64' ? toBase64(vector) : vector,
          })),
          model,
          // what a provider did not count is none, as in completions
          usage: { prompt_tokens: tokens, total_tokens: tokens },
        },
        200,
      )
    },
    { scopeIn: 'header', refuse: refuseMisfit },
  )
}

/** `default`, the name of the configured model without its provider, or any model of a provider. */
function findServer({ registry, configured }: EmbeddingDeps, model: string): EmbeddingServer {
  const isConfigured = model === defaultName || (configured?.endsWith(`/${model}`) ?? false)
  if (isConfigured && configured !== undefined) return findEmbeddingServer(registry, configured)
  try {
    return findEmbeddingServer(registry, model)
  } catch (error) {
    // a provider that is not set up is worth reporting
    if (!(error instanceof ParleyError) || error.code !== 'invalid_request') throw error
    const hint = configured === undefined ? ' No default is set (memory.embeddingModel).' : ''
    throw new ParleyError(
      'not_found',
      `There is no embedding model ${quote(model)}. ${error.message}${hint}`,
      {
        details: { param: 'model', reason: 'model_not_found' },
      },
    )
  }
}

async function ask(
  server: EmbeddingServer,
  request: EmbeddingRequest,
  fetch: EmbeddingDeps['fetch'],
): Promise<Embeddings> {
  try {
    return await requestEmbeddings(server, request, fetch)
  } catch (error) {
    if (error instanceof ModelFault)
      throw turnFailed(`model_${error.kind.replaceAll('-', '_')}`, error.message)
    throw error
  }
}

/** 32-bit floats in little-endian order, whatever the machine has. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

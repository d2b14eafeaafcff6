import { z } from 'zod'
import type { ProviderName } from '../protocol/models.ts'
import type { Clock } from '../shared/clock.ts'
import { withoutSlash, withVersion } from './base-url.ts'
import type { ConfiguredProvider, ProviderSettings } from './registry.ts'

/** The models that a provider lists. */
export interface ProviderModels {
  models: string[]
  /** Why there is no list; never holds a key or an address. */
  error?: string
}

export interface ModelLists {
  /** Never throws; returns the cached list unless a refresh is requested. */
  of(provider: ConfiguredProvider, options?: { refresh?: boolean }): Promise<ProviderModels>
}

export interface ModelListsOptions {
  clock: Clock
  /** Default: the global one. */
  fetch?: typeof fetch
  /** Default 3,000: a person waits for the list. */
  timeoutMs?: number
}

const keptMs = 5 * 60_000
// a provider that was down may be back soon, but must not delay every call
const failureKeptMs = 30_000
const maxModels = 500
// several times what the largest provider sends
const maxBytes = 8 * 1024 * 1024

interface Known {
  kind: ProviderName
  settings: ProviderSettings
  askedAt: number
  answer: Promise<ProviderModels>
  isFailure: boolean
}

export function createModelLists(options: ModelListsOptions): ModelLists {
  const { clock } = options
  const known = new Map<string, Known>()

  const isUsable = (
    { kind, settings, askedAt, isFailure }: Known,
    now: Pick<ConfiguredProvider, 'kind' | 'settings'>,
  ) =>
    kind === now.kind &&
    settings.apiKey === now.settings.apiKey &&
    settings.baseUrl === now.settings.baseUrl &&
    clock.now() - askedAt < (isFailure ? failureKeptMs : keptMs)

  return {
    async of({ name, kind, settings, isConfigured }, { refresh = false } = {}) {
      if (!isConfigured) return { models: [] }
      const lately = known.get(name)
      if (lately && !refresh && isUsable(lately, { kind, settings })) return lately.answer
      const entry: Known = {
        kind,
        settings,
        askedAt: clock.now(),
        answer: askProvider(kind, settings, options),
        isFailure: false,
      }
      known.set(name, entry)
      const answer = await entry.answer
      entry.isFailure = answer.error !== undefined
      return answer
    },
  }
}

interface ListRequest {
  url: string
  headers: Record<string, string>
  /** The names of models in an answer. */
  read(body: unknown): string[]
}

const dataSchema = z.object({ data: z.array(z.object({ id: z.string() })) })
const geminiSchema = z.object({
  models: z.array(z.object({ name: z.string(), supportedGenerationMethods: z.array(z.string()).optional() })),
})
const ollamaSchema = z.object({ models: z.array(z.object({ name: z.string() })) })

const readData = (body: unknown) => dataSchema.parse(body).data.map(({ id }) => id)

/** How each is asked. Keys go into headers only: an address ends up in logs. */
const requests: Record<ProviderName, (settings: ProviderSettings) => ListRequest> = {
  openai: ({ apiKey, baseUrl = 'https://api.openai.com/v1' }) => ({
    url: `${withoutSlash(baseUrl)}/models`,
    headers: { ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
    read: readData,
  }),
  anthropic: ({ apiKey, baseUrl = 'https://api.anthropic.com' }) => ({
    url: `${withVersion(baseUrl)}/models?limit=1000`,
    headers: { ...(apiKey && { 'x-api-key': apiKey }), 'anthropic-version': '2023-06-01' },
    read: readData,
  }),
  google: ({ apiKey = '', baseUrl = 'https://generativelanguage.googleapis.com/v1beta' }) => ({
    url: `${withoutSlash(baseUrl)}/models?pageSize=1000`,
    headers: { 'x-goog-api-key': apiKey },
    read: (body) =>
      geminiSchema
        .parse(body)
        .models.filter(
          ({ supportedGenerationMethods: methods }) => methods?.includes('generateContent') ?? true,
        )
        .map(({ name }) => name.replace(/^models\//, '')),
  }),
  ollama: ({ baseUrl = '' }) => ({
    url: `${withoutSlash(baseUrl).replace(/\/v\d$/, '')}/api/tags`,
    headers: {},
    read: (body) => ollamaSchema.parse(body).models.map(({ name }) => name),
  }),
}

async function askProvider(
  kind: ProviderName,
  settings: ProviderSettings,
  { fetch = globalThis.fetch, timeoutMs = 3_000 }: ModelListsOptions,
): Promise<ProviderModels> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const { url, headers, read } = requests[kind](settings)
    // a redirect would take the key along
    const response = await fetch(url, { headers, signal, redirect: 'manual' })
    if (!response.ok) {
      await response.body?.cancel()
      return { models: [], error: describeStatus(response.status) }
    }
    const names = read(JSON.parse(await readText(response)))
    return { models: [...new Set(names.filter(isName))].slice(0, maxModels) }
  } catch (error) {
    return { models: [], error: describeFailure(error, signal, timeoutMs) }
  }
}

/** It becomes part of ids, of pages and of log lines. */
const isName = (text: string) => /^[\x21-\x7e]{1,150}$/.test(text)

class TooLong extends Error {}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) throw new TooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const describeStatus = (status: number): string =>
  status === 401 || status === 403
    ? `It does not accept the key (${status}).`
    : status === 404
      ? 'It has no list of models at this address (404).'
      : status >= 300 && status < 400
        ? `It answered with a redirect (${status}), which is not followed: the key would go along.`
        : `It answered with the status ${status}.`

/** In words of our own: those of others may repeat what was sent. */
function describeFailure(error: unknown, signal: AbortSignal, timeoutMs: number): string {
  if (signal.aborted) return `It did not answer within ${timeoutMs / 1_000} seconds.`
  if (error instanceof TooLong) return 'Its list of models is too long.'
  if (error instanceof SyntaxError || error instanceof z.ZodError)
    return 'What it answered is no list of models.'
  const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code
  return `It could not be reached${code && /^[A-Z_]+$/.test(code) ? ` (${code})` : ''}.`
}

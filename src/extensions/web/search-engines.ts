import { z } from 'zod'
import { invalidRequest } from '../../core/protocol/error.ts'

export interface SearchResult {
  title: string
  url: string
  snippet: string
}

export interface SearchEngine {
  name: 'SearXNG' | 'Brave' | 'Tavily'
  /** Where questions go. */
  address: string
  search(query: string, count: number, signal: AbortSignal): Promise<SearchResult[]>
}

export interface SearchSettings {
  searxngUrl?: string
  braveKey?: string
  tavilyKey?: string
}

export interface EngineDeps {
  /** Default: that of the platform. */
  fetch?: typeof fetch
  /** Where the services are; only tests have others. */
  braveUrl?: string
  tavilyUrl?: string
}

/** The first that is set up: one's own before those that are paid for. Undefined when there is none. */
export function createSearchEngine(
  settings: SearchSettings,
  deps: EngineDeps = {},
): SearchEngine | undefined {
  const { searxngUrl, braveKey, tavilyKey } = settings
  if (searxngUrl !== undefined) return searxng(searxngUrl, deps)
  if (braveKey !== undefined) return brave(braveKey, deps)
  return tavilyKey === undefined ? undefined : tavily(tavilyKey, deps)
}

/** What that one is called; undefined when there is none. */
export const searchEngineName = (settings: SearchSettings = {}): SearchEngine['name'] | undefined =>
  createSearchEngine(settings)?.name

function searxng(baseUrl: string, deps: EngineDeps): SearchEngine {
  const address = new URL(`${baseUrl.replace(/\/+$/, '')}/search`)
  return {
    name: 'SearXNG',
    address: address.href,
    async search(query, count, signal) {
      const url = new URL(address)
      url.search = new URLSearchParams({ q: query, format: 'json' }).toString()
      const { results } = searxngAnswer.parse(await ask('SearXNG', deps, url, { signal }))
      return toResults(results, count, ({ content }) => content)
    },
  }
}

function brave(key: string, deps: EngineDeps): SearchEngine {
  const address = new URL('/res/v1/web/search', deps.braveUrl ?? 'https://api.search.brave.com')
  return {
    name: 'Brave',
    address: address.href,
    async search(query, count, signal) {
      const url = new URL(address)
      url.search = new URLSearchParams({ q: query, count: String(count) }).toString()
      const headers = { 'x-subscription-token': key }
      const { web } = braveAnswer.parse(await ask('Brave', deps, url, { headers, signal }))
      return toResults(web?.results ?? [], count, ({ description }) => description)
    },
  }
}

function tavily(key: string, deps: EngineDeps): SearchEngine {
  const address = new URL('/search', deps.tavilyUrl ?? 'https://api.tavily.com')
  return {
    name: 'Tavily',
    address: address.href,
    async search(query, count, signal) {
      const { results } = tavilyAnswer.parse(
        await ask('Tavily', deps, address, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query, max_results: count }),
          signal,
        }),
      )
      return toResults(results, count, ({ content }) => content)
    },
  }
}

const text = z.string().nullish()
const searxngAnswer = z.object({ results: z.array(z.object({ title: text, url: text, content: text })) })
const tavilyAnswer = searxngAnswer
const braveAnswer = z.object({
  web: z.object({ results: z.array(z.object({ title: text, url: text, description: text })) }).nullish(),
})

// twenty results take a hundredth of it
const maxAnswerBytes = 4 * 1_024 * 1_024

async function ask(name: string, deps: EngineDeps, url: URL, init: RequestInit): Promise<unknown> {
  const { fetch: fetchFrom = fetch } = deps
  // a redirect could carry the key elsewhere
  const response = await fetchFrom(url, {
    ...init,
    redirect: 'error',
    headers: { accept: 'application/json', ...init.headers },
  })
  if (!response.ok) {
    await response.body?.cancel()
    const message = `${name} answered ${response.status}${hints[`${name} ${response.status}`] ?? ''}.`
    throw mayPass(response.status) ? new Error(message) : invalidRequest(message)
  }
  try {
    return JSON.parse(await readBounded(response))
  } catch (cause) {
    throw new Error(`${name} answered something that is not the JSON of results.`, { cause })
  }
}

/** What is wrong with the question or the key is so at the next try too. */
const mayPass = (status: number) => status >= 500 || status === 408 || status === 429

const hints: Record<string, string> = {
  'SearXNG 403': ': its settings must list "json" under search.formats',
  'Brave 401': ': web.search.braveKey is not accepted',
  'Brave 422': ': web.search.braveKey is not accepted',
  'Brave 429': ': too many searches; try again later',
  'Tavily 401': ': web.search.tavilyKey is not accepted',
  'Tavily 429': ': too many searches; try again later',
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > maxAnswerBytes) throw new Error('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toResults<Found extends { title?: string | null; url?: string | null }>(
  found: readonly Found[],
  count: number,
  snippetOf: (result: Found) => string | null | undefined,
): SearchResult[] {
  return found
    .filter(({ url }) => /^https?:\/\//i.test(url ?? ''))
    .slice(0, count)
    .map((result) => ({
      title: toPlain(result.title, 300),
      url: result.url!.slice(0, 2_048),
      snippet: toPlain(snippetOf(result), 600),
    }))
}

/** Services highlight the search words, and write the rest as HTML. */
function toPlain(html: string | null | undefined, maxLength: number): string {
  return (html ?? '')
    .slice(0, 10_000)
    .replaceAll(/<\/?(strong|b|em|mark|span)\b[^<>]*>/gi, '')
    .replaceAll(
      /&(amp|lt|gt|quot|nbsp|#0?39|#x27);/gi,
      (_, name: string) => entities[name.toLowerCase()] ?? '',
    )
    .replaceAll('\0', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed()
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
  '#039': "'",
  '#x27': "'",
}

import type { ModelServer } from './adapter.ts'

/** An address to put a path behind. */
export const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url)

/** The address with the version of its API, for variables that are commonly given without it. */
export function withVersion(url: string): string {
  const base = withoutSlash(url)
  return /\/v\d$/.test(base) ? base : `${base}/v1`
}

/** Undefined for what is no address: the request will say so. */
export function toServer(url: string): ModelServer | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, hostname, port } = new URL(url)
  return {
    address: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  }
}

/** OpenAI itself, where its own names for things are known; servers that copy it refuse some of them. */
export const isOpenAi = (url: string) => /^([\w.-]+\.)?openai(\.azure)?\.com$/.test(new URL(url).hostname)

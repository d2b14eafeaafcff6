/** An address to put a path behind. */
export const withoutSlash = (url: string) => (url.endsWith('/') ? url.slice(0, -1) : url)

/** The address with the version of its API, for variables that are commonly given without it. */
export function withVersion(url: string): string {
  const base = withoutSlash(url)
  return /\/v\d$/.test(base) ? base : `${base}/v1`
}

/** OpenAI itself, where its own names for things are known; servers that copy it refuse some of them. */
export const isOpenAi = (url: string) => /^([\w.-]+\.)?openai(\.azure)?\.com$/.test(new URL(url).hostname)

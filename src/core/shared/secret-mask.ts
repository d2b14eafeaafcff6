/**
 * Hides secrets in texts that somebody else wrote: the log, errors of providers and of other servers.
 *
 * A secret of `wholeLength` characters or more is hidden wherever it is, also as JSON, as part of a URL, and in Base64. A
 * shorter one, as `x` or `none` for a local server that requires any key, is part of ordinary words and ids: it is hidden
 * only where a secret is expected, after `Bearer`, in `api_key=…` or `"token": "…"`, or as the password of a URL.
 */
export function createSecretMask(secrets: readonly string[], mark = '••••'): (text: string) => string {
  const given = [...new Set(secrets)].filter((secret) => secret !== '')
  const long = given.filter(({ length }) => length >= wholeLength).flatMap(formsOf)
  const short = given.filter(({ length }) => length < wholeLength).flatMap(writtenForms)
  const places = short.length === 0 ? undefined : placesOf(short)

  return (text) => {
    const found: Range[] = [...new Set(long)].flatMap((form) => occurrences(text, form))
    if (places)
      for (const match of text.matchAll(places)) found.push(match.indices!.groups!['secret'] as Range)
    return replaceRanges(text, found, mark)
  }
}

export const wholeLength = 8

type Range = [start: number, end: number]

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1)

/** As it is, in JSON, and in JSON that is quoted in JSON. */
const writtenForms = (secret: string): string[] => [
  secret,
  escapeJson(secret),
  escapeJson(escapeJson(secret)),
]

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const inUrl = [encoded, encodeStrictly(encoded), inForm(secret)]
  return [...writtenForms(secret), ...inUrl, ...inUrl.map(lowerEscapes), ...base64Forms(secret)]
}

/** RFC 3986 has more reserved characters than `encodeURIComponent` knows of. */
const encodeStrictly = (encoded: string) =>
  encoded.replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

const inForm = (secret: string) => new URLSearchParams({ '': secret }).toString().slice(1)

const lowerEscapes = (encoded: string) =>
  encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())

/**
 * In Base64 three bytes are four characters, so a secret looks different depending on what is before it, as the user is in
 * `user:secret`. Of each of the three forms only what the secret alone decides is taken.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    const start = Math.ceil((offset * 4) / 3)
    const end = Math.floor(((offset + bytes.length) * 4) / 3)
    const certain = text.slice(start, end)
    return certain.length < wholeLength ? [] : [certain, certain.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** One expression for all short secrets. Each is a whole value there, never the beginning of a longer one. */
function placesOf(secrets: readonly string[]): RegExp {
  const any = secrets
    .toSorted((one, two) => two.length - one.length)
    .map((secret) => secret.replaceAll(/[^\w\s]/g, '\\$&'))
    .join('|')
  const value = `(?<secret>${any})(?![\\w%+/~-]|\\.\\w)`
  const quote = `(?:\\\\*["'])?`
  const named = `(?:key|token|secret|passw(?:or)?d|authorization|credentials?)(?: \\w{1,20}){0,2}${quote}\\s{0,4}[:=]\\s{0,4}${quote}`
  const scheme = `\\b(?:bearer|basic|token)\\s{1,4}${quote}`
  const inUrl = `://[^\\s:/?#@]{0,200}:`
  return new RegExp(`(?<=${named}|${scheme})${value}|(?<=${inUrl})(?<secret>${any})(?=@)`, 'dgi')
}

function occurrences(text: string, part: string): Range[] {
  const found: Range[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    found.push([at, at + part.length])
  return found
}

/** Ranges that touch or overlap become one mark: replacing one secret after another would leave the rest of the second. */
function replaceRanges(text: string, ranges: Range[], mark: string): string {
  if (ranges.length === 0) return text
  let shown = ''
  let at = 0
  let hiddenTo = -1
  for (const [start, end] of ranges.toSorted(([one], [two]) => one - two)) {
    if (start > hiddenTo) shown += text.slice(at, start) + mark
    hiddenTo = Math.max(hiddenTo, end)
    at = hiddenTo
  }
  return shown + text.slice(at)
}

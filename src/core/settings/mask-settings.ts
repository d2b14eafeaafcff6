// shorter secrets would be half given away by their end
const minLengthToShowEnd = 12

/** `••••` and, for a secret that is long enough, its last four characters: enough to distinguish two keys. */
export function maskText(secret: string): string {
  const characters = [...secret]
  return `••••${characters.length >= minLengthToShowEnd ? characters.slice(-4).join('') : ''}`
}

/** A URL with its password, and whatever its query calls a password, key, secret or token, masked. */
export function maskUrl(text: string): string {
  return text
    .replace(
      passwordInUrl,
      (_, before: string, password: string) => `${before}${maskText(decode(password))}@`,
    )
    .replace(/\?[^#]*/, (query) => query.replaceAll(/[^?&]+/g, maskParameter))
}

/** Variables or headers as they may be shown: their names alone. */
export const maskFields = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, maskText(value)]))

/** A program as it may be shown: people put keys into arguments. */
export const maskCommand = ([program = '', ...args]: readonly string[]): string[] => [
  program,
  ...args.map(maskText),
]

// up to the last @ of all, because a URL that is refused for a raw slash in its password is quoted too
const passwordInUrl = /^([a-z][a-z0-9+.-]*:\/\/[^:/?#]*:)(.*)@/is

function maskParameter(parameter: string): string {
  const [[name, value] = ['', '']] = new URLSearchParams(parameter)
  return /pass|key|secret|token/i.test(name) ? `${name}=${maskText(value)}` : parameter
}

/** So that the end that is shown is the end of the password, not of an escape. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a stray % is allowed in a URL
  }
}

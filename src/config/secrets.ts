import { maskConfig } from './print-config.ts'
import type { Config } from './settings.ts'

/** Every text of the configuration that is masked when it is shown, and the passwords in its addresses. */
export function secretsOf(config: Config): string[] {
  const found = new Set<string>()
  collect(config, maskConfig({ config }), found)
  return [...found].filter((text) => text !== '')
}

function collect(value: unknown, masked: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (value !== masked) for (const text of [value, ...secretParts(value)]) found.add(text)
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value))
      collect(inner, (masked as Record<string, unknown> | undefined)?.[key], found)
}

/** An address may be quoted in part. */
function secretParts(text: string): string[] {
  const url = URL.parse(text)
  if (!url || !text.includes('://')) return []
  const { password, searchParams } = url
  return [password, tryDecode(password), ...searchParams.values()]
}

function tryDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a stray % is allowed in a URL
  }
}

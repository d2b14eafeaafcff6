import { isHttp, type McpServerSettings } from './server-settings.ts'

const secretName = /key|token|secret|pass|auth|credential/i

/** What a server is given to show who we are, and may repeat where it complains. */
export function secretsIn(settings: McpServerSettings): string[] {
  const given = isHttp(settings)
    ? [...Object.values(settings.headers ?? {}), ...inUrl(settings.url)]
    : Object.entries(settings.env ?? {}).flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  // "Bearer …" is repeated without its first word as well
  return given.flatMap((value) => [value, ...value.split(' ').slice(1)])
}

function inUrl(text: string): string[] {
  const url = URL.parse(text)
  if (!url) return []
  const parameters = [...url.searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : []))
  return [url.password, ...parameters]
}

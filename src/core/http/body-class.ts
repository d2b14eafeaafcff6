import type { OpenAPIHono } from '@hono/zod-openapi'
import type { AppEnv } from './request-environment.ts'

/**
 * How large a body a route takes. A route without a class takes a small one; `large` is for texts, files and lists
 * that do not fit into that, `document` for imports, which are read in a thread of their own, `file` for what its route reads itself.
 */
export type BodyClass = 'small' | 'large' | 'document' | 'file'

/** What a route is declared with: stands in the OpenAPI document too. */
export const takesLarge = { 'x-body': 'large' } as const
export const takesImport = { 'x-body': 'document' } as const
export const takesFile = { 'x-body': 'file' } as const

export const defaultJsonBytes = 1_048_576
export const defaultJsonValues = 75_000

export interface BodyLimit {
  bytes: number
  /** The name of the setting. */
  setting: string
}

export function limitOf(
  kind: BodyClass,
  { bodyBytes, jsonBytes = defaultJsonBytes }: ServerLimits,
): BodyLimit {
  return kind === 'small' && jsonBytes < bodyBytes
    ? { bytes: jsonBytes, setting: 'limits.jsonBytes' }
    : { bytes: bodyBytes, setting: 'limits.bodyBytes' }
}

/** Finds what the route of a request is declared with. Routes are added after this is made, so they are read at the first request. */
export function createBodyClasses(app: OpenAPIHono<AppEnv>): (method: string, path: string) => BodyClass {
  let declared: { method: string; pattern: RegExp; kind: BodyClass }[] | undefined
  return (method, path) => {
    declared ??= app.openAPIRegistry.definitions.flatMap((definition) => {
      if (definition.type !== 'route') return []
      const { 'x-body': kind } = definition.route as { 'x-body'?: BodyClass }
      if (kind === undefined) return []
      const pattern = new RegExp(`^${definition.route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return { method: definition.route.method.toUpperCase(), pattern, kind }
    })
    return declared.find((one) => one.method === method && one.pattern.test(path))?.kind ?? 'small'
  }
}

export interface ServerLimits {
  /** Of the largest bodies: imports, files, long texts. */
  bodyBytes: number
  /** Of all others. Default 1 MiB. */
  jsonBytes?: number
  jsonDepth: number
  /** Values in one body. Default 75,000. */
  jsonValues?: number
  pageSize: number
}

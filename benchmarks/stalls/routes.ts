import type { Target } from './target.ts'

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: unknown }>>
}

/** Every route that takes a body, from the document that the server gives of itself. */
export async function routesWithBody(target: Target): Promise<{ method: string; path: string }[]> {
  const { paths } = (await (await target.send('GET', '/openapi.json')).json()) as OpenApi
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody === undefined
        ? []
        : { method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, target.sessionId) },
    ),
  )
}

import { readFileSync } from 'node:fs'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { pageSource, type ServerContributions } from '../../core/http/contributions.ts'
import type { AppEnv } from '../../core/http/request-environment.ts'

/**
 * The modules that draw pages of extensions, from the origin of the workbench: its policy lets it load no others. A browser
 * sends no key with an import, so they are open to everybody, as the workbench is. Each is one file, and nothing beside it
 * is served. They are read when the server starts, as its own code is: what is put in their place later is not run.
 */
export function extensionPageRoutes(app: OpenAPIHono<AppEnv>, pages: ServerContributions['pages']): void {
  for (const { name, module } of pages) {
    const text = readFileSync(module, 'utf8')
    app.get(`/${pageSource(name)}`, (c) =>
      c.body(text, 200, {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Cache-Control': 'no-cache',
      }),
    )
  }
}

import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../core/http/request-environment.ts'
import type { SealedSessions } from '../core/http/sealed-sessions.ts'

// what is no id is refused by its route, and need not reach the store
const places = /^\/api\/(sessions|runs)\/([\w-]+)/

/** Whatever belongs to a sealed session: also who changes it, or adds to it, would learn of it. */
export function refuseSealed(sealed: SealedSessions): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const [, noun, id] = places.exec(c.req.path) ?? []
    if (id !== undefined) await sealed.refuse(noun === 'runs' ? { runId: id } : { sessionId: id })
    return next()
  }
}

import type { MiddlewareHandler } from 'hono'
import { requireUnsealed } from '../extensions/room/sealed.ts'
import type { AppEnv, ServerDeps } from './environment.ts'

// what is no id is refused by its route, and need not reach the store
const places = /^\/api\/(sessions|runs)\/([\w-]+)/

/** Whatever belongs to the agents of a room: also who changes it, or adds to it, would learn of it or cheat. */
export function guardSeats({
  store,
  services: { rooms },
}: Pick<ServerDeps, 'store' | 'services'>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const [, noun, id] = places.exec(c.req.path) ?? []
    if (id !== undefined)
      await requireUnsealed(store, rooms, noun === 'runs' ? { runId: id } : { sessionId: id })
    return next()
  }
}

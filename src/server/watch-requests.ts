import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Watchers } from '../core/watch/watcher.ts'
import type { AppEnv } from '../core/http/request-environment.ts'

/** Notifies watchers of each request. A stream is measured until it begins. */
export function watchRequests(watchers: Watchers | undefined): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const watch = watchers?.request({
      requestId: c.get('requestId'),
      method: c.req.method,
      get url() {
        return c.req.url
      },
      header: (name) => c.req.header(name),
    })
    if (!watch) return next()
    await watch.within(next)
    watch.end({ route: routePath(c, -1), status: c.res.status })
  }
}

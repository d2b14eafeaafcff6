import { OpenAPIHono } from '@hono/zod-openapi'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { authenticate, type ApiKey } from './authenticate.ts'
import { createBodyClasses } from '../core/http/body-class.ts'
import { checkBody } from '../core/http/body.ts'
import type { AppEnv } from '../core/http/request-environment.ts'
import { createSealedSessions } from '../core/http/sealed-sessions.ts'
import { mountContributions } from './contributed-routes.ts'
import { answerErrors, answerMethodNotAllowed, answerNotFound, refuseInvalid } from './errors.ts'
import { guardBrowser, type GuardSettings } from './check-origin.ts'
import { operationRoutes } from './operation-routes.ts'
import { chatRoutes } from './routes/chat.ts'
import { docsRoutes } from './routes/docs.ts'
import { eventRoutes } from './routes/events.ts'
import { exportAllRoutes } from './routes/export-all.ts'
import { exportImportRoutes } from './routes/export-import.ts'
import { extensionPageRoutes } from './routes/extension-pages.ts'
import { importFileRoutes } from './routes/import-file.ts'
import { healthRoutes } from './routes/health.ts'
import { refuseSealed } from './refuse-sealed.ts'
import type { ServerDeps } from './server-deps.ts'
import { watchRequests } from './watch-requests.ts'
import { diagramPath, workbenchRoutes } from './routes/workbench.ts'

export interface AppSettings extends GuardSettings {
  apiKeys: ApiKey[]
  /** The folder of the built workbench. */
  workbenchDir?: string
}

/**
 * The HTTP surface as web-standard handlers. A request passes, in this order: id, metrics, headers, Host and Origin,
 * key, body; only then a route sees it.
 */
export function createApp(deps: ServerDeps, settings: AppSettings): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid })
  const ids = countRequests()
  const { routes, seals, pages } = deps.contributions
  const sealed = createSealedSessions(deps.store, seals)
  // the nearest one counts
  const errorShapes = routes
    .flatMap(({ errors }) => errors ?? [])
    .toSorted((one, other) => other.under.length - one.under.length)
  app.onError(answerErrors(deps.logger, errorShapes))
  app.notFound(answerNotFound(errorShapes))

  app.use(async (c, next) => {
    const requestId = ids()
    c.set('requestId', requestId)
    c.header('X-Request-Id', requestId)
    await next()
  })
  app.use(deps.metrics.measure)
  app.use(watchRequests(deps.watchers))
  app.use(contentSecurity)
  app.use(guardBrowser(settings, routes))
  app.use(authenticate(settings.apiKeys, deps))
  app.use(methodNotAllowed({ app, onMethodNotAllowed: answerMethodNotAllowed(errorShapes) }))
  app.use(checkBody(deps.limits, createBodyClasses(app)))
  app.use(refuseSealed(sealed))

  operationRoutes(app, { ...deps, sealed }, deps.operations)
  // what streams, and what is no JSON
  exportImportRoutes(app, deps)
  exportAllRoutes(app, deps, sealed)
  importFileRoutes(app, deps)
  chatRoutes(app, deps)
  eventRoutes(app, deps)
  healthRoutes(app, deps)
  docsRoutes(app, deps)
  workbenchRoutes(app, settings.workbenchDir, { hasPages: pages.length > 0 })
  extensionPageRoutes(app, pages)
  // last, so that they see every path already in use
  mountContributions(app, { ...deps, sealed }, routes)
  return app
}

// Swagger UI and diagrams style their elements inline
const stylesInline = ['/docs', diagramPath]

const contentSecurity = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: [(c) => (stylesInline.includes(c.req.path) ? "'self' 'unsafe-inline'" : "'self'")],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: [(c) => (c.req.path === diagramPath ? "'none'" : "'self'")],
    frameSrc: ["'self'"],
    formAction: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: [(c) => (c.req.path === diagramPath ? "'self'" : "'none'")],
  },
  // for browsers that do not know frame-ancestors; the others go by that alone
  xFrameOptions: 'DENY',
  referrerPolicy: 'no-referrer',
  // this server is plain HTTP; the proxy in front of it decides about HTTPS
  strictTransportSecurity: false,
})

/** Short, in order, and different for every start: enough to find a request in the log. */
function countRequests(): () => string {
  const start = Date.now().toString(36)
  let count = 0
  return () => `req_${start}${(++count).toString(36).padStart(4, '0')}`
}

import { OpenAPIHono } from '@hono/zod-openapi'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { secureHeaders } from 'hono/secure-headers'
import { authenticate, type ApiKey } from './auth.ts'
import { createBodyClasses } from './body-class.ts'
import { checkBody } from './body.ts'
import type { AppEnv, ServerDeps } from './environment.ts'
import { answerErrors, answerMethodNotAllowed, answerNotFound, refuseInvalid } from './errors.ts'
import { guardBrowser, type GuardSettings } from './guard.ts'
import type { RegisterMcp } from '../extensions/mcp/server/handler.ts'
import { mcpRoutes } from '../extensions/mcp/server/routes.ts'
import { operationRoutes } from './operation-routes.ts'
import { openAiRoutes } from '../extensions/openai/routes.ts'
import { chatRoutes } from './routes/chat.ts'
import { chatMessageRoutes } from './routes/chat-message.ts'
import { docsRoutes } from './routes/docs.ts'
import { documentRoutes } from '../extensions/documents/document-routes.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { roomChatRoutes } from '../extensions/room/room-chat-route.ts'
import { guardSeats } from './sealed.ts'
import { watchRequests } from './watch-requests.ts'
import { diagramPath, workbenchRoutes } from './routes/workbench.ts'

export interface AppSettings extends GuardSettings {
  apiKeys: ApiKey[]
  /** The folder of the built workbench. */
  workbenchDir?: string
  /** For tests alone: what the conformance suite calls, on the MCP server as it is. */
  mcpFixtures?: RegisterMcp
}

/**
 * The HTTP surface as web-standard handlers. A request passes, in this order: id, metrics, headers, Host and Origin,
 * key, body; only then a route sees it.
 */
export function createApp(deps: ServerDeps, settings: AppSettings): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid })
  const ids = countRequests()
  app.onError(answerErrors(deps.logger))
  app.notFound(answerNotFound)

  app.use(async (c, next) => {
    const requestId = ids()
    c.set('requestId', requestId)
    c.header('X-Request-Id', requestId)
    await next()
  })
  app.use(deps.metrics.measure)
  app.use(watchRequests(deps.watchers))
  app.use(contentSecurity)
  app.use(guardBrowser(settings))
  app.use(authenticate(settings.apiKeys, deps))
  app.use(methodNotAllowed({ app, onMethodNotAllowed: answerMethodNotAllowed }))
  app.use(checkBody(deps.limits, createBodyClasses(app)))
  app.use(guardSeats(deps))

  operationRoutes(app, deps, deps.operations)
  // what streams, and what is no JSON
  documentRoutes(app, deps)
  chatRoutes(app, deps)
  chatMessageRoutes(app, deps)
  eventRoutes(app, deps)
  roomChatRoutes(app, deps)
  openAiRoutes(app, deps)
  mcpRoutes(app, deps, settings.mcpFixtures)
  healthRoutes(app, deps)
  docsRoutes(app, deps)
  workbenchRoutes(app, settings.workbenchDir)
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
  // this server speaks plain HTTP; the proxy in front of it decides about HTTPS
  strictTransportSecurity: false,
})

/** Short, in order, and different for every start: enough to find a request in the log. */
function countRequests(): () => string {
  const start = Date.now().toString(36)
  let count = 0
  return () => `req_${start}${(++count).toString(36).padStart(4, '0')}`
}

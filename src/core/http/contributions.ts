import type { RouteConfig, RouteHandler } from '@hono/zod-openapi'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { ParleyError } from '../protocol/error.ts'
import type { Caller } from '../sessions/caller.ts'
import type { Clock } from '../shared/clock.ts'
import type { AppEnv } from './request-environment.ts'
import type { SealedSessions, SessionSeal } from './sealed-sessions.ts'
import type { ServerLimits } from './body-class.ts'

/** What extensions add to the server that is put on top of a Parley. */
export interface ServerContributions {
  routes: readonly RouteContribution[]
  seals: readonly SessionSeal[]
  metrics: readonly MetricContribution[]
  /** Modules of the workbench, by the extension that has them. */
  pages: readonly { name: string; module: URL }[]
}

/** Where the page of an extension is served, seen from the workbench. */
export const pageSource = (extension: string): string => `extensions/${extension}/page.js`

/** Routes of an extension: those that stream, that are no JSON, or that speak as other programs expect it. */
export interface RouteContribution {
  /** Of the extension, for messages about its routes. */
  name: string
  /** Adds the routes; called once for each server. */
  register(host: RouteHost): void
  /** For clients that read errors in another shape than that of Parley. */
  errors?: ErrorShape
  /** What pages of allowed origins may send to these routes and read from them, beside what holds for all. */
  browserHeaders?: { request?: readonly string[]; response?: readonly string[] }
}

/**
 * Where routes are added. Before a handler runs, the server has done what holds for every request: id, metrics, span,
 * headers, Host and Origin, key, size and form of the body, sealed sessions; then the schemas of the route, and the scope.
 * Whatever a handler throws becomes an answer of the one error shape, or of that of its contribution.
 */
export interface RouteHost {
  /** Adds a route with its entry in the OpenAPI document. */
  add<Route extends RouteConfig>(
    route: Route,
    answer: (c: ContextOf<Route>, caller: Caller) => ReturnType<RouteHandler<Route, AppEnv>>,
    options?: RouteOptions,
  ): void
  /** Adds a path of another protocol, which is in no OpenAPI document. Its scope comes as with `scopeIn: 'header'`. */
  addUndescribed(
    methods: readonly ('GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE')[],
    path: string,
    answer: (c: Context<AppEnv>, caller: Caller) => Response | Promise<Response>,
  ): void
  limits: ServerLimits
  sealed: SealedSessions
  clock: Clock
  logger: Logger
  /** Of the program that serves. */
  version: string
}

export interface RouteOptions {
  /** `body`, the default: its field `scope`. `header`: `X-Parley-Scope`. With neither, the query parameter `scope`. */
  scopeIn?: 'body' | 'header'
  /** Called for values that do not fit their schema, to throw something of its own. */
  refuse?: (result: { success: boolean; error?: unknown; data?: unknown }) => undefined
}

type ContextOf<Route extends RouteConfig> = Parameters<RouteHandler<Route, AppEnv>>[0]

export interface ErrorShape {
  /** What the paths begin with: `/v1/`. Nobody else may have a route there, unless it has errors of its own for a longer beginning. */
  under: string
  toBody(error: ParleyError): object
  toHeaders?(error: ParleyError): Record<string, string>
}

/** A figure at `/metrics`. */
export interface MetricContribution {
  name: string
  help: string
  type: 'counter' | 'gauge'
  /** The names of its labels; none when left out. */
  labels?: readonly string[]
  /** Called at every scrape. A metric that throws is left out of it. */
  read(): readonly MetricSample[] | Promise<readonly MetricSample[]>
}

export interface MetricSample {
  labels?: Record<string, string>
  value: number
}

/** Keeps the types of a route together with its schemas. Loads nothing: a program without a server needs no router. */
export const defineRoute = <Path extends string, Route extends Omit<RouteConfig, 'path'> & { path: Path }>(
  route: Route,
): Route => route

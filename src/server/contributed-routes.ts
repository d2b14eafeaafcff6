import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Handler } from 'hono'
import { type AppEnv, callerIn } from '../core/http/request-environment.ts'
import type { RouteContribution, RouteHost, RouteOptions } from '../core/http/contributions.ts'
import { conflict, invalidRequest, quote } from '../core/protocol/error.ts'
import { inScopeSchema, scopeSchema } from '../core/protocol/names.ts'
import type { Caller } from '../core/sessions/caller.ts'
import { isPublic } from './authenticate.ts'

/** Mounts the routes of extensions behind the policies of `createApp`. */
export function mountContributions(
  app: OpenAPIHono<AppEnv>,
  { limits, sealed, clock, logger, version }: Omit<RouteHost, 'add' | 'addUndescribed'>,
  contributions: readonly RouteContribution[],
): void {
  const owners = new Map<string, string>()

  const take = (owner: string, methods: readonly string[], path: string) => {
    requireOwnPath(owner, path)
    const taken = app.routes.find((route) => methods.includes(route.method) && isCoveredBy(route.path, path))
    if (taken)
      throw conflict(
        `The routes of ${quote(owner)} have ${quote(path)}, which ${taken.method} ${quote(taken.path)} answers already.`,
      )
    owners.set(path, owner)
  }

  const police =
    (scopeIn: ScopePlace, answer: (c: Context<AppEnv>, caller: Caller) => unknown) =>
    async (c: Context<AppEnv>) => {
      const caller = callerIn(c, readScope(c, scopeIn))
      await refuseSealedPlace(c)
      return answer(c, caller)
    }

  for (const contribution of contributions)
    contribution.register({
      limits,
      sealed,
      clock,
      logger,
      version,
      add(route, answer, { scopeIn = 'body', refuse } = {}) {
        take(contribution.name, [route.method.toUpperCase()], route.path.replaceAll(/\{(\w+)\}/g, ':$1'))
        const request = { ...route.request, query: route.request?.query ?? inScopeSchema }
        app.openapi({ ...route, request }, police(scopeIn, answer as never) as never, refuse)
      },
      addUndescribed(methods, path, answer) {
        take(contribution.name, methods, path)
        app.on([...methods], path, police('header', answer) as Handler<AppEnv>)
      },
    })
  for (const { name, errors } of contributions) if (errors) requireOwnErrors(name, errors.under)

  /** Requests of `/api/sessions/…` and `/api/runs/…` are checked already; these are the other paths to a session. */
  async function refuseSealedPlace(c: Context<AppEnv>): Promise<void> {
    const { sessionId, runId } = c.req.param() as { sessionId?: string; runId?: string }
    if (sessionId !== undefined) await sealed.refuse({ sessionId })
    if (runId !== undefined) await sealed.refuse({ runId })
  }

  function requireOwnErrors(owner: string, under: string): void {
    // below it, others may have errors of a shape of their own
    const narrower = contributions.filter(
      ({ errors }) => errors && errors.under.length > under.length && errors.under.startsWith(under),
    )
    const isOthers = (path: string) =>
      narrower.some(({ name, errors }) => owners.get(path) === name && path.startsWith(errors!.under))
    const foreign = app.routes.find(
      ({ method, path }) =>
        method !== 'ALL' && path.startsWith(under) && owners.get(path) !== owner && !isOthers(path),
    )
    if (!/^\/[\w.-]+\//.test(under) || foreign)
      throw conflict(
        `The error shape of ${quote(owner)} is for ${quote(under)}, where ${quote(foreign?.path ?? '/')} is not its own.`,
      )
  }
}

/** Without a key one can reach what is public, and a path that begins with a parameter could be that. */
function requireOwnPath(owner: string, path: string): void {
  if (!/^\/[\w.-]+(\/:?[\w.-]+)*$/.test(path) || isPublic(path))
    throw invalidRequest(
      `The routes of ${quote(owner)} have the path ${quote(path)}. It must begin with a name, have no wildcards, and be none that is open without a key.`,
    )
}

/** Whether no request would get past the route that is there. */
function isCoveredBy(earlier: string, path: string): boolean {
  const segments = path.split('/')
  const given = earlier.split('/')
  return (
    given.length === segments.length &&
    given.every((segment, i) => segment.startsWith(':') || segment === segments[i])
  )
}

type ScopePlace = NonNullable<RouteOptions['scopeIn']>

function readScope(c: Context<AppEnv>, place: ScopePlace): string | undefined {
  const given =
    place === 'header'
      ? c.req.header('x-parley-scope')
      : ((c.req.valid('json' as never) ?? {}) as { scope?: unknown }).scope
  const scope = given ?? c.req.query('scope')
  const { data, success } = scopeSchema.optional().safeParse(scope)
  if (!success)
    throw invalidRequest(`The scope ${quote(scope)} must be 1 to 64 lower-case letters, digits, "_" or "-".`)
  return data
}

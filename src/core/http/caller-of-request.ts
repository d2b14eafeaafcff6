import type { Context } from 'hono'
import { ParleyError, quote } from '../protocol/error.ts'
import { defaultScope } from '../protocol/names.ts'
import type { Caller } from '../sessions/caller.ts'
import type { AppEnv } from './request-environment.ts'

/** The caller within a scope; refuses a scope that the key is not bound to. */
export function callerIn(c: Context<AppEnv>, scope: string = defaultScope): Caller {
  const { actor, scopes, keyName, configured } = c.get('identity')
  if (scopes && !scopes.includes(scope))
    throw new ParleyError('forbidden', `This key has no access to the scope ${quote(scope)}.`)
  return {
    actor,
    scope,
    seesAllScopes: scopes === undefined,
    ...(keyName !== undefined && { keyName }),
    ...(configured && { configured }),
  }
}

import { requireKnownProviders, requireTaken } from '../models/parameters.ts'
import type { ModelRegistry } from '../models/registry.ts'
import { ParleyError } from '../protocol/error.ts'
import type { Session } from '../protocol/session.ts'
import type { StoreOperations } from '../store/store.ts'
import type { SessionLifecycle } from './lifecycle.ts'
import type { Windows } from './window/windows.ts'

interface ParameterRules {
  registry: Pick<ModelRegistry, 'require' | 'adapterNames'>
  windows: Pick<Windows, 'effective'>
}

/** Refuses parameters of a session that its model does not take. Of a model that comes later, its turns do. */
export const createParameterCheck =
  ({ registry, windows }: ParameterRules) =>
  async (tx: StoreOperations, session: Partial<Session> & { scope: string }): Promise<void> => {
    requireKnownProviders(session.parameters ?? {}, registry.adapterNames())
    const { model, parameters = {} } = await windows.effective(session as Session, tx)
    try {
      requireTaken(registry.require(model), parameters)
    } catch (error) {
      // one that cannot be had right now may be had when its turn comes
      if (!(error instanceof ParleyError) || error.code !== 'adapter_unavailable') throw error
    }
  }

export function checkSessionParameters(check: ReturnType<typeof createParameterCheck>): SessionLifecycle {
  return {
    async createSession(tx, caller, input, proceed) {
      if (input.parameters) await check(tx, { ...input, scope: caller.scope })
      return proceed(tx, caller, input)
    },
    async checkPatch(tx, { scope }, id, { parameters, model }) {
      if (!parameters) return
      const session = await tx.requireSession(scope, id)
      await check(tx, { ...session, parameters, ...(model !== undefined && { model: model ?? undefined }) })
    },
  }
}

import { denialFor, readAuthority } from '../approvals/authority.ts'
import { createCallGuard, defaultApprovalLimits } from '../approvals/authorize-or-ask.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Session } from '../protocol/session.ts'
import type { SlotWaits } from '../runs/wait-for-slot.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { watchCalls } from '../watch/watch-calls.ts'
import type { Call } from '../tools/permission.ts'
import type { Base } from './infrastructure.ts'
import type { ParleyOptions } from './options.ts'

export type Rights = ReturnType<typeof createRights>

/** What sessions may do, from the configuration, their scope and their own settings. */
export function createRights(
  { store, watchers, readWorkspaces, permissions, logger }: Base,
  options: ParleyOptions,
  { hooks, waits }: { hooks: Hooks; waits: SlotWaits },
) {
  const { authorityIn, readSwitches, readGroups } = permissions
  const readMode = async (tx: StoreOperations, session: Parameters<typeof readAuthority>[1]) =>
    (await readAuthority(authorityIn(tx), session, undefined)).mode
  /** For sessions in this store, or in one that nobody else sees: what holds for scopes is that of this one. */
  const guardOver = (within: Store) =>
    watchCalls(
      watchers,
      createCallGuard({
        ...authorityIn(store),
        store: within,
        readWorkspaces: within === store ? readWorkspaces : async () => ({ granted: [] }),
        waits: within === store ? waits : { during: (_run, _signal, wait) => wait() },
        limits: { ...defaultApprovalLimits, ...options.approvals },
        hooks,
        onApproval: options.onApproval,
        logger,
      }),
    )
  return {
    readGroups,
    readMode,
    /** For what is started without the request of a model: groups as they were switched, nothing by default. */
    readRights: async (session: Session) => ({
      groups: await readSwitches(session),
      mode: await readMode(store, session),
    }),
    /** Why a session may not make a call, where nobody can be asked about it. */
    findDenial: (tx: StoreOperations, session: Session, call: Call) =>
      denialFor(authorityIn(tx), session, call),
    guard: guardOver(store),
    guardOver,
  }
}

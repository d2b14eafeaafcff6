import { useScope } from '../../api/scope.ts'
import { createFileStore } from './file-store.ts'
import { createUnsentStore, type Unsent } from './unsent.ts'

const unsentStore = createUnsentStore(localStorage, createFileStore())

export interface UnsentControl {
  unsent: Unsent
  /** What it is at this moment: of use after something was waited for. */
  read(): Unsent
  change(patch: Partial<Unsent>): void
}

/** What was typed for a session, or for the one that is to be made. */
export function useUnsent(sessionId?: string): UnsentControl {
  const scope = useScope()
  const key = toKey(scope, sessionId ?? 'new')
  const known = unsentStore((all) => all[key])
  return {
    unsent: known ?? unsentStore.read(key),
    read: () => unsentStore.read(key),
    change: (patch) => unsentStore.change(key, patch),
  }
}

/** After a session was deleted. */
export const forgetUnsent = (scope: string | undefined, sessionId: string) =>
  unsentStore.forget(toKey(scope, sessionId))

const toKey = (scope: string | undefined, name: string) => `${scope ?? ''}/${name}`

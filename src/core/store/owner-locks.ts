/**
 * Who of those that execute runs is alive. Each holds a lock that the system or the database releases when its process
 * ends, however it ends: a run of one that is gone is resumed at once, and only one that hangs or is cut off has to let
 * its lease lapse first.
 */
export interface OwnerLocks {
  /** Makes an owner known as alive until it is released, or its process ends. */
  hold(name: string): Promise<HeldOwner>
  /** Which of them are known to be gone; of one whose name came from no `hold` nothing is known. */
  findGone(owners: string[]): Promise<string[]>
  /** Which of them have no lock at this moment; one whose connection broke may have it again in the next. */
  findAbsent(owners: string[]): Promise<string[]>
}

export interface HeldOwner {
  /** What it is called in leases: its name, and where its lock is found. */
  name: string
  release(): Promise<void>
}

/** Of a store that no other process can open. */
export const noOwnerLocks: OwnerLocks = {
  hold: async (name) => ({ name, release: async () => {} }),
  findGone: async () => [],
  findAbsent: async () => [],
}

export const toOwnerName = (name: string, lock: string): string => `${name}~${lock}`

/** The lock behind the name of an owner; undefined for one that has none. */
export const lockOf = (owner: string): string | undefined => /~([\w-]+)$/.exec(owner)?.[1]

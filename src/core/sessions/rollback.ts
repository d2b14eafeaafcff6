import { setTimeout as sleep } from 'node:timers/promises'
import { deleteConfined, writeConfined } from '../files/confined-write.ts'
import { conflict, notFound } from '../protocol/error.ts'
import type { CheckpointList, Rollback, RolledBack } from '../protocol/rollback.ts'
import type { Checkpoint } from '../protocol/session.ts'
import type { Snapshot } from '../store/queries/snapshots.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import { auditSession, recordSessionEvent, type Caller } from './caller.ts'
import type { JoinedLifecycle } from './lifecycle.ts'
import { stopSession, type Stoppers } from './stop.ts'

const stopMs = 10_000
const pollMs = 50

/** Brings one thing back to how it was; answers why not. That it is so already is what was wanted. */
export type Restore = (caller: Caller, sessionId: string, snapshot: Snapshot) => Promise<string | undefined>

export interface RollbackDeps {
  store: Store
  stoppers: Stoppers
  /** Of what is more than a file, by kind of snapshot; injected, since those lie above the sessions. */
  restorers?: Readonly<Record<string, Restore>>
}

export async function listCheckpoints(
  store: StoreOperations,
  { scope }: Caller,
  id: string,
): Promise<CheckpointList> {
  await store.requireSession(scope, id)
  const [checkpoints, counts] = [await store.listCheckpoints(id), await store.countSnapshots(id)]
  return {
    items: checkpoints.map((checkpoint) => {
      const changesByKind = counts.get(checkpoint.messageSeq) ?? {}
      const changes = Object.values(changesByKind).reduce((sum, count) => sum + count, 0)
      return { ...checkpoint, changes, changesByKind }
    }),
    nextCursor: null,
  }
}

/** What was put back before the log is cut. */
export interface PreparedRollback extends Changes {
  checkpoint: Checkpoint
}

/**
 * Stops what runs and puts the files back; undefined when there is no such checkpoint, or no longer. Files go before the
 * log, since they can be put back twice; a crash in between leaves a rollback that can be requested again.
 */
export async function prepareRollback(
  { store, stoppers, restorers }: RollbackDeps,
  caller: Caller,
  id: string,
  { checkpointId, restoreFiles = true }: Omit<Rollback, 'scope'>,
): Promise<PreparedRollback | undefined> {
  await store.requireSession(caller.scope, id)
  const checkpoint = (await store.listCheckpoints(id)).find((known) => known.id === checkpointId)
  if (!checkpoint) return undefined
  await stopSession(store, stoppers, caller, id)
  await untilIdle(store, id)
  const snapshots = restoreFiles ? await store.listSnapshotsSince(id, checkpoint.messageSeq) : []
  return { checkpoint, ...(await restore(caller, id, snapshots, { file: restoreFile, ...restorers })) }
}

/** Cuts the log, in a transaction. */
export async function finishRollback(
  tx: StoreOperations,
  caller: Caller,
  id: string,
  {
    checkpointId,
    prepared,
    lifecycle,
  }: Pick<Rollback, 'checkpointId'> & {
    prepared: PreparedRollback | undefined
    lifecycle?: Pick<JoinedLifecycle, 'beforeRollback' | 'sessionRolledBack'>
  },
): Promise<RolledBack> {
  if (!prepared) throw notFound('checkpoint', checkpointId)
  const { checkpoint, ...changes } = prepared
  const { messageSeq, userMessage } = checkpoint
  await tx.lockSession(caller.scope, id)
  await requireIdle(tx, id)
  const files = changes.restored.length + changes.removed.length + changes.failed.length
  await cutBack(tx, caller, id, { messageSeq, detail: { checkpointId, files }, lifecycle })
  return { session: await tx.requireSession(caller.scope, id), userMessage, ...changes }
}

export async function requireIdle(tx: StoreOperations, id: string): Promise<void> {
  if (await isRunning(tx, id))
    throw conflict('Another turn has begun meanwhile; stop it and roll back again.', { isRunning: true })
}

/** Ends the log after `messageSeq`, with all that came of the rest. The session is locked and idle. */
export async function cutBack(
  tx: StoreOperations,
  caller: Caller,
  id: string,
  {
    messageSeq,
    detail,
    lifecycle,
  }: {
    messageSeq: number
    detail: Record<string, unknown>
    lifecycle?: Pick<JoinedLifecycle, 'beforeRollback' | 'sessionRolledBack'>
  },
): Promise<void> {
  const undone = await lifecycle?.beforeRollback(tx, id, messageSeq)
  await tx.cutLog(id, messageSeq)
  await lifecycle?.sessionRolledBack(tx, await tx.requireSession(caller.scope, id))
  await auditSession(tx, caller, 'rollback', id, { ...detail, messageCount: messageSeq, ...undone })
  await recordSessionEvent(tx, caller, 'session-updated', id, {
    fields: ['messages'],
    rolledBackTo: messageSeq,
  })
}

/** A turn that is asked to stop stores its reply so far before it ends. */
export async function untilIdle(store: StoreOperations, id: string): Promise<void> {
  for (let left = stopMs; await isRunning(store, id); left -= pollMs) {
    if (left <= 0) throw conflict('The running turn does not end; try again later.')
    await sleep(pollMs)
  }
}

const isRunning = async (store: StoreOperations, id: string) =>
  (await store.listOpenRuns(id)).some(({ status }) => status === 'running')

type Changes = Pick<RolledBack, 'restored' | 'removed' | 'failed'>

async function restore(
  caller: Caller,
  sessionId: string,
  snapshots: Snapshot[],
  restorers: Readonly<Record<string, Restore>>,
): Promise<Changes> {
  const changes: Changes = { restored: [], removed: [], failed: [] }
  for (const snapshot of snapshots) {
    const { kind, content } = snapshot
    const name = kind === 'file' ? snapshot.name : `${kind}:${snapshot.name}`
    const bringBack = restorers[kind]
    const problem = bringBack
      ? await bringBack(caller, sessionId, snapshot)
      : `Nothing here can bring back a ${kind}.`
    if (problem !== undefined) changes.failed.push({ name, reason: problem })
    else (content === undefined ? changes.removed : changes.restored).push(name)
  }
  return changes
}

async function restoreFile(
  _caller: Caller,
  _sessionId: string,
  { content, detail }: Snapshot,
): Promise<string | undefined> {
  const { root, path, lost, folders = [] } = detail as unknown as KeptFile
  if (lost !== undefined) return lost
  const result =
    content === undefined
      ? await deleteConfined(root, path)
      : await writeConfined(root, path, Buffer.from(content, 'base64'), { makesFolders: true })
  if (typeof result === 'string' && !(content === undefined && result === 'absent')) return result
  // made for the file; one that holds something else by now stays
  for (const folder of folders) if (typeof (await deleteConfined(root, folder)) === 'string') break
  return undefined
}

interface KeptFile {
  root: string
  path: string
  /** Why it could not be kept. */
  lost?: string
  folders?: string[]
}

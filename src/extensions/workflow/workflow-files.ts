import { realpath } from 'node:fs/promises'
import type { Logger } from 'pino'
import { deleteConfined, writeConfined } from '../../core/files/confined-write.ts'
import { conflict, ParleyError, quote, type ErrorCode } from '../../core/protocol/error.ts'
import type { WorkflowRecord } from './store/workflows.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { createDefinition, updateDefinition, type WorkflowCaller } from './definitions.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import {
  hashOf,
  scanFolder,
  readFound,
  type FolderScan,
  type FoundFile,
  type ReadFiles,
} from './file-folder.ts'

/**
 * Keeps `.parley/workflows/` of a scope and the store in sync. Of every workflow with a file, the hash is stored that the
 * file had when both were the same:
 *
 * - a file with another hash was changed since. It takes precedence, also when the workflow was saved meanwhile: that text
 *   stays among the versions. An invalid one changes nothing, and is not overwritten.
 * - a file with the same hash, of a workflow whose text has another, is outdated and is written.
 *
 * Any number of nodes may sync at once: each change is made in a transaction that has locked the workflow, and only if the
 * hash is still what it was before the file was read.
 */
export interface WorkflowFiles {
  /** Syncs both now; never fails, since the next pass reports the same problems. */
  sync(scope: string): Promise<void>
  /** Before the workflow is deleted, which its file would bring back. Refuses with `conflict` what cannot be deleted. */
  removeFile(scope: string, id: string): Promise<void>
  /** Syncs periodically from now on. */
  start(): void
  stop(): Promise<void>
}

interface ScopeState {
  read: ReadFiles
  stamp?: string
  comparedAt: number
  syncing?: Promise<void>
  waiting?: Promise<void>
  /** Files whose problem was logged, by hash: once is enough. */
  reported: Map<string, string>
}

const syncEveryMs = 2_000
// a save whose node died before it wrote the file changes nothing on disk
const compareEveryMs = 30_000

export function createWorkflowFiles(
  deps: WorkflowDeps,
  {
    forbidden = [],
    isTrusted = () => true,
    logger,
  }: {
    forbidden?: readonly string[]
    /** Files of an untrusted folder are ignored. */
    isTrusted?: (root: string) => boolean
    logger: Logger
  },
): WorkflowFiles {
  const { store } = deps
  const states = new Map<string, ScopeState>()
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> | undefined
  let isStopping = false

  const stateOf = (scope: string): ScopeState => {
    let state = states.get(scope)
    if (!state) states.set(scope, (state = { read: new Map(), comparedAt: -Infinity, reported: new Map() }))
    return state
  }

  /** Without `isThorough` it reads only the disk, as long as that has not changed. */
  const syncOnce = async (scope: string, root: string, isThorough: boolean): Promise<void> => {
    if (!isTrusted(root)) return
    const state = stateOf(scope)
    // before the files: a write in between then shows as a changed hash
    const known = isThorough ? await store.listWorkflowFiles(scope) : undefined
    const folder = await scanFolder(root, { forbidden, definitions: deps.definitions }, state.read)
    if (!folder) return
    const isSame = folder.stamp !== undefined && folder.stamp === state.stamp
    if (!known) {
      if (isSame && performance.now() - state.comparedAt < compareEveryMs) return
      return syncOnce(scope, root, true)
    }
    await reconcile({ deps, scope, folder, known, forbidden, report: (file) => report(state, file) })
    state.stamp = folder.stamp
    state.comparedAt = performance.now()
  }

  function report(state: ScopeState, { file, hash, problem }: FoundFile & { problem: string }): void {
    if (state.reported.get(file) === hash) return
    state.reported.set(file, hash)
    logger.warn({ file }, `a workflow file does not count: ${problem}`)
  }

  const begin = (scope: string, root: string, isThorough: boolean): Promise<void> => {
    const state = stateOf(scope)
    return (state.syncing = syncOnce(scope, root, isThorough)
      .catch((error: unknown) =>
        logger.warn({ err: error, scope }, 'reading workflow files failed, will try again'),
      )
      .finally(() => (state.syncing = undefined)))
  }

  const tick = async (): Promise<void> => {
    for (const { name, root } of await store.listScopes())
      if (root !== undefined && !isStopping) await (stateOf(name).syncing ?? begin(name, root, false))
  }

  return {
    async sync(scope) {
      const root = (await store.getScope(scope))?.root
      if (root === undefined) return
      const state = stateOf(scope)
      // a running sync may have missed what the caller did; concurrent callers share the next one
      state.waiting ??= (state.syncing ?? Promise.resolve()).then(() => {
        state.waiting = undefined
        return begin(scope, root, true)
      })
      await state.waiting
    },

    async removeFile(scope, id) {
      const file = (await store.getWorkflow(scope, id))?.file
      const root = (await store.getScope(scope))?.root
      const real = root === undefined ? undefined : await realpath(root).catch(() => undefined)
      if (file === undefined || real === undefined) return
      const deleted = await deleteConfined(real, file, { forbidden })
      if (typeof deleted === 'string' && deleted !== 'absent')
        throw conflict(`The file ${quote(file)} of the workflow cannot be deleted (${deleted}).`)
    },

    start() {
      const run = () =>
        void (ticking ??= tick()
          .catch((error: unknown) =>
            logger.warn({ err: error }, 'finding workflow files failed, will try again'),
          )
          .finally(() => (ticking = undefined)))
      timer = setInterval(run, syncEveryMs)
      timer.unref()
      run()
    },

    async stop() {
      isStopping = true
      clearInterval(timer)
      await ticking
      await Promise.all([...states.values()].map(({ syncing, waiting }) => waiting ?? syncing))
    },
  }
}

interface Reconciling {
  deps: WorkflowDeps
  scope: string
  folder: FolderScan
  /** As they were before the files were read. */
  known: WorkflowRecord[]
  forbidden: readonly string[]
  /** For a file that belongs to no workflow. */
  report(file: FoundFile & { problem: string }): void
}

async function reconcile(reconciling: Reconciling): Promise<void> {
  const { deps, folder, known } = reconciling
  const { store } = deps
  const problems = new Map<string, string | undefined>()
  // first those whose file is gone: it may have been renamed
  for (const workflow of known) {
    const found = folder.files.find(({ file }) => file === workflow.file)
    if (!found && !folder.isCut)
      await whileUnchanged(store, workflow, (tx) =>
        tx.setWorkflowFile(workflow.id, { file: null, fileHash: null, fileProblem: null }),
      )
    if (found) problems.set(workflow.id, await syncKnown(reconciling, workflow, found))
  }
  for (const found of folder.files)
    if (!known.some(({ file }) => file === found.file)) await adopt(reconciling, found, problems)
  for (const [id, problem] of problems) {
    const before = known.find((workflow) => workflow.id === id)?.fileProblem
    if (before !== problem) await store.setWorkflowFile(id, { fileProblem: problem ?? null })
  }
}

/** Returns why the file is ignored. */
async function syncKnown(
  { deps, scope, folder, forbidden }: Reconciling,
  workflow: WorkflowRecord,
  found: FoundFile,
): Promise<string | undefined> {
  const { store } = deps
  const ownHash = hashOf(workflow.text)
  if (found.hash === ownHash) {
    if (workflow.fileHash !== ownHash)
      await whileUnchanged(store, workflow, (tx) => tx.setWorkflowFile(workflow.id, { fileHash: ownHash }))
    return undefined
  }
  if (found.hash !== workflow.fileHash) {
    if ('problem' in found) return found.problem
    const refusal = await refusalOf(() =>
      whileUnchanged(store, workflow, async (tx) => {
        await updateDefinition(deps, tx, callerOf(scope), workflow.id, { text: found.text, cause: 'file' })
        await tx.setWorkflowFile(workflow.id, { fileHash: found.hash })
      }),
    )
    return refusal?.message
  }
  let refusal: string | undefined
  await whileUnchanged(store, workflow, async (tx, { text }) => {
    // somebody may have written it just now: the next sync reads that
    if (
      (await readFound(folder.root, found.file, { forbidden, definitions: deps.definitions }))?.hash !==
      found.hash
    )
      return
    const written = await writeConfined(folder.root, found.file, Buffer.from(text), { forbidden })
    if (typeof written === 'string') refusal = `${found.file} could not be written (${written}).`
    else await tx.setWorkflowFile(workflow.id, { fileHash: hashOf(text) })
  })
  return refusal
}

/** A file that belongs to no workflow yet: it becomes that of the workflow of its name. */
async function adopt(
  { deps, scope, report }: Reconciling,
  found: FoundFile,
  problems: Map<string, string | undefined>,
): Promise<void> {
  const { store } = deps
  if ('problem' in found) return report(found)
  const kept = { file: found.file, fileHash: found.hash, fileProblem: null }
  const workflow = await store.getWorkflowByName(scope, found.name)
  // another node was faster
  if (workflow?.file === found.file) return
  if (workflow?.file !== undefined) {
    const problem = `${found.file} has the same name and does not count: ${workflow.file} was there first.`
    if (problems.get(workflow.id) === undefined) problems.set(workflow.id, problem)
    return report({ ...found, problem })
  }
  const refusal = await refusalOf(() =>
    workflow
      ? whileUnchanged(store, workflow, async (tx) => {
          await updateDefinition(deps, tx, callerOf(scope), workflow.id, { text: found.text, cause: 'file' })
          await tx.setWorkflowFile(workflow.id, kept)
        })
      : store.transaction(async (tx) => {
          const created = { text: found.text, cause: 'file' } as const
          const { id } = await createDefinition(deps, tx, callerOf(scope), created)
          await tx.setWorkflowFile(id, kept)
        }),
  )
  // a workflow that was not there a moment ago: left to the next sync
  if (!refusal || (!workflow && refusal.code === 'conflict')) return
  report({ ...found, problem: refusal.message })
}

const callerOf = (scope: string): WorkflowCaller => ({ scope, actor: { type: 'system', id: 'file' } })

/** Does nothing when another node was faster. */
const whileUnchanged = (
  store: StoreOperations,
  { scope, id, file, fileHash }: WorkflowRecord,
  work: (tx: StoreOperations, now: WorkflowRecord) => Promise<void>,
): Promise<void> =>
  store.transaction(async (tx) => {
    const now = await tx.lockWorkflow(scope, id)
    if (now && now.file === file && now.fileHash === fileHash) await work(tx, now)
  })

/** Why a save was refused; other errors are not caused by the file. */
async function refusalOf(work: () => Promise<void>): Promise<ParleyError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof ParleyError && refusalCodes.includes(error.code)) return error
    throw error
  }
}

const refusalCodes: ErrorCode[] = ['invalid_request', 'conflict', 'not_found']

/** What operations, tools and the library need for workflows. */
export interface WorkflowServices {
  deps: WorkflowDeps
  files: WorkflowFiles
}

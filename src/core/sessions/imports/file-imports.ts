import { ParleyError } from '../../protocol/error.ts'
import type { ImportProgress, ImportReport } from '../../protocol/import-report.ts'
import type { Store } from '../../store/store.ts'
import type { Caller } from '../caller.ts'
import type { MemoRules } from '../window/windows.ts'
import { importFile } from './import-file.ts'
import { defaultImportLimits, type ImportLimits } from '../../protocol/import-limits.ts'
import { spool, tooLarge } from './spool.ts'

export interface ImportWatch {
  onProgress?: (progress: ImportProgress) => void
  /** Ends it after the session that is being stored; the same file imported again continues. */
  signal?: AbortSignal
}

export interface FileImports {
  /** What a file may have at most. */
  limits: ImportLimits
  /** Stores all that a file holds; `size` is how large it is announced to be. */
  take(
    caller: Caller,
    file: { size?: number; pieces: AsyncIterable<Uint8Array> },
    watch?: ImportWatch,
  ): Promise<ImportReport>
}

// as limits.jsonValues
const defaultMaxValues = 75_000
// each has a thread with as much heap as imports.heapMb allows
const maxAtOnce = 2
// each holds its file meanwhile, on disk
const maxWaiting = 8

export function createFileImports({
  store,
  windows,
  limits: given = {},
  maxValues = defaultMaxValues,
}: {
  store: Store
  windows: MemoRules
  limits?: Partial<ImportLimits>
  maxValues?: number
}): FileImports {
  const limits = { ...defaultImportLimits, ...given }
  const options = { limits, maxValues }
  let running = 0
  const waiting: (() => void)[] = []

  async function enter(): Promise<void> {
    if (running < maxAtOnce) return void running++
    await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leave(): void {
    // the longest waiting one takes the place
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return {
    limits,
    async take(caller, { size = 0, pieces }, watch) {
      if (size > limits.fileBytes) throw tooLarge(limits.fileBytes)
      if (waiting.length === maxWaiting)
        throw new ParleyError(
          'too_many_requests',
          `${maxAtOnce + maxWaiting} imports of files are in progress already.`,
        )
      using spooled = await spool(pieces, limits.fileBytes)
      await enter()
      try {
        return await importFile({ store, windows, options }, caller, spooled.fd, watch)
      } finally {
        leave()
      }
    },
  }
}

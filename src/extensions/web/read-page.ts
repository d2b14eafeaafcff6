import { startWorker } from '../../core/shared/start-worker.ts'
import type { PageFormat, ReadablePage } from './readable-page.ts'

// far more than any real page takes; a hostile one ends its own worker, not Parley
const resourceLimits = { maxOldGenerationSizeMb: 384, stackSizeMb: 4 }
const tooComplicated = 'The page is too complicated to be made readable. Ask for it with format "raw".'

export type ReadPage = (
  page: { html: string; url: string; format: PageFormat },
  signal: AbortSignal,
) => Promise<ReadablePage>

// each takes some 30 MB while it works, and a model may request any number of pages at once
const maxWorkers = 4

/**
 * Makes pages readable, each in a thread of its own: what that takes is loaded when it is needed and gone afterwards,
 * and a page made to keep a reader busy keeps nobody else waiting for longer than its time limit.
 */
export function createPageReader(): ReadPage {
  const waiting: (() => void)[] = []
  let running = 0
  return async (page, signal) => {
    if (running === maxWorkers) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await readInWorker(page, signal)
    } finally {
      // first come, first served
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const readInWorker: ReadPage = async (page, signal) => {
  signal.throwIfAborted()
  const worker = startWorker(new URL('./page-worker.ts', import.meta.url), {
    workerData: page,
    resourceLimits,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error(tooComplicated)))
      worker.once('message', resolve)
      worker.once('error', (cause) => reject(new Error(tooComplicated, { cause })))
      worker.once('exit', () => reject(new Error(tooComplicated)))
    })
  } finally {
    await worker.terminate()
  }
}

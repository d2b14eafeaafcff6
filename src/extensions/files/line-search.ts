import { once } from 'node:events'
import { startWorker } from '../../core/shared/start-worker.ts'

export interface LinePattern {
  /** A regular expression, which is held against one line at a time. */
  source: string
  flags: string
  /** Lines to show before and after a match. */
  context: number
}

export interface ShownLine {
  number: number
  text: string
  isMatch: boolean
}

export interface LineSearch extends AsyncDisposable {
  /** Matching lines of a text and those around them, up to so many matches; undefined after the time limit. */
  find(text: string, maxMatches: number): Promise<{ lines: ShownLine[]; matches: number } | undefined>
}

// a text of some MiB as lines, many times over
const maxHeapMb = 256

/**
 * Searches for a pattern in a thread of its own: some expressions take for ever on some texts, and nothing but the end of
 * the thread stops them. When the signal fires the thread is ended, whatever it is at.
 */
export async function createLineSearch(pattern: LinePattern, signal: AbortSignal): Promise<LineSearch> {
  const worker = startWorker(new URL('./line-search-worker.ts', import.meta.url), {
    workerData: pattern,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    env: {},
    stdin: false,
    execArgv: [],
  })
  worker.unref()
  const ended = new Promise<undefined>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', () => resolve(undefined))
  })
  // pending requests get the error
  ended.catch(() => undefined)
  const end = () => void worker.terminate()
  signal.addEventListener('abort', end, { once: true })
  return {
    async find(text, maxMatches) {
      if (signal.aborted) return undefined
      worker.postMessage({ text, maxMatches }, [])
      const answer = await Promise.race([once(worker, 'message'), ended])
      return answer?.[0]
    },
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', end)
      await worker.terminate()
    },
  }
}

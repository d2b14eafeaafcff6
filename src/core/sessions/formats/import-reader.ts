import { once } from 'node:events'
import { ParleyError, type ErrorCode } from '../../protocol/error.ts'
import type { DocumentRules } from '../../protocol/joined-facets.ts'
import { startWorker } from '../../shared/start-worker.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import { requireHead } from './document.ts'
import { messagesFrom, readImport, type ImportText, type ReadImport } from './read-import.ts'

/** A document whose messages come piece by piece. */
export interface DocumentSource {
  session: ReadImport['session']
  messageCount: number
  /** Some of the messages from a place on, counted from 0; may be requested again. */
  read(from: number): Promise<WrittenMessage[]>
}

export interface OpenImport extends DocumentSource, AsyncDisposable {
  scope?: unknown
}

export type ImportAnswer =
  | { head: Omit<ReadImport, 'messages'> & { messageCount: number } }
  | { messages: WrittenMessage[] }
  | { refusal: { code: ErrorCode; message: string; details?: unknown } }

// characters that are read in a few milliseconds; a thread needs more than that to start
const maxInPlace = 100_000
// each may hold the text, its parsed form and the result
const maxThreads = 2
const maxHeapMb = 1_024
// each holds its text meanwhile
const maxWaiting = 8

export const toSource = ({ messages, ...head }: ReadImport): DocumentSource & { scope?: unknown } => ({
  ...head,
  messageCount: messages.length,
  read: async (from) => messagesFrom(messages, from),
})

/**
 * Reads documents of any length without holding up the process: long ones in a thread of their own, a few at once. Ends
 * with whoever disposes of what it answers.
 */
export function createImportReader(rules: DocumentRules): (given: ImportText) => Promise<OpenImport> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (given) => {
    if (given.text.length <= maxInPlace)
      return { ...checked(toSource(readImport(given)), rules), [Symbol.asyncDispose]: async () => {} }
    if (waiting.length === maxWaiting)
      throw new ParleyError(
        'too_many_requests',
        `${maxThreads + maxWaiting} long imports are in progress already.`,
      )
    if (running === maxThreads) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    const thread = await startThread(given)
    const end = async () => {
      await thread.end()
      // the longest waiting one takes the place
      const next = waiting.shift()
      if (next) next()
      else running--
    }
    try {
      return { ...checked(await thread.open(), rules), [Symbol.asyncDispose]: end }
    } catch (error) {
      await end()
      throw error
    }
  }
}

/** A thread has no extensions: the fields of the session are checked here. */
function checked<Source extends DocumentSource>(source: Source, rules: DocumentRules): Source {
  const { session } = requireHead({ format: 'parley.session', version: 1, session: source.session }, rules)
  return { ...source, session }
}

async function startThread(given: ImportText) {
  const worker = startWorker(new URL('./import-worker.ts', import.meta.url), {
    workerData: given,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    env: {},
    stdin: false,
    execArgv: [],
  })
  const failed = once(worker, 'error').then(([error]) => {
    throw (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? new ParleyError('payload_too_large', `The document needs more than ${maxHeapMb} MiB to be read.`)
      : error
  })
  failed.catch(() => undefined) // those who wait for an answer receive it
  const next = async (): Promise<ImportAnswer> =>
    ((await Promise.race([once(worker, 'message'), failed])) as [ImportAnswer])[0]
  return {
    async open(): Promise<DocumentSource & { scope?: unknown }> {
      const answer = await next()
      if ('refusal' in answer) {
        const { code, message, details } = answer.refusal
        throw new ParleyError(code, message, { details })
      }
      if (!('head' in answer)) throw new Error('The thread began with something else than the head.')
      return {
        ...answer.head,
        async read(from) {
          worker.postMessage(from, [])
          const piece = await next()
          return 'messages' in piece ? piece.messages : []
        },
      }
    },
    end: () => worker.terminate(),
  }
}

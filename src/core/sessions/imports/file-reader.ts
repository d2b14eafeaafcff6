import { once } from 'node:events'
import { ParleyError, type ErrorCode } from '../../protocol/error.ts'
import { startWorker } from '../../shared/start-worker.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import type { ImportNote } from './import-notes.ts'
import type { FileOverview, FoundFailure, FoundSession, ReadOptions } from './read-file.ts'

export type FileAnswer =
  | { overview: FileOverview }
  | { session: Omit<FoundSession, 'messages'> & { messageCount: number } }
  | { failure: FoundFailure }
  | { done: number }
  | { end: { notes: ImportNote[] } }
  | { messages: WrittenMessage[] }
  | { refusal: { code: ErrorCode; message: string; details?: unknown } }

/** A session whose messages come piece by piece. */
export interface ReadableSession extends Omit<FoundSession, 'messages'> {
  messageCount: number
  /** Some of the messages from a place on, counted from 0. */
  read(from: number): Promise<WrittenMessage[]>
}

export type FileStep =
  | { overview: FileOverview }
  | { session: ReadableSession }
  | { failure: FoundFailure }
  | { done: number }
  | { end: { notes: ImportNote[] } }

/**
 * Reads a file in a thread of its own, whose heap is limited: a file of a stranger can neither hold up the process nor
 * end it. The descriptor stays open for as long as this is read.
 */
export async function* readFileInThread(fd: number, options: ReadOptions): AsyncGenerator<FileStep> {
  const { heapMb } = options.limits
  const worker = startWorker(new URL('./read-file-worker.ts', import.meta.url), {
    workerData: { fd, ...options },
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    env: {},
    stdin: false,
    execArgv: [],
  })
  const failed = once(worker, 'error').then(([error]) => {
    throw (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? new ParleyError(
          'payload_too_large',
          `The file needs more than ${heapMb} MiB to be read (imports.heapMb).`,
        )
      : error
  })
  failed.catch(() => undefined) // those who wait for an answer receive it
  const ask = async (request: 'next' | number): Promise<FileAnswer> => {
    const answered = once(worker, 'message')
    worker.postMessage(request, [])
    const [answer] = (await Promise.race([answered, failed])) as [FileAnswer]
    if ('refusal' in answer) {
      const { code, message, details } = answer.refusal
      throw new ParleyError(code, message, { details })
    }
    return answer
  }
  try {
    for (;;) {
      const answer = await ask('next')
      if ('session' in answer)
        yield {
          session: {
            ...answer.session,
            async read(from) {
              const piece = await ask(from)
              return 'messages' in piece ? piece.messages : []
            },
          },
        }
      else if (!('messages' in answer) && !('refusal' in answer)) yield answer
      if ('end' in answer) return
    }
  } finally {
    await worker.terminate()
  }
}

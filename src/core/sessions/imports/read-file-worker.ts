import { parentPort, workerData } from 'node:worker_threads'
import { ParleyError } from '../../protocol/error.ts'
import type { WrittenMessage } from '../../store/queries/messages.ts'
import { messagesFrom } from '../formats/read-import.ts'
import type { FileAnswer } from './file-reader.ts'
import { createNotes } from './import-notes.ts'
import { readFile, type ReadOptions } from './read-file.ts'

answerRequests(workerData as ReadOptions & { fd: number })

/** One answer per request: how fast a file is read is decided by who stores it. */
function answerRequests({ fd, ...options }: ReadOptions & { fd: number }): void {
  const answer = (value: FileAnswer) => parentPort!.postMessage(value, [])
  const notes = createNotes()
  const found = readFile(fd, options, notes)
  let messages: readonly WrittenMessage[] = []

  parentPort!.on('message', (request: 'next' | number) => {
    if (typeof request === 'number') answer({ messages: messagesFrom(messages, request) })
    else void next()
  })

  async function next(): Promise<void> {
    try {
      messages = []
      const { done, value } = await found.next()
      if (done) answer({ end: { notes: notes.list() } })
      else if ('session' in value) {
        const { messages: held, ...session } = value.session
        messages = held
        answer({ session: { ...session, messageCount: held.length } })
      } else answer(value)
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error
      const { code, message, details } = error
      answer({ refusal: { code, message, details } })
    }
  }
}

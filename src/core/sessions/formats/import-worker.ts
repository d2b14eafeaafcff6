import { parentPort, workerData } from 'node:worker_threads'
import { ParleyError } from '../../protocol/error.ts'
import type { ImportAnswer } from './import-reader.ts'
import { messagesFrom, readImport, type ImportText, type ReadImport } from './read-import.ts'

const answer = (value: ImportAnswer) => parentPort!.postMessage(value, [])

const read = readOrRefuse()
if (read) {
  const { messages, ...head } = read
  answer({ head: { ...head, messageCount: messages.length } })
  parentPort!.on('message', (from: number) => answer({ messages: messagesFrom(messages, from) }))
}

function readOrRefuse(): ReadImport | undefined {
  try {
    return readImport(workerData as ImportText)
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    const { code, message, details } = error
    answer({ refusal: { code, message, details } })
    return undefined
  }
}

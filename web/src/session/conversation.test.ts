import { expect, it } from 'vitest'
import type { Message, ParleyClient } from '../../../src/client/index.ts'
import type { ObservedEvents } from '../../../src/core/protocol/sessions.ts'
import { answerFolding, createConversationFeed, type ConversationFeed } from './conversation.ts'

const message = (seq: number, runId = `run_${seq}`): Message =>
  ({ id: `msg_${seq}_${runId}`, seq, role: 'assistant', parts: [], metadata: { runId } }) as never

/** A server with one log, whose newest run is over; reads can be held back. */
function createServer(log: Message[], newestRun?: string) {
  let hold: Promise<void> | undefined
  const messages = async (_: string, query: { after?: number; before?: number; limit?: number } = {}) => {
    const { after = 0, before = Infinity, limit = 100 } = query
    const found = log.filter(({ seq }) => seq > after && seq < before)
    const items = query.after === undefined ? found.slice(-limit) : found.slice(0, limit)
    await hold
    return { items, nextCursor: items.length < found.length ? 'more' : null }
  }
  async function* observe(): AsyncGenerator<ObservedEvents> {
    if (newestRun === undefined) return
    const chunks = [
      { type: 'start', messageId: 'msg_undone' },
      { type: 'finish', messageMetadata: { runId: newestRun } },
    ] as const
    yield { runId: newestRun, events: chunks.map((chunk, seq) => ({ seq, chunk })) }
  }
  return {
    client: { sessions: { messages, observe } } as unknown as ParleyClient,
    cutTo(seq: number) {
      log.splice(0, log.length, ...log.filter((kept) => kept.seq <= seq))
    },
    add: (...more: Message[]) => void log.push(...more),
    holdReads() {
      const { promise, resolve } = Promise.withResolvers<void>()
      hold = promise
      return () => {
        hold = undefined
        resolve()
      }
    },
  }
}

const seqsOf = (feed: ConversationFeed) => () => feed.get().messages.map(({ id }) => id)
const idsOf = (log: readonly Message[]) => log.map(({ id }) => id)
const first = [1, 2, 3, 4].map((seq) => message(seq))

it('shows what is left when the log was cut, and goes on from there', async () => {
  const server = createServer([...first])
  const feed = createConversationFeed(server.client, { sessionId: 'ses_1' }, answerFolding)
  await expect.poll(seqsOf(feed)).toEqual(idsOf(first))
  server.cutTo(2)
  feed.checkEnd()
  await expect.poll(seqsOf(feed)).toEqual(idsOf(first.slice(0, 2)))
  const next = message(3, 'run_new')
  server.add(next)
  feed.wake()
  await expect.poll(seqsOf(feed)).toEqual(idsOf([...first.slice(0, 2), next]))
  feed.close()
})

it('notices that the place of a message was taken by another', async () => {
  const server = createServer([...first])
  const feed = createConversationFeed(server.client, { sessionId: 'ses_1' }, answerFolding)
  await expect.poll(seqsOf(feed)).toEqual(idsOf(first))
  server.cutTo(3)
  const next = message(4, 'run_new')
  server.add(next)
  feed.checkEnd()
  await expect.poll(seqsOf(feed)).toEqual(idsOf([...first.slice(0, 3), next]))
  feed.close()
})

it('does not add what was read before the cut', async () => {
  const server = createServer(first.slice(0, 3))
  const feed = createConversationFeed(server.client, { sessionId: 'ses_1' }, answerFolding)
  await expect.poll(seqsOf(feed)).toEqual(idsOf(first.slice(0, 3)))
  server.add(first[3]!)
  const letGo = server.holdReads()
  feed.wake() // reads the fourth message, which is undone while it is on its way
  await new Promise((resolve) => setTimeout(resolve))
  server.cutTo(1)
  feed.checkEnd()
  letGo()
  await expect.poll(seqsOf(feed)).toEqual(idsOf(first.slice(0, 1)))
  const next = message(2, 'run_new')
  server.add(next)
  feed.wake()
  await expect.poll(seqsOf(feed)).toEqual(idsOf([first[0]!, next]))
  feed.close()
})

it('shows nothing of a run that was undone before it was opened', async () => {
  const server = createServer(first.slice(0, 2), 'run_undone')
  const feed = createConversationFeed(server.client, { sessionId: 'ses_1' }, answerFolding)
  const drafts: unknown[] = []
  feed.subscribe(() => drafts.push(feed.get().draft))
  await expect.poll(() => drafts.length).toBeGreaterThan(1)
  feed.close()
  expect(drafts.every((draft) => draft === undefined)).toBe(true)
})

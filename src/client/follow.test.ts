import { expect, it } from 'vitest'
import type { EventFrame } from '../core/protocol/event-socket.ts'
import type { Message } from '../core/protocol/message.ts'
import type { ObservedEvents } from '../core/protocol/sessions.ts'
import { followSession, type FollowedSession, type FollowSource } from './follow.ts'

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
  const followers = new Set<(event: EventFrame) => void>()
  const listen: FollowSource['listen'] = async ({ signal, onReady, onEvent }) => {
    followers.add(onEvent)
    onReady()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    followers.delete(onEvent)
  }
  return {
    source: { sessions: { messages, observe }, listen } as unknown as FollowSource,
    followers,
    emit: (event: object) => followers.forEach((follower) => follower(event as EventFrame)),
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

/** Followed until the block ends. */
function open(source: FollowSource): FollowedSession & Disposable {
  const followed = followSession(source, 'ses_1')
  const unsubscribe = followed.subscribe(() => {})
  return { ...followed, [Symbol.dispose]: unsubscribe }
}

const shownIn = (followed: FollowedSession) => () => followed.get().messages.map(({ id }) => id)
const idsOf = (log: readonly Message[]) => log.map(({ id }) => id)
const first = [1, 2, 3, 4].map((seq) => message(seq))

const event = (data: object = {}, sessionId = 'ses_1') => ({ type: 'session-updated', sessionId, data })

it('shows what is left when the log was cut, and what follows', async () => {
  const server = createServer([...first])
  using followed = open(server.source)
  await expect.poll(shownIn(followed)).toEqual(idsOf(first))
  server.cutTo(2)
  server.emit(event({ rolledBackTo: 2 }))
  await expect.poll(shownIn(followed)).toEqual(idsOf(first.slice(0, 2)))
  const next = message(3, 'run_new')
  server.add(next)
  server.emit(event())
  await expect.poll(shownIn(followed)).toEqual(idsOf([...first.slice(0, 2), next]))
})

it('looks for what it has missed after a gap in the events', async () => {
  const server = createServer([...first])
  using followed = open(server.source)
  await expect.poll(shownIn(followed)).toEqual(idsOf(first))
  server.cutTo(1)
  server.emit({ type: 'gap', after: 1, seq: 9 })
  await expect.poll(shownIn(followed)).toEqual(idsOf(first.slice(0, 1)))
})

it('is open while anybody listens, and shows what has happened since when somebody comes back', async () => {
  const server = createServer([...first])
  const followed = followSession(server.source, 'ses_1')
  expect(server.followers.size).toBe(0)
  const leave = [followed.subscribe(() => {}), followed.subscribe(() => {})]
  await expect.poll(shownIn(followed)).toEqual(idsOf(first))
  leave[0]!()
  leave[0]!()
  expect(server.followers.size).toBe(1)
  leave[1]!()
  await expect.poll(() => server.followers.size).toBe(0)
  server.cutTo(3)
  const unsubscribe = followed.subscribe(() => {})
  await expect.poll(shownIn(followed)).toEqual(idsOf(first.slice(0, 3)))
  unsubscribe()
})

it('adds nothing after everybody has left', async () => {
  const server = createServer([...first])
  const letGo = server.holdReads()
  const followed = followSession(server.source, 'ses_1')
  followed.subscribe(() => {})()
  letGo()
  await new Promise((resolve) => setTimeout(resolve))
  expect(followed.get()).toMatchObject({ status: 'loading', messages: [] })
})

it('notices that the place of a message was taken by another', async () => {
  const server = createServer([...first])
  using followed = open(server.source)
  await expect.poll(shownIn(followed)).toEqual(idsOf(first))
  server.cutTo(3)
  const next = message(4, 'run_new')
  server.add(next)
  followed.refresh()
  await expect.poll(shownIn(followed)).toEqual(idsOf([...first.slice(0, 3), next]))
})

it('does not add what was read before the cut', async () => {
  const server = createServer(first.slice(0, 3))
  using followed = open(server.source)
  await expect.poll(shownIn(followed)).toEqual(idsOf(first.slice(0, 3)))
  server.add(first[3]!)
  const letGo = server.holdReads()
  followed.refresh() // reads the fourth message, which is undone while it is on its way
  await new Promise((resolve) => setTimeout(resolve))
  server.cutTo(1)
  followed.refresh()
  letGo()
  await expect.poll(shownIn(followed)).toEqual(idsOf(first.slice(0, 1)))
  const next = message(2, 'run_new')
  server.add(next)
  followed.refresh()
  await expect.poll(shownIn(followed)).toEqual(idsOf([first[0]!, next]))
})

it('shows nothing of a run that was undone before it was opened', async () => {
  const server = createServer(first.slice(0, 2), 'run_undone')
  using followed = open(server.source)
  const drafts: unknown[] = []
  followed.subscribe(() => drafts.push(followed.get().draft))
  await expect.poll(() => drafts.length).toBeGreaterThan(1)
  expect(drafts.every((draft) => draft === undefined)).toBe(true)
})

/** What the chat view shows of a session, without a browser: the real client against the real server. */
import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { ModelAdapter } from '../../src/core/models/adapter.ts'
import {
  answerFolding,
  createConversationFeed,
  type Conversation,
  type ConversationFeed,
} from '../../web/src/session/conversation.ts'
import { calls, createScripted, says, type Script } from '../chat-harness.ts'
import { startApp } from '../http/app-server.ts'

async function open(model?: ModelAdapter) {
  const server = await startApp({ ...(model && { model }), background: {} })
  const client = createClient({ baseUrl: server.url })
  const { id: sessionId } = await client.sessions.create({ title: 'A session' })
  const feed = createConversationFeed(client, { sessionId }, answerFolding)
  return {
    client,
    sessionId,
    feed,
    async [Symbol.asyncDispose]() {
      feed.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

const scripted = (script: Script) => createScripted(script)

/** The first state that is as wanted, now or later. */
function whenever(feed: ConversationFeed, isWanted: (state: Conversation) => boolean): Promise<Conversation> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isWanted(feed.get())) return
      stop()
      resolve(feed.get())
    }
    const stop = feed.subscribe(look)
    look()
  })
}

const textOf = ({ draft }: Conversation) => draft?.parts.map(({ text }) => text ?? '').join('') ?? ''
const isQuiet = ({ status, draft }: Conversation) => status === 'ready' && draft === undefined

it('shows an answer while it comes, then the same as a message of the log', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, ...rest] = says('Hello ', 'you')
  await using session = await open(scripted(() => [first!, promise, ...rest]))
  await session.client.sessions.send(session.sessionId, 'Hi')
  session.feed.wake()
  const coming = await whenever(session.feed, (state) => textOf(state) === 'Hello ')
  expect(coming.messages.map(({ role }) => role)).toEqual(['user'])
  resolve()
  const seen: Conversation[] = []
  session.feed.subscribe(() => seen.push(session.feed.get()))
  const over = await whenever(session.feed, (state) => isQuiet(state) && state.messages.length === 2)
  expect(over.messages[1]!.id).toBe(coming.draft!.messageId)
  // at no moment is the answer neither coming nor there
  expect(seen.filter(({ draft, messages }) => !draft && messages.length < 2)).toEqual([])
})

it('folds what it watched into what is stored', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const script: Script = (_request, call) =>
    call === 1
      ? [
          { type: 'reasoning-delta', text: 'hm' },
          { type: 'reasoning-end' },
          ...calls(['task_status', { action: 'list' }], ['unknown', {}]),
        ]
      : [...says('Nothing there.').slice(0, 1), promise, ...says().slice(-1)]
  await using session = await open(scripted(script))
  await session.client.sessions.send(session.sessionId, 'Which tasks are there?')
  session.feed.wake()
  const { draft } = await whenever(session.feed, (state) => textOf(state).endsWith('there.'))
  resolve()
  const { messages } = await whenever(session.feed, (state) => isQuiet(state) && state.messages.length === 2)
  // names on the wire, and that more may come, are not stored
  const watched = draft!.parts.map(({ partId: _partId, ...part }) =>
    part.text ? { ...part, state: 'done' } : part,
  )
  expect(watched).toEqual(messages[1]!.parts)
})

it('shows the whole of an answer that had begun before it looked', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, ...rest] = says('Long ago ', 'and now')
  await using session = await open(scripted(() => [first!, promise, ...rest]))
  await session.client.sessions.send(session.sessionId, 'Tell me')
  session.feed.wake()
  await whenever(session.feed, (state) => textOf(state) === 'Long ago ')
  const late = createConversationFeed(session.client, { sessionId: session.sessionId }, answerFolding)
  expect(textOf(await whenever(late, (state) => state.draft !== undefined))).toBe('Long ago ')
  late.close()
  resolve()
  await whenever(session.feed, (state) => state.messages.length === 2)
})

it('reads the log back page by page, without gaps', async () => {
  await using session = await open()
  for (let index = 1; index <= 120; index++)
    await session.client.sessions.append(session.sessionId, { role: 'user', content: `${index}` })
  const feed = createConversationFeed(session.client, { sessionId: session.sessionId }, answerFolding)
  const opened = await whenever(feed, isQuiet)
  expect([opened.messages.length, opened.messages[0]!.seq, opened.hasEarlier]).toEqual([100, 21, true])
  await Promise.all([feed.loadEarlier(), feed.loadEarlier()])
  const { messages, hasEarlier } = feed.get()
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  expect(hasEarlier).toBe(false)
  feed.close()
})

it('takes the wish for the next page as soon as one has come', async () => {
  await using session = await open()
  for (let index = 1; index <= 210; index++)
    await session.client.sessions.append(session.sessionId, { role: 'user', content: `${index}` })
  const feed = createConversationFeed(session.client, { sessionId: session.sessionId }, answerFolding)
  feed.subscribe(() => void feed.loadEarlier())
  const { messages } = await whenever(feed, ({ status, hasEarlier }) => status === 'ready' && !hasEarlier)
  expect(messages).toHaveLength(210)
  feed.close()
})

it('finds what others have added when it is woken', async () => {
  await using session = await open()
  await whenever(session.feed, isQuiet)
  await session.client.sessions.append(session.sessionId, { role: 'user', content: 'from elsewhere' })
  session.feed.wake()
  expect((await whenever(session.feed, ({ messages }) => messages.length === 1)).messages[0]!.seq).toBe(1)
})

it('says that there is no such session', async () => {
  await using session = await open()
  const feed = createConversationFeed(session.client, { sessionId: 'ses_missing' }, answerFolding)
  const { error } = await whenever(feed, ({ status }) => status === 'failed')
  expect(error).toMatchObject({ code: 'not_found' })
  feed.close()
})

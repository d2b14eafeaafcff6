import { expect, it } from 'vitest'
import {
  createClient,
  type ClientOptions,
  type Conversation,
  type FollowedSession,
} from '../src/client/index.ts'
import type { ModelAdapter } from '../src/core/models/adapter.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { startApp } from './http/app-server.ts'

async function open(model?: ModelAdapter, options: ClientOptions = {}) {
  const server = await startApp({ ...(model && { model }), background: {} })
  const client = createClient({ baseUrl: server.url, ...options })
  const { id: sessionId } = await client.sessions.create({ title: 'A session' })
  const followed = client.sessions.follow(sessionId)
  const unsubscribe = followed.subscribe(() => {})
  return {
    client,
    sessionId,
    followed,
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await server[Symbol.asyncDispose]()
    },
  }
}

const scripted = (script: Script) => createScripted(script)

/** The first state that is as wanted, now or later. */
function whenever(
  followed: FollowedSession,
  isWanted: (state: Conversation) => boolean,
): Promise<Conversation> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isWanted(followed.get())) return
      stop()
      resolve(followed.get())
    }
    const stop = followed.subscribe(look)
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
  const coming = await whenever(session.followed, (state) => textOf(state) === 'Hello ')
  expect(coming.messages.map(({ role }) => role)).toEqual(['user'])
  resolve()
  const seen: Conversation[] = []
  session.followed.subscribe(() => seen.push(session.followed.get()))
  const over = await whenever(session.followed, (state) => isQuiet(state) && state.messages.length === 2)
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
  const { draft } = await whenever(session.followed, (state) => textOf(state).endsWith('there.'))
  resolve()
  const { messages } = await whenever(
    session.followed,
    (state) => isQuiet(state) && state.messages.length === 2,
  )
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
  await whenever(session.followed, (state) => textOf(state) === 'Long ago ')
  const late = session.client.sessions.follow(session.sessionId)
  expect(textOf(await whenever(late, (state) => state.draft !== undefined))).toBe('Long ago ')
  resolve()
  await whenever(session.followed, (state) => state.messages.length === 2)
})

it('reads the log back page by page, without gaps', async () => {
  await using session = await open()
  for (let index = 1; index <= 120; index++)
    await session.client.sessions.append(session.sessionId, { role: 'user', content: `${index}` })
  const followed = session.client.sessions.follow(session.sessionId)
  const unsubscribe = followed.subscribe(() => {})
  const opened = await whenever(followed, isQuiet)
  expect([opened.messages.length, opened.messages[0]!.seq, opened.hasEarlier]).toEqual([100, 21, true])
  await Promise.all([followed.loadEarlier(), followed.loadEarlier()])
  const { messages, hasEarlier } = followed.get()
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1))
  expect(hasEarlier).toBe(false)
  unsubscribe()
})

it('takes the wish for the next page as soon as one has come', async () => {
  await using session = await open()
  for (let index = 1; index <= 210; index++)
    await session.client.sessions.append(session.sessionId, { role: 'user', content: `${index}` })
  const followed = session.client.sessions.follow(session.sessionId)
  const unsubscribe = followed.subscribe(() => void followed.loadEarlier())
  const { messages } = await whenever(followed, ({ status, hasEarlier }) => status === 'ready' && !hasEarlier)
  expect(messages).toHaveLength(210)
  unsubscribe()
})

it('finds what others have added', async () => {
  await using session = await open()
  await whenever(session.followed, isQuiet)
  await session.client.sessions.append(session.sessionId, { role: 'user', content: 'from elsewhere' })
  session.followed.refresh()
  expect((await whenever(session.followed, ({ messages }) => messages.length === 1)).messages[0]!.seq).toBe(1)
})

it('says that there is no such session', async () => {
  await using session = await open()
  const followed = session.client.sessions.follow('ses_missing')
  const { error } = await whenever(followed, ({ status }) => status === 'failed')
  expect(error).toMatchObject({ code: 'not_found' })
  await expect(Array.fromAsync(followed)).rejects.toMatchObject({ code: 'not_found' })
})

it('yields each change to a loop, and is closed by leaving it', async () => {
  await using session = await open(scripted(() => says('Hello ', 'you')))
  const lengths: number[] = []
  for await (const { messages } of session.client.sessions.follow(session.sessionId)) {
    if (lengths.length === 0) await session.client.sessions.send(session.sessionId, 'Hi')
    lengths.push(messages.length)
    if (messages.length === 2) break
  }
  expect(lengths).toEqual(lengths.toSorted((one, other) => one - other))
  const leaving = new AbortController()
  for await (const _ of session.client.sessions.follow(session.sessionId, { signal: leaving.signal }))
    leaving.abort()
})

/** Which requests are made, in order, without what is said in their queries. */
function recordRequests() {
  const requests: string[] = []
  const record: typeof fetch = (input, init) => {
    requests.push(new URL(String(input)).pathname.split('/').at(-1)!)
    return fetch(input, init)
  }
  return { requests, fetch: record }
}

it('opens nothing before somebody subscribes, and opens again after everybody has left', async () => {
  await using server = await startApp({ background: {} })
  const { requests, fetch: record } = recordRequests()
  const { sessions } = createClient({ baseUrl: server.url, fetch: record })
  const { id } = await sessions.create()
  requests.length = 0
  const followed = sessions.follow(id)
  followed.refresh()
  await followed.loadEarlier()
  expect([requests, followed.get().status]).toEqual([[], 'loading'])
  // as React does with effects under StrictMode
  followed.subscribe(() => {})()
  const unsubscribe = followed.subscribe(() => {})
  await whenever(followed, isQuiet)
  await sessions.send(id, 'Hi')
  await whenever(followed, ({ messages }) => messages.length === 2)
  unsubscribe()
  await expect.poll(() => server.events.followers).toBe(0)
  requests.length = 0
  await sessions.chat(id, 'Are you there?')
  expect([requests, followed.get().messages.length]).toEqual([['chat'], 2])
  await whenever(followed, ({ messages }) => messages.length === 4)
})

it('reads the log once when a run has ended, since its end is emitted after its commit', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, ...rest] = says('Hello ', 'you')
  await using server = await startApp({ model: scripted(() => [first!, promise, ...rest]) })
  const { requests, fetch: record } = recordRequests()
  const { sessions } = createClient({ baseUrl: server.url, fetch: record })
  const { id } = await sessions.create()
  await sessions.send(id, 'Hi')
  // no events: what is read is read because of the stream alone
  const followed = sessions.follow(id, { events: () => () => {} })
  const unsubscribe = followed.subscribe(() => {})
  await whenever(followed, (state) => textOf(state) === 'Hello ')
  requests.length = 0
  resolve()
  await whenever(followed, (state) => isQuiet(state) && state.messages.length === 2)
  unsubscribe()
  expect(requests).toEqual(['messages'])
})

it('goes on by itself after a connection that was lost', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [first, ...rest] = says('Hello ', 'you')
  let isDown = false
  const refused = Promise.withResolvers<void>()
  const cuts = new Set<AbortController>()
  await using session = await open(
    scripted(() => [first!, promise, ...rest]),
    {
      async fetch(input, init) {
        if (isDown) {
          refused.resolve()
          throw new TypeError('the network is down')
        }
        const cut = new AbortController()
        cuts.add(cut)
        const signal = init?.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal
        return fetch(input, { ...init, signal })
      },
    },
  )
  await session.client.sessions.send(session.sessionId, 'Hi')
  await whenever(session.followed, (state) => textOf(state) === 'Hello ')
  isDown = true
  for (const cut of cuts) cut.abort(new TypeError('the connection was cut'))
  resolve()
  await refused.promise
  isDown = false
  const { messages } = await whenever(
    session.followed,
    (state) => isQuiet(state) && state.messages.length === 2,
  )
  expect(messages[1]!.parts.findLast(({ type }) => type === 'text')?.text).toBe('Hello you')
})

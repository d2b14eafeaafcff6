import { describe, expect, it } from 'vitest'
import { createGate } from './gates.ts'
import { databases, type OpenDatabase } from './harness.ts'
import { openRooms, type AgentScript } from './room-harness.ts'

type Opened = Awaited<ReturnType<typeof openRooms>>

/** All that is to be seen of where a room stands. */
async function look({ parley, read, rounds }: Opened, id: string) {
  const { mode, modeState, messageCount } = await parley.sessions.get(id)
  const room = await read(id)
  expect(room.state, 'what the room says and what its session says').toEqual(modeState)
  return {
    mode,
    modeState,
    messageCount,
    asks: room.asks,
    canAdvance: room.canAdvance,
    rounds: await rounds(id),
  }
}

async function rollBack({ parley }: Opened, id: string, place: number) {
  const { items } = await parley.sessions.checkpoints(id)
  await parley.sessions.rollback(id, { checkpointId: items.at(place)!.id })
}

const withoutRounds = ({ rounds: _, ...seen }: Awaited<ReturnType<typeof look>>) => seen

const quizzers: AgentScript = ({ request }) => {
  const wanted = JSON.stringify(request.replyFormat?.schema ?? {})
  if (wanted.includes('"question"')) return { question: 'Capital of Italy?', kind: 'fill_in', answer: 'Rome' }
  return wanted.includes('"answer"') ? { answer: 'Rome' } : 'ok'
}
const openQuiz = async (openDatabase: OpenDatabase, more = {}) => {
  const opened = await openRooms(openDatabase, quizzers, more)
  const modeState = { rounds: 3, auto: false, seed: 1 }
  const id = await opened.room(['mira', 'quill', 'pip'], { mode: 'quiz', modeState })
  return { opened, id }
}

describe.each(databases)('a room that is rolled back on %s', (_name, openDatabase) => {
  it('waits again for a yes to the plan that waited for it', async () => {
    await using opened = await openRooms(openDatabase, ({ agent, prompt }) =>
      prompt.includes('room_answer') ? {} : `${agent} plans.`,
    )
    const id = await opened.room(['coder', 'reviewer', 'tester'], { mode: 'workflow' })
    await opened.say(id, 'Write a divider')
    const waiting = await look(opened, id)
    expect(waiting).toMatchObject({
      modeState: { waitsForConfirmation: true, phase: 'proposal' },
      asks: [{ human: 'operator' }],
    })
    await opened.advance(id, { action: { approved: false } })
    await opened.say(id, 'In Rust')
    expect(await look(opened, id)).not.toEqual(waiting)
    await rollBack(opened, id, -1)
    // the no was said before, so it stands
    expect((await look(opened, id)).modeState).toMatchObject({ lastOutcome: 'declined' })

    await opened.setMode(id, { mode: 'workflow' })
    await opened.say(id, 'Write a divider')
    const again = await look(opened, id)
    expect(again.modeState).toMatchObject({ waitsForConfirmation: true })
    await opened.say(id, 'In Rust')
    await rollBack(opened, id, -1)
    expect(await look(opened, id)).toEqual(again)
    const { run } = await opened.advance(id, { action: { approved: true } })
    expect(run.kind).toBe('room')
    expect((await opened.read(id)).state).toMatchObject({ phase: 'implementation' })
  })

  it('has a game stand where it stood, and goes on from there', async () => {
    const { opened, id } = await openQuiz(openDatabase)
    await using _ = opened
    await opened.say(id, 'begin')
    const afterOne = await look(opened, id)
    expect(afterOne.modeState).toMatchObject({ phase: 'between', round: 1 })
    await opened.say(id, 'next')
    const afterTwo = await look(opened, id)
    await opened.say(id, 'next')
    expect((await look(opened, id)).modeState).toMatchObject({ phase: 'ended' })
    await rollBack(opened, id, -1)
    expect(await look(opened, id)).toEqual(afterTwo)
    await rollBack(opened, id, -1)
    expect(await look(opened, id)).toEqual(afterOne)
    await opened.say(id, 'next')
    expect(withoutRounds(await look(opened, id))).toEqual(withoutRounds(afterTwo))
    await rollBack(opened, id, 0)
    expect(await look(opened, id)).toMatchObject({
      messageCount: 0,
      modeState: { phase: 'lobby', rounds: 3 },
      rounds: [],
    })
  })

  it('is in the mode that it was in', async () => {
    await using opened = await openRooms(openDatabase, quizzers)
    const id = await opened.room(['mira', 'quill', 'pip'], { room: { policy: 'round-robin' } })
    await opened.say(id, 'hello')
    const before = await look(opened, id)
    await opened.say(id, 'and now a quiz')
    await opened.setMode(id, { mode: 'quiz', modeState: { rounds: 1 } })
    await opened.say(id, 'begin')
    await rollBack(opened, id, 1)
    expect(before).toMatchObject({ mode: 'free_chat', modeState: { next: 'quill' } })
    expect(await look(opened, id)).toEqual(before)
    await opened.say(id, 'hello')
    expect(opened.calls.at(-1)!.agent).toBe('quill')
  })

  it('begins anew where it is not kept any more, and keeps no more than it is told to', async () => {
    const { opened, id } = await openQuiz(openDatabase, { rooms: { keptStates: 2 } })
    await using _ = opened
    await opened.say(id, 'begin')
    const { messageCount } = await opened.parley.sessions.get(id)
    await opened.say(id, 'next')
    const { store } = opened.parley
    const kept = new Set<unknown>()
    for (let seq = 0; seq <= 100; seq++)
      kept.add(JSON.stringify((await store.getRoomStateAt(id, seq))?.state))
    expect(kept.size).toBe(3) // and none
    expect(await store.getRoomStateAt(id, messageCount)).toBeUndefined()
    await rollBack(opened, id, -1)
    expect(await look(opened, id)).toMatchObject({
      messageCount,
      modeState: { phase: 'lobby', rounds: 3 },
      canAdvance: true,
    })
  })

  it('is not asked to go on with a round that is undone', async () => {
    const asked = createGate()
    await using opened = await openRooms(openDatabase, async ({ told, signal }) => {
      if (!told.includes('wait')) return 'ok'
      const stopped = new Promise<string>((_, reject) =>
        signal.addEventListener('abort', reject, { once: true }),
      )
      void asked.wait()
      return stopped
    })
    const id = await opened.room(['mira'])
    await opened.say(id, 'hello')
    const before = await look(opened, id)
    const { runId } = await opened.parley.sessions.send(id, 'wait')
    await asked.reached
    await opened.parley.sessions.stop(id)
    await opened.parley.chats.answerOf(
      { id: runId, scope: 'default', sessionId: id },
      new AbortController().signal,
    )
    expect(await look(opened, id)).toMatchObject({ canAdvance: true })
    await rollBack(opened, id, -1)
    expect(await look(opened, id)).toEqual(before)
  })
})

describe.each(databases)('a fork of a room on %s', (_name, openDatabase) => {
  it('stands where the original stood at its message, and neither moves the other', async () => {
    const { opened, id } = await openQuiz(openDatabase)
    await using _ = opened
    await opened.say(id, 'begin')
    const afterOne = await look(opened, id)
    const { items } = await opened.parley.sessions.messages(id, { limit: 200 })
    await opened.say(id, 'next')
    const afterTwo = await look(opened, id)
    const fork = await opened.parley.sessions.fork(id, { messageId: items.at(-1)!.id })
    expect(fork.modeState).toEqual(afterOne.modeState)
    expect(withoutRounds(await look(opened, fork.id))).toEqual(withoutRounds(afterOne))
    await opened.say(fork.id, 'next')
    expect((await look(opened, fork.id)).modeState).toMatchObject({ phase: 'between', round: 2 })
    expect(await look(opened, id)).toEqual(afterTwo)

    const second = await opened.parley.sessions.fork(fork.id, { messageId: items[0]!.id, before: true })
    expect((await look(opened, second.id)).modeState).toMatchObject({ phase: 'lobby', round: 0 })
    await opened.advance(second.id)
    expect((await look(opened, second.id)).modeState).toMatchObject({ phase: 'between', round: 1 })
  })

  it('waits for the yes to a plan that the original has got since', async () => {
    await using opened = await openRooms(openDatabase, ({ agent, prompt }) =>
      prompt.includes('room_answer') ? {} : `${agent} plans.`,
    )
    const id = await opened.room(['coder', 'reviewer', 'tester'], { mode: 'workflow' })
    await opened.say(id, 'Write a divider')
    const waiting = withoutRounds(await look(opened, id))
    const { items } = await opened.parley.sessions.messages(id, { limit: 200 })
    await opened.advance(id, { action: { approved: true } })
    expect((await look(opened, id)).modeState).not.toEqual(waiting.modeState)
    const fork = await opened.parley.sessions.fork(id, { messageId: items.at(-1)!.id })
    expect(waiting.asks).toHaveLength(1)
    expect(withoutRounds(await look(opened, fork.id))).toEqual(waiting)
  })

  it('goes on with whoever was to be asked at its message', async () => {
    const { opened, id } = await openQuiz(openDatabase)
    await using _ = opened
    await opened.say(id, 'begin')
    const { items } = await opened.parley.sessions.messages(id, { limit: 200 })
    const question = items.find((message) => JSON.stringify(message.parts).includes('Capital'))!
    const fork = await opened.parley.sessions.fork(id, { messageId: question.id })
    expect((await look(opened, fork.id)).modeState).toMatchObject({ phase: 'answers', answered: [] })
    await opened.advance(fork.id)
    expect((await look(opened, fork.id)).modeState).toMatchObject({ phase: 'between', round: 1 })
  })
})

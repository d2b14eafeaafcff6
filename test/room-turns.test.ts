import { describe, expect, it } from 'vitest'
import { databases } from './harness.ts'
import { openRooms, type AgentCall } from './room-harness.ts'

/** Holds callers back until it is opened. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

describe.each(databases)('turns of a room on %s', (_name, openDatabase) => {
  it('has several agents answer at the same time, from the same history', async () => {
    const all = gate()
    let waiting = 0
    await using opened = await openRooms(openDatabase, async ({ agent }) => {
      // nobody says anything before everybody was asked
      if (++waiting === 3) all.open()
      await all.opened
      return `I am ${agent}.`
    })
    const id = await opened.room(['mira', 'quill', 'pip'])
    await opened.say(id, 'hello')
    // beside the date, all that there is
    const said = opened.calls.map(({ told }) => told.split('</context>').at(-1)!.trim())
    expect(said).toEqual(Array(3).fill('<message from="operator">\nhello\n</message>'))
  })

  it('stores answers in the order of the room, whoever was faster', async () => {
    const last = gate()
    await using opened = await openRooms(openDatabase, async ({ agent }) => {
      if (agent === 'mira') await last.opened
      if (agent === 'pip') last.open()
      return agent
    })
    const id = await opened.room(['mira', 'quill', 'pip'])
    await opened.say(id, 'hello')
    expect(await opened.log(id)).toEqual(['operator: hello', 'mira: mira', 'quill: quill', 'pip: pip'])
  })

  it('lets others answer when one fails, and says in the log what went wrong', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => (agent === 'quill' ? '' : agent))
    const id = await opened.room(['mira', 'quill', 'pip'])
    const { run } = await opened.say(id, 'hello')
    expect(run.status).toBe('completed')
    expect(await opened.log(id)).toEqual(['operator: hello', 'mira: mira', 'quill: ', 'pip: pip'])
    const { items } = await opened.parley.sessions.messages(id)
    expect(items[2]!.metadata).toMatchObject({ agent: 'quill', error: { code: 'empty_answer' } })
    // nobody is told of it
    await opened.say(id, '@pip and now?')
    expect(opened.calls.at(-1)!.told).not.toContain('Quill')
  })

  it('fails when nobody can answer', async () => {
    await using opened = await openRooms(openDatabase, () => '')
    const id = await opened.room(['mira', 'quill'])
    const { run } = await opened.say(id, 'hello')
    expect(run).toMatchObject({ status: 'failed', outcome: { code: 'agents_failed' } })
  })

  it('leaves out who stays silent', async () => {
    await using opened = await openRooms(openDatabase, async function* ({ agent }: AgentCall) {
      if (agent === 'mira') yield* ['REPLY', '_SKIP', '\n']
      else yield* ['REPLY', '_SKIP is a word']
    })
    const id = await opened.room(['mira', 'quill'])
    const events: unknown[] = []
    for await (const { chunk } of opened.say(id, 'hello')) events.push(chunk)
    expect(await opened.log(id)).toEqual(['operator: hello', 'quill: REPLY_SKIP is a word'])
    expect(JSON.stringify(events)).not.toContain('mira:text')
    const [round] = await opened.rounds(id)
    expect(round!.turns.map(({ status }) => status)).toEqual(['skipped', 'said'])
  })

  it('tells what each agent says under its name, over one stream', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira', 'quill'])
    const chunks: Record<string, unknown>[] = []
    for await (const { chunk } of opened.say(id, 'hello')) chunks.push(chunk)
    expect(chunks[0]).toMatchObject({ type: 'start' })
    expect(chunks.at(-1)).toMatchObject({ type: 'finish' })
    expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1)
    const starts = chunks.filter(({ type }) => type === 'text-start')
    // whoever of them is faster
    expect(starts.map(({ providerMetadata }) => JSON.stringify(providerMetadata)).sort()).toEqual([
      '{"parley":{"agent":"mira"}}',
      '{"parley":{"agent":"quill"}}',
    ])
    expect(chunks.find(({ type }) => type === 'data-round')).toMatchObject({
      data: { number: 1, agents: ['mira', 'quill'] },
    })
    const said = chunks.filter(
      ({ type, data }) => type === 'data-agent' && (data as { status: string }).status === 'said',
    )
    expect(said).toHaveLength(2)
  })

  it('keeps what was said when it is stopped, and goes on with the rest when asked to', async () => {
    let isSlow = true
    await using opened = await openRooms(openDatabase, async function* ({ agent, signal }: AgentCall) {
      yield `I am ${agent}`
      if (agent === 'quill' && isSlow)
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )
      yield '.'
    })
    const id = await opened.room(['mira', 'quill'])
    const answer = opened.say(id, 'hello')
    for await (const { chunk } of answer)
      if (chunk.type === 'text-delta' && chunk.delta === 'I am quill') {
        await expect.poll(async () => (await opened.rounds(id))[0]?.turns.length).toBe(2)
        void opened.parley.sessions.stop(id)
      }
    expect((await answer).run.status).toBe('cancelled')
    expect(await opened.log(id)).toEqual(['operator: hello', 'mira: I am mira.', 'quill: I am quill'])
    isSlow = false
    expect((await opened.read(id)).canAdvance).toBe(true)
    await opened.advance(id)
    expect(await opened.log(id)).toEqual([
      'operator: hello',
      'mira: I am mira.',
      'quill: I am quill',
      'quill: I am quill.',
    ])
  })

  it('takes a seat anew when the log was rolled back', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira'])
    await opened.say(id, 'first')
    await opened.say(id, 'forget this')
    const { items } = await opened.parley.sessions.checkpoints(id)
    await opened.parley.sessions.rollback(id, { checkpointId: items.at(-1)!.id })
    expect(await opened.log(id)).toEqual(['operator: first', 'mira: I am mira.'])
    await opened.say(id, 'second')
    expect(opened.calls.at(-1)!.prompt).not.toContain('forget this')
    expect(opened.calls.at(-1)!.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
  })

  it('refuses to talk to a seat, and strangers in a room', async () => {
    await using opened = await openRooms(openDatabase, ({ agent }) => `I am ${agent}.`)
    const id = await opened.room(['mira'], { room: { humans: [{ name: 'anna' }, { name: 'ben' }] } })
    await opened.say(id, 'hello', 'ben')
    expect(opened.calls[0]!.told).toContain('from="ben"')
    await expect(opened.say(id, 'hello', 'carl')).rejects.toThrow('carl')
    const [round] = await opened.rounds(id)
    await expect(opened.say(round!.turns[0]!.sessionId!, 'psst')).rejects.toMatchObject({ code: 'conflict' })
    expect(await opened.log(id)).toHaveLength(2)
  })

  it('asks for an object, and asks again when it is none', async () => {
    const tries: string[] = []
    await using opened = await openRooms(openDatabase, ({ told }) => {
      tries.push(told)
      return tries.length === 1 ? 'no' : { vote: 'pip', say: 'I vote.' }
    })
    const { modes } = opened.parley.services.rooms
    const [free] = modes
    const schema = {
      type: 'object',
      properties: { vote: { enum: ['pip'] }, say: { type: 'string' } },
      required: ['vote'],
    }
    opened.parley.services.rooms.modes = [
      {
        ...free!,
        onInput: (_, state) => ({
          state,
          statements: [{ text: 'Vote!' }],
          asks: [{ agent: 'mira', task: 'Choose.', schema, isPrivate: true }],
          routing: { reason: 'mode', text: '', mentions: [] },
        }),
        onAnswers: (_, state, [answer]) => ({
          state,
          statements: [{ agent: 'mira', text: `voted ${String(answer!.data!.vote)}: ${answer!.text}` }],
          asks: [],
          routing: { reason: 'nobody', text: '', mentions: [] },
        }),
      },
    ]
    const id = await opened.room(['mira'])
    await opened.say(id, 'begin')
    expect(await opened.log(id)).toEqual(['operator: begin', '*: Vote!', 'mira: voted pip: I vote.'])
    expect(tries[0]).toContain('Choose.')
    expect(tries[1]).toContain('not taken')
  })
})

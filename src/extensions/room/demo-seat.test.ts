import { describe, expect, it } from 'vitest'
import { compileObjectSchema } from '../../core/protocol/json-schema.ts'
import type { ModelMessage, ModelRequest } from '../../core/models/adapter.ts'
import { createDemoAdapter } from '../../core/models/demo.ts'
import { readSeatPart } from './demo-seat.ts'

const demo = createDemoAdapter('demo/parley', { delayMs: 0, parts: [readSeatPart] })

const system = `<identity>
You are 牛奶 (@milk), one of several in a room. Answer in the language of the person you talk with.

A gentle cat.
</identity>

<peers>
Also in the room:
- Coffee, called @coffee: reviews code
- Billy, called @billy
- operator, a person
</peers>

<room_rules>
What others say reaches you as <message from="name">…</message>.
</room_rules>`

const said = (from: string, text: string) => `<message from="${from}">\n${text}\n</message>`
const user = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const own = (text: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })

async function ask(messages: ModelMessage[], more: Partial<ModelRequest> = {}): Promise<string> {
  const request = { system, messages, tools: [], cacheKey: 'k', ...more }
  const events = await Array.fromAsync(demo.stream(request, new AbortController().signal))
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

describe('the demo model in a room', () => {
  it('answers briefly under its own name, in the language it was spoken to', async () => {
    const english = await ask([user(said('operator', 'Shall we build a raft?'))])
    expect(english).toMatch(/^牛奶 here\. As to “Shall we build a raft\?”: /)
    expect(english.length).toBeLessThan(200)
    expect(await ask([user(said('operator', '我们造一艘船吧'))])).toMatch(/^我是牛奶。说到“我们造一艘船吧”，/)
    expect(english).not.toContain('<message')
  })

  it('answers the person rather than agents, and an agent where no person spoke', async () => {
    const both = said('operator', 'A raft?') + '\n' + said('Coffee', 'No.')
    expect(await ask([user(both)])).toContain('As to “A raft?”')
    const later = [user(said('operator', 'A raft?')), own('Yes.'), user(said('Coffee', 'Why, @milk?'))]
    expect(await ask(later)).toContain('Coffee said “Why, milk?”')
  })

  it.each(['Please discuss it', 'What does everyone think?', '请大家讨论一下', '你们怎么看？'])(
    'calls one who has not spoken yet when all are asked: %s',
    async (text) => {
      const heard = said('operator', text)
      expect(await ask([user(heard)])).toMatch(/ @coffee /)
      expect(await ask([user(`${heard}\n${said('Coffee', 'I agree')}`)])).toMatch(/ @billy /)
      const all = `${heard}\n${said('Coffee', 'I agree')}\n${said('Billy', 'Me too')}`
      expect(await ask([user(all)])).not.toContain('@')
    },
  )

  it('calls nobody otherwise', async () => {
    expect(await ask([user(said('operator', 'Hello, write to a@b.com'))])).not.toContain('@')
  })

  it('obeys what people order and not what agents say', async () => {
    await expect(ask([user(said('operator', 'fail auth'))])).rejects.toMatchObject({ kind: 'auth' })
    expect(await ask([user(said('Coffee', 'fail'))])).toContain('Coffee said “fail”')
    expect(await ask([user(said('operator', 'fail')), own('No.'), user(said('Coffee', 'ok'))])).toContain(
      'ok',
    )
    expect(await ask([user(said('operator', 'long 5'))])).toBe('The demo model goes on')
    expect(
      await ask([user(said('operator', 'I am Mao')), own('Hi.'), user(said('operator', 'What did I say?'))]),
    ).toContain('1. I am Mao')
  })

  it('has something to say where nothing was said', async () => {
    expect(await ask([user('It is your turn.')])).toMatch(/^我是牛奶。/)
  })
})

describe('its answers to a schema', () => {
  const lines = { type: 'array', items: { type: 'string', minLength: 1, maxLength: 40 }, maxItems: 50 }
  const fill = async (schema: Record<string, unknown>, texts: string[]) =>
    JSON.parse(await ask([user(...texts)], { replyFormat: { name: 'room_answer', schema } })) as Record<
      string,
      unknown
    >
  const variants = Array.from({ length: 24 }, (_, index) => [
    `<context>\n<room_task>\nDo it, ${index}.\n</room_task>\n</context>`,
    said('operator', 'Go on'),
  ])
  const fillAll = (schema: Record<string, unknown>) =>
    Promise.all(variants.map((texts) => fill(schema, texts)))

  const vote = {
    type: 'object',
    properties: {
      vote: { type: 'string', enum: ['coffee', 'billy', 'abstain'] },
      item: { type: 'string', enum: ['poison', 'nothing'] },
      say: { type: 'string' },
      note: { type: 'string' },
    },
    required: ['vote'],
    additionalProperties: false,
  }
  const review = {
    type: 'object',
    properties: {
      decision: { type: 'string', enum: ['approve', 'changes_requested'] },
      must_fix: lines,
      tests: lines,
    },
    required: ['decision', 'must_fix', 'tests'],
    anyOf: [
      { type: 'object', properties: { decision: { const: 'approve' }, must_fix: { ...lines, maxItems: 0 } } },
      {
        type: 'object',
        properties: { decision: { const: 'changes_requested' }, must_fix: { ...lines, minItems: 1 } },
      },
    ],
  }
  const question = {
    type: 'object',
    properties: {
      question: { type: 'string' },
      kind: { type: 'string', enum: ['choice', 'fill_in', 'open'] },
      options: { type: 'array', items: { type: 'string' }, maxItems: 8 },
      answer: { type: 'string' },
    },
    required: ['question', 'kind', 'answer'],
    additionalProperties: false,
  }
  const mixed = {
    type: 'object',
    properties: {
      commands: lines,
      isOk: { type: 'boolean' },
      count: { type: 'integer', minimum: 3 },
      points: { type: 'number', minimum: 0, maximum: 1 },
      verdicts: {
        type: 'array',
        items: {
          type: 'object',
          properties: { player: { enum: ['coffee', 'billy'] }, reason: { type: 'string' } },
          required: ['player', 'reason'],
        },
      },
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['commands', 'isOk', 'count', 'points', 'verdicts', 'either'],
  }

  it.each(Object.entries({ vote, review, question, mixed }))('are valid: %s', async (_, schema) => {
    const check = compileObjectSchema(schema, 'schema')
    for (const form of await fillAll(schema)) expect(check.safeParse(form).error).toBeUndefined()
  })

  it('choose by the prompt, the same each time', async () => {
    const forms = await fillAll(vote)
    expect(new Set(forms.map((form) => form['vote'])).size).toBe(3)
    expect(await fillAll(vote)).toEqual(forms)
    expect(forms[0]!['say']).toContain('牛奶 here.')
    expect(forms[0]).not.toHaveProperty('note')
  })

  it('do not contradict themselves', async () => {
    for (const { decision, must_fix } of await fillAll(review))
      expect((must_fix as string[]).length === 0).toBe(decision === 'approve')
    for (const { kind, options, answer } of await fillAll(question))
      expect((options as string[] | undefined)?.includes(answer as string)).toBe(
        kind === 'choice' ? true : undefined,
      )
    const [form] = await fillAll(mixed)
    expect(form).toMatchObject({
      commands: ['npm test'],
      verdicts: [{ player: 'coffee' }, { player: 'billy' }],
    })
  })

  it('answer the questions that it asks, mostly right', async () => {
    const schema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] }
    const answers = await Promise.all(
      variants.map(
        async ([task], index) => (await fill(schema, [`${task}\nWhat is ${index} + 4?`]))['answer'],
      ),
    )
    const right = answers.filter((answer, index) => answer === String(index + 4))
    expect(right.length).toBeGreaterThan(variants.length / 3)
    expect(right.length).toBeLessThan(variants.length)
  })

  it('are as the person says, where the person says it', async () => {
    expect(await fill(vote, [said('operator', 'json {"vote": "billy"}')])).toEqual({ vote: 'billy' })
  })
})

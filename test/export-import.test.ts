import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createParley, type Parley } from '../src/parley.ts'
import type { Part } from '../src/core/protocol/message.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { arbitraryDocument } from '../src/core/sessions/formats/arbitrary-document.ts'
import type { MessageToAppend } from '../src/core/store/queries/messages.ts'
import { toParts } from '../src/core/protocol/message.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, temporaryFolder, toOptions, type OpenDatabase } from './harness.ts'
import { tries } from './property-runs.ts'

const formats = ['json', 'yaml', 'jsonl', 'markdown'] as const

const nested = (depth: number): unknown => (depth === 0 ? 'deep' : { in: nested(depth - 1) })
const hostile: Record<string, unknown> = {
  'a NUL character': 'a\0b',
  'half a character': 'a\ud800b',
  'a NUL character in a key': { 'a\0b': 1 },
  'a key that is the prototype': JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as unknown,
  'a value in 80 levels': nested(80),
  'a value in 1,200 levels': nested(1_200),
  nothing: undefined,
}

async function openParley(openDatabase: OpenDatabase, session?: WindowSettings) {
  const database = await openDatabase()
  const model = createScripted((request) => {
    const last = request.messages.at(-1)!
    const [said] = last.content as { type: string; text?: string }[]
    if (last.role !== 'user') return says('done')
    const [, what] = /^use: (.*)$/s.exec(said?.text ?? '') ?? []
    if (what !== undefined) return calls(['odd', { what }])
    const [, words] = /^say: (.*)$/s.exec(said?.text ?? '') ?? []
    return says(words === undefined ? 'ok' : String(hostile[words]))
  })
  const odd = defineTool({
    name: 'odd',
    description: 'Answers with something odd',
    input: z.strictObject({ what: z.string() }),
    execute: async ({ what }) => hostile[what],
  })
  const parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    tools: [odd],
    session,
  })
  return {
    parley,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Exports, deletes and imports it again; what is exported then is the same text. */
async function expectBack(
  { sessions }: Parley,
  id: string,
  format: (typeof formats)[number],
): Promise<string> {
  const text = await sessions.export(id, { format })
  await sessions.delete(id)
  const back = await sessions.import(text)
  expect(back.id).toBe(id)
  expect(await sessions.export(id, { format }), format).toBe(text)
  return text
}

describe.each(anyDatabase)('an export can be imported on %s', (_name, openDatabase) => {
  it.each(Object.keys(hostile))('when a tool answered with %s', async (what) => {
    await using open = await openParley(openDatabase)
    const { id } = await open.parley.sessions.create()
    const { run } = await open.parley.sessions.chat(id, `use: ${what}`)
    expect(run.status).toBe('completed')
    for (const format of formats) await expectBack(open.parley, id, format)
    // and talked on with
    expect((await open.parley.sessions.chat(id, 'go on')).run.status).toBe('completed')
  })

  it.each(['a NUL character', 'half a character'])('when the model said %s', async (what) => {
    await using open = await openParley(openDatabase)
    const { id } = await open.parley.sessions.create()
    await open.parley.sessions.chat(id, `say: ${what}`)
    for (const format of formats) await expectBack(open.parley, id, format)
  })

  it.each([
    ['begins with control characters', '\u001b[31mred\u0007 \u007f alert'],
    ['has half of a character where a preview of it ends', `${'x'.repeat(199)}👩‍👩‍👧 and more`],
    ['has lines', 'one\ntwo\r\nthree\tfour\u2028five'],
  ])('when the first input %s', async (_what, text) => {
    await using open = await openParley(openDatabase)
    const { id } = await open.parley.sessions.create()
    await open.parley.sessions.chat(id, text)
    for (const format of formats) await expectBack(open.parley, id, format)
  })

  it('when its settings refuse the memo that it has: the log is taken in anew', async () => {
    await using open = await openParley(openDatabase)
    const { sessions } = open.parley
    const { id } = await sessions.create({ window: { mode: 'memo' } })
    await sessions.chat(id, 'hello')
    await sessions.setMemo(id, { memo: { facts: ['x'.repeat(500)] } })
    for (const memo of [
      { max_length: 100 },
      { schema: { type: 'object', properties: { mood: { type: 'string' } }, additionalProperties: false } },
    ]) {
      await sessions.setWindow(id, { mode: 'memo', memo })
      const text = await expectBack(open.parley, id, 'json')
      expect(JSON.parse(text)).toMatchObject({ session: { window: { mode: 'memo', memo } } })
      expect(await sessions.memo(id)).toMatchObject({ memo: {}, throughSeq: 0 })
      await sessions.setWindow(id, { mode: 'memo' })
      await sessions.setMemo(id, { memo: { facts: ['x'.repeat(500)] } })
    }
  })
})

describe.each(anyDatabase)('a memo of a document on %s', (_name, openDatabase) => {
  const document = (memo: object, session: object = {}) =>
    JSON.stringify({
      format: 'parley.session',
      version: 1,
      session: { id: 'told', ...session, memo: { memo, throughSeq: 1 } },
      messages: [{ role: 'user', content: 'hello' }],
    })
  const tooLong = { facts: ['x'.repeat(9_000)] }

  it.each<[string, object, object, RegExp]>([
    ['a key that the schema does not have', { mood: 'happy' }, {}, /does not keep to its schema.*mood/],
    ['a wrong type', { facts: 'one' }, {}, /does not keep to its schema.*facts/],
    ['too many characters', tooLong, {}, /characters; 8000 are allowed \(memo\.max_length\)/],
    [
      'more characters than its own settings allow',
      { facts: ['x'.repeat(200)] },
      { window: { memo: { max_length: 100 } } },
      /characters; 100 are allowed/,
    ],
  ])('is refused as it is from a person: %s', async (_what, memo, session, message) => {
    await using open = await openParley(openDatabase)
    const { sessions } = open.parley
    const { id } = await sessions.create(session)
    const refused = { code: 'invalid_request', message: expect.stringMatching(message) }
    await expect(sessions.setMemo(id, { memo: memo as Record<string, unknown> })).rejects.toMatchObject(
      refused,
    )
    await expect(sessions.import(document(memo, session))).rejects.toMatchObject(refused)
    expect((await sessions.list()).items.map((item) => item.id)).toEqual([id])
  })

  it('may be what the settings of the Parley allow', async () => {
    const schema = { type: 'object', properties: { mood: { type: 'string' } }, additionalProperties: false }
    await using open = await openParley(openDatabase, { memo: { schema, max_length: 10_000 } })
    const { sessions } = open.parley
    await sessions.import(document({ mood: 'x'.repeat(9_000) }))
    await sessions.delete('told')
    await expect(sessions.import(document({ facts: [] }))).rejects.toThrow(
      /does not keep to its schema.*facts/,
    )
  })
})

const memo = fc.record(
  {
    facts: fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 3 }),
    recent_summary: fc.string({ unit: 'grapheme', maxLength: 40 }),
  },
  { requiredKeys: [] },
)
const window: fc.Arbitrary<WindowSettings> = fc.record(
  {
    mode: fc.constantFrom('lite', 'memo'),
    preset: fc.constantFrom('last-20', 'last-10', 'rounds-4-3', 'unlimited'),
    limit: fc.record(
      { chars: fc.nat(100_000), messages: fc.nat(50), tokens: fc.nat(50_000) },
      { requiredKeys: [] },
    ),
    resize: fc.record({ every_n_turns: fc.nat(20) }, { requiredKeys: [] }),
    memo: fc.record(
      {
        enabled: fc.boolean(),
        instruct: fc.string({ minLength: 1, maxLength: 50 }),
        max_length: fc.integer({ min: 100, max: 2_000 }),
        timeout_ms: fc.integer({ min: 100, max: 60_000 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
/** Parts of all kinds, with what tools and models may have put into them. */
const messages = fc.tuple(
  arbitraryDocument.map((given) => given.messages),
  fc.array(fc.constantFrom(...Object.values(hostile)), { maxLength: 2 }),
)

it('every session can be exported and imported again, with memo, window and all parts', async () => {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path })
  const { sessions, store } = parley
  await fc.assert(
    fc.asyncProperty(messages, window, memo, fc.boolean(), async ([log, odd], settings, kept, isCut) => {
      const { id } = await sessions.create({ window: settings })
      await store.appendMessages('default', id, [
        ...log.map(({ parts, content, ...message }) => ({ ...message, parts: toParts({ parts, content }) })),
        ...odd.map((output, index): MessageToAppend => ({
          role: 'assistant',
          parts: [
            { type: 'dynamic-tool', toolName: 'x', toolCallId: `c${index}`, input: {}, output } as Part,
          ],
        })),
      ])
      // what a person may write is not always short enough for the settings
      await sessions.setMemo(id, { memo: clean(kept) }).catch(() => {})
      if (isCut && log.length + odd.length > 0) await sessions.resize(id, { type: 'lite' }).catch(() => {})
      for (const format of formats) {
        const before = await sessions.memo(id)
        await expectBack(parley, id, format)
        const after = await sessions.memo(id)
        expect([after.memo, after.pinned, after.throughSeq]).toEqual([
          before.memo,
          before.pinned,
          before.throughSeq,
        ])
        expect((await sessions.window(id)).settings).toEqual(settings)
      }
      await sessions.delete(id)
    }),
    tries(30),
  )
})

const clean = (value: object) =>
  JSON.parse(
    JSON.stringify(value)
      .toWellFormed()
      .replaceAll(/\\u0000|\\ud[89a-f]../gi, ''),
  ) as Record<string, unknown>

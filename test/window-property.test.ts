import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toModelMessages } from '../src/core/chat/model-history.ts'
import type { Message, Part } from '../src/core/protocol/message.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { exportSession } from '../src/core/sessions/export.ts'
import type { HandlerView, MemoUpdate, WindowHandlers } from '../src/core/sessions/window/window-handlers.ts'
import { measureChars, measureTokens } from '../src/core/sessions/window/measure-messages.ts'
import { putMemo, putWindow, undoMemo } from '../src/core/sessions/window/window-and-memo.ts'
import type { OpenWindow } from '../src/core/sessions/window/windows.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { MessageToAppend, WindowMessage } from '../src/core/store/queries/messages.ts'
import { sqliteDatabase, type OpenDatabase } from './harness.ts'
import { caller, file, openWindows, toolCall, type TestWindows } from './window-harness.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Math.round(Number(process.env.PARLEY_TEST_FUZZ ?? 300) / 8))

/** What somebody does to a session. */
type Step =
  | { do: 'append'; messages: MessageToAppend[]; isMeanwhile: boolean }
  | { do: 'force'; type: 'lite' | 'deep' }
  | { do: 'set'; window: WindowSettings }
  | { do: 'edit' }
  | { do: 'undo' }

const text = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 200 }).map((length) => 'word '.repeat(length / 5)) },
  { weight: 1, arbitrary: fc.nat({ max: 3_000 }).map((length) => 'long text '.repeat(length / 10)) },
  // halves of characters are where cutting goes wrong
  { weight: 1, arbitrary: fc.nat({ max: 600 }).map((length) => '👩‍👩‍👧 和 é'.repeat(length / 8)) },
)
const textPart = text.map((said): Part => ({ type: 'text', text: said }))
const attachment = fc
  .nat({ max: 50_000 })
  .map((size) => file('cat.png', `data:image/png;base64,${'A'.repeat(size)}`))
const call = fc.tuple(fc.uuid(), text).chain(([id, output]) =>
  fc.constantFrom<Part>(
    toolCall(id, output),
    toolCall(id, { rows: [output, output] }),
    // a turn that was cut off leaves calls without a result
    { type: 'dynamic-tool', toolName: 'look', toolCallId: id, state: 'input-available', input: { output } },
    {
      type: 'dynamic-tool',
      toolName: 'look',
      toolCallId: id,
      state: 'output-error',
      input: {},
      errorText: output,
    },
  ),
)
const step = fc
  .tuple(fc.array(call, { maxLength: 3 }), textPart)
  .map(([calls, said]): Part[] => [{ type: 'step-start' }, ...calls, said])

const input = fc.record({
  role: fc.constant('user' as const),
  parts: fc
    .tuple(textPart, fc.array(attachment, { maxLength: 1 }))
    .map(([said, files]): Part[] => [said, ...files]),
})
const answer = fc.record({
  role: fc.constant('assistant' as const),
  parts: fc.array(step, { minLength: 1, maxLength: 2 }).map((steps) => steps.flat()),
})
const note = fc.record({ role: fc.constant('system' as const), parts: textPart.map((said) => [said]) })
const messages: fc.Arbitrary<MessageToAppend[]> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(input, answer) },
  { weight: 3, arbitrary: fc.tuple(input) },
  { weight: 1, arbitrary: fc.tuple(answer) },
  { weight: 1, arbitrary: fc.tuple(note) },
  { weight: 1, arbitrary: fc.array(fc.oneof(input, answer), { minLength: 1, maxLength: 8 }) },
)

const orNone = (max: number) => fc.oneof(fc.constant(0), fc.integer({ min: 1, max }))
const settings: fc.Arbitrary<WindowSettings> = fc.record({
  mode: fc.constantFrom('lite', 'memo', 'memo'),
  limit: fc.record({ chars: orNone(4_000), messages: orNone(12), tokens: orNone(1_000) }),
  resize: fc.record({ every_n_turns: orNone(4) }),
})

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('append' as const), messages, isMeanwhile: fc.boolean() }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('force' as const),
        type: fc.constantFrom('lite' as const, 'deep' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), window: settings }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'undo' as const) }) },
  ),
  { minLength: 1, maxLength: 25 },
)

type Mood = 'works' | 'throws' | 'rejects' | 'talks nonsense'
const moods = (works: number) =>
  fc.infiniteStream(
    fc.oneof(
      { weight: works, arbitrary: fc.constant<Mood>('works') },
      { weight: 1, arbitrary: fc.constantFrom<Mood>('throws', 'rejects', 'talks nonsense') },
    ),
  )
const behaviour = fc.record({
  memo: moods(3),
  attachment: moods(8),
  resize: fc.option(moods(3), { nil: undefined }),
  policy: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('lite', 'deep', 'throws') },
  ),
})
type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never

const perform = (mood: Mood, works: () => unknown): unknown => {
  if (mood === 'throws') throw new Error('no luck today')
  if (mood === 'rejects') return Promise.reject(new Error('no luck today'))
  return mood === 'works' ? works() : { nonsense: true, window: 'what?' }
}

function toHandlers({ memo, attachment: files, resize, policy }: Behaviour, gaps: string[]): WindowHandlers {
  const next = (stream: fc.Stream<Mood>) => stream.next().value
  const keepNewestTurn = ({ messages: window }: HandlerView) => ({
    window: window.slice(newestTurn(window)),
  })
  const own = (view: HandlerView) => perform(next(resize!), () => keepNewestTurn(view))
  return {
    memoUpdateHandler: (update) => perform(next(memo), () => takeIn(update, gaps)),
    attachmentSummaryHandler: (part) => perform(next(files), () => part.filename),
    ...(resize && { resizeHandlers: { lite: own, deep: own } }),
    ...(policy && {
      policyHandler() {
        if (policy === 'throws') throw new Error('no luck today')
        return policy
      },
    }),
  }
}

const throughOf = (memo: Record<string, unknown>) => Number(memo.recent_summary ?? 0)

/** A memo that knows how far it has come; a gap or a repetition is told, as a throw here would be dealt with. */
function takeIn({ memo, messages: given }: MemoUpdate, gaps: string[]) {
  const seqs = given.map(({ seq }) => seq)
  const from = throughOf(memo) + 1
  if (seqs.length === 0 || seqs.some((seq, index) => seq !== from + index))
    gaps.push(`after ${from - 1} the memo was given ${seqs.join(', ')}`)
  return { ...memo, recent_summary: String(seqs.at(-1)) }
}

/** Where the newest input stands; what stands before the first one belongs to its turn. */
const newestTurn = (log: readonly { role: string }[]) =>
  log.filter(({ role }) => role === 'user').length > 1 ? log.findLastIndex(({ role }) => role === 'user') : 0

it(
  'a window is within its limits or the newest turn, whole, and with the memo it covers the log, which never changes',
  { timeout: 60_000 + runs * 1_000 },
  async () => {
    await using database = await sqliteDatabase()
    await using store = await database.open(systemClock)
    const openDatabase: OpenDatabase = async () => ({
      ...database,
      open: async () => ({ ...store, close: async () => {} }),
      [Symbol.asyncDispose]: async () => {},
    })
    await fc.assert(
      fc.asyncProperty(settings, behaviour, steps, async (config, behaves, todo) => {
        const gaps: string[] = []
        await using window = await openWindows(openDatabase, {
          settings: config,
          handlers: toHandlers(behaves, gaps),
        })
        const log: Message[] = []
        for (const [index, next] of todo.entries()) {
          await take(window, next, log)
          const opened = await window.windows.open(await window.session())
          await check(window, opened, log, `after step ${index + 1}, ${next.do}`)
          expect(gaps).toEqual([])
          if (behaves.policy === undefined) await expectQuiet(window, opened)
        }
      }),
      { numRuns: runs, seed: takeSeed() },
    )
  },
)

async function take(window: TestWindows, next: Step, log: Message[]): Promise<void> {
  const { store, windows, id } = window
  if (next.do === 'append') {
    // as another client would: while a resize may be going on
    const opening = next.isMeanwhile ? windows.open(await window.session()) : undefined
    log.push(...(await window.append(...structuredClone(next.messages))))
    await opening
  } else if (next.do === 'force') await force(window, next.type)
  else if (next.do === 'set') await putWindow(store, windows, caller, id, next.window)
  else if (next.do === 'edit') {
    const newest = await store.getMemo(id)
    await putMemo(store, windows, caller, id, { memo: { ...newest?.memo, facts: ['edited'] } })
  } else if (await store.getMemo(id)) await undoMemo(store, windows, caller, id, {})
}

/** Done, or refused without a trace. */
async function force(window: TestWindows, type: string): Promise<void> {
  const { store, windows, id } = window
  const picture = async () => [
    await store.getWindowState(id),
    await store.getMemo(id),
    await store.listResizes(id, 1_000),
  ]
  const before = await picture()
  const isDone = await windows.resize(await window.session(), type).then(
    () => true,
    () => false,
  )
  if (!isDone) expect(await picture(), 'after a resize that was refused').toEqual(before)
}

async function check(window: TestWindows, opened: OpenWindow, log: Message[], when: string): Promise<void> {
  const { store, windows, id } = window
  expect(await window.log(), `the log ${when}`).toEqual(log)
  const exported = await exportSession(store, windows, caller, id)
  expect(exported.messages, `the export ${when}`).toEqual(log.map(({ seq: _, ...message }) => message))
  if (log.length === 0) return expect(opened.messages).toEqual([])

  const seqs = opened.messages.map(({ seq }) => seq)
  const start = seqs[0]!
  expect(seqs, `the window ${when}`).toEqual(log.slice(start - 1).map(({ seq }) => seq))
  if (start > 1) expect(opened.messages[0]!.role, `the first of the window ${when}`).toBe('user')
  expectWhole(opened.messages)

  const { maxChars, maxMessages, maxTokens, hasMemo } = await windows.effective(await window.session())
  if (newestTurn(opened.messages) > 0) {
    const sum = (measure: (message: WindowMessage) => number) =>
      opened.messages.reduce((total, message) => total + measure(message), 0)
    if (maxChars > 0) expect(sum(measureChars), `characters ${when}`).toBeLessThan(maxChars)
    if (maxTokens > 0) expect(sum(measureTokens), `tokens ${when}`).toBeLessThan(maxTokens)
    if (maxMessages > 0) expect(seqs.length, `messages ${when}`).toBeLessThanOrEqual(maxMessages)
  }

  if (!hasMemo) return
  const through = opened.memo?.throughSeq ?? 0
  expect(throughOf(opened.memo?.memo ?? {}), `how far the memo has come ${when}`).toBe(through)
  if (through >= start - 1) expect(opened.left).toBeUndefined()
  else expect(opened.left, `what is named ${when}`).toMatchObject({ fromSeq: through + 1, toSeq: start - 1 })
}

/** As a provider will look at it: each call right before its result, and nothing torn. */
function expectWhole(window: WindowMessage[]): void {
  const sent = toModelMessages(window)
  for (const [index, message] of sent.entries()) {
    const called =
      message.role === 'assistant'
        ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
        : []
    const next = sent[index + 1]
    const answered = next?.role === 'tool' ? next.content.map(({ toolCallId }) => toolCallId) : []
    expect(answered).toEqual(called)
  }
  expect(JSON.stringify(sent)).not.toMatch(/\\ud[89a-f]/)
}

/** What was just opened is not resized once more. */
async function expectQuiet(window: TestWindows, opened: OpenWindow): Promise<void> {
  const before = await window.store.listResizes(window.id, 1)
  const again = await window.windows.open(await window.session())
  expect(again.startSeq).toBe(opened.startSeq)
  expect(await window.store.listResizes(window.id, 1)).toEqual(before)
}

import type {
  ModelAdapter,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ToolResultContent,
  Usage,
} from './adapter.ts'
import { type DemoPart, type ReadDemoPart, toChance } from './demo-turn.ts'
import { fillForm } from './demo-form.ts'
import { type DemoOrder, readOrder } from './demo-grammar.ts'
import { toMemoText } from './demo-memo.ts'
import { toResultInput } from './demo-result.ts'
import { type DemoWords, toPieces, toWords } from './demo-words.ts'
import { ModelFault } from './fault.ts'
import { everyParameter } from './parameters.ts'
import { sleep } from './sleep.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'

export interface DemoOptions {
  /** Pause after each word; default 15. */
  delayMs?: number
  /** The first that knows a turn has it. */
  parts?: readonly ReadDemoPart[]
}

interface Turn {
  order: DemoOrder
  words: DemoWords
  /** What the tools have answered in this turn, by round. */
  rounds: ToolResultContent[][]
  /** What the user said in earlier turns. */
  earlier: string[]
  part?: DemoPart
}

/**
 * A model that needs no network and no key. It does what `docs/models.md` describes, and the same request always gets the
 * same answer.
 */
export function createDemoAdapter(id = 'demo/parley', options: DemoOptions = {}): ModelAdapter {
  const { delayMs = 15, parts = [] } = options
  return {
    id,
    // nothing is left to chance here: of all of them, only where to stop makes a difference
    takes: everyParameter,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const memo = request.cacheKey.endsWith(':memo') ? toMemoText(request) : undefined
      if (memo !== undefined) {
        yield { type: 'text-delta', text: memo }
        yield { type: 'finish', reason: 'stop', usage: countTokens(request, memo, '') }
        return
      }
      const turn = readTurn(request, parts)
      const { order } = turn
      if (order.fail) throw new ModelFault(order.fail, `${id} fails because it was told to.`)
      const pauseMs = order.isSlow ? Math.max(delayMs, 1) * 20 : delayMs

      const thought = thinkAbout(turn, request)
      if (thought) {
        yield* spoken('reasoning-delta', thought, pauseMs, signal)
        yield { type: 'reasoning-end' }
      }
      const { text, calls, isCut } = shorten(decide(turn, request), request)
      yield* spoken('text-delta', text, pauseMs, signal)
      for (const { toolCallId, toolName, input } of calls) {
        yield { type: 'tool-input-start', toolCallId, toolName }
        yield { type: 'tool-input-delta', toolCallId, text: input }
      }
      yield* calls
      const said = [text, ...calls.map(({ input }) => input)].join('\n')
      yield {
        type: 'finish',
        reason: isCut ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop',
        usage: countTokens(request, said, thought),
      }
    },
  }
}

async function* spoken(
  type: 'text-delta' | 'reasoning-delta',
  text: string,
  pauseMs: number,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (const piece of toPieces(text)) {
    yield { type, text: piece }
    if (pauseMs > 0) await sleep(pauseMs, signal)
    else signal.throwIfAborted()
  }
}

function readTurn(request: ModelRequest, parts: readonly ReadDemoPart[]): Turn {
  const { messages } = request
  const last = messages.findLastIndex(isFromUser)
  const texts = messages.flatMap((message) => (isFromUser(message) ? [textOf(message)] : []))
  const text = texts.at(-1) ?? ''
  const part = findPart(parts, request, texts)
  return {
    part,
    order: readOrder(part?.order ?? text),
    words: toWords(part?.said ?? text),
    rounds: messages.slice(last + 1).flatMap((message) => (message.role === 'tool' ? [message.content] : [])),
    earlier: part?.earlier ?? texts.slice(0, -1),
  }
}

function findPart(
  parts: readonly ReadDemoPart[],
  request: ModelRequest,
  texts: readonly string[],
): DemoPart | undefined {
  for (const read of parts) {
    const part = read(request, texts)
    if (part) return part
  }
  return undefined
}

/** What Parley adds between two calls is no input. */
const isFromUser = (message: ModelMessage): boolean =>
  message.role === 'user' &&
  !(
    message.content.length > 0 &&
    message.content.every((part) => part.type === 'text' && isContext(part.text))
  )

const isContext = (text: string) => text.startsWith('<context>')

/** What the user wrote, without the context that Parley puts before it. */
function textOf({ content }: ModelMessage): string {
  const texts = content.map((part) =>
    part.type === 'text' ? part.text : part.type === 'file' ? fileName(part) : '',
  )
  return texts.filter((text) => text && !isContext(text)).join('\n')
}

const fileName = ({ filename, mediaType }: { filename?: string; mediaType: string }) =>
  `[${filename ?? mediaType}]`

function thinkAbout({ order, words, rounds }: Turn, { thinking }: ModelRequest): string {
  if (rounds.length > 0) return ''
  return order.think ?? (thinking ? words.thought(order.rest) : '')
}

type ToolCall = Extract<ModelEvent, { type: 'tool-call' }>

function decide(turn: Turn, request: ModelRequest): { text: string; calls: ToolCall[] } {
  const { order, words, rounds } = turn
  const toCall = (toolName: string, input: string, index: number): ToolCall => ({
    type: 'tool-call',
    // unique in the session: a later call has more messages before it
    toolCallId: `demo_${request.messages.length}_${index}`,
    toolName,
    input,
  })

  const isResultSet = rounds.flat().some(({ toolName }) => toolName === 'set_result')
  if (isResultSet) return { text: words.done, calls: [] }
  const next = order.rounds[rounds.length]
  if (next)
    return {
      text: words.calling(next.map(({ name }) => name)),
      calls: next.map(({ name, input }, index) => toCall(name, input, index)),
    }
  const text = answer(turn, request)
  const input = toResultInput(request, text, order.rest)
  return { text, calls: input === undefined ? [] : [toCall('set_result', input, 0)] }
}

type Decision = ReturnType<typeof decide>

/** What is left of an answer that ends before a stop word, or after so many tokens. */
function shorten(
  { text, calls }: Decision,
  { stop = [], maxOutputTokens = Infinity }: ModelRequest,
): Decision & { isCut: boolean } {
  const ends = stop.map((word) => text.indexOf(word)).filter((at) => at >= 0)
  const untilStop = ends.length === 0 ? text : text.slice(0, Math.min(...ends))
  const isStopped = ends.length > 0
  if (estimateTokens(untilStop) <= maxOutputTokens)
    return { text: untilStop, calls: isStopped ? [] : calls, isCut: false }
  let short = ''
  let tokens = 0
  for (const piece of toPieces(untilStop)) {
    tokens += estimateTokens(piece)
    if (tokens > maxOutputTokens) break
    short += piece
  }
  return { text: short, calls: [], isCut: true }
}

function answer(turn: Turn, request: ModelRequest): string {
  const { order, part, words } = turn
  if (order.json !== undefined) return order.json
  const commanded = speak(turn)
  if (part?.reply) return part.reply(order.rest, commanded)
  const form = request.replyFormat?.schema.properties ? request.replyFormat.schema : undefined
  if (!part?.speak && !form) return commanded ?? words.introduction(order.rest)
  const chance = toChance(request)
  const said = commanded ?? part?.speak?.(chance) ?? words.introduction(order.rest)
  if (!form) return said
  const task = JSON.stringify(request.messages.findLast(({ role }) => role === 'user'))
  return JSON.stringify(fillForm(form, { words: said, task, chance }))
}

/** What the commands ask for; undefined where there are none. */
function speak({ order, words, rounds, earlier }: Turn): string | undefined {
  const reports = rounds
    .flat()
    .map(({ toolName, output, isError }) => words.answered(toolName, output, isError))
  if (order.words !== undefined) reports.push(fill(words.filler, order.words))
  if (order.asksBack) reports.push(words.told(earlier))
  return reports.join('\n\n') || undefined
}

function fill(words: string[], length: number): string {
  const isSpaced = words.some((word) => word.length > 1)
  return Array.from({ length }, (_, index) => words[index % words.length]).join(isSpaced ? ' ' : '')
}

/** As a provider would: what came before the last reply was in the request before this one, so it comes from the cache. */
function countTokens(request: ModelRequest, said: string, thought: string): Usage {
  const { system, tools, messages } = request
  const costs = messages.map(({ content }) => estimateTokens(JSON.stringify(content)))
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant')
  const fixed = estimateTokens(system) + (tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0)
  const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
  const reasoningTokens = estimateTokens(thought)
  return {
    inputTokens: fixed + sum(costs),
    outputTokens: estimateTokens(said) + reasoningTokens,
    reasoningTokens,
    cacheReadTokens: lastReply > 0 ? fixed + sum(costs.slice(0, lastReply)) : 0,
  }
}

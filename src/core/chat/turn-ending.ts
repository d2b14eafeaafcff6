/** What a turn can end with, and when it does. */
import type { ModelAdapter, ModelRequest, Usage } from '../models/adapter.ts'
import type { Chunk } from '../protocol/chunk.ts'
import type { Part } from '../protocol/message.ts'
import { budgetIdOf, costOf, holdNext } from '../runs/budget.ts'
import { TimedOut } from '../runs/stop-reasons.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { Tool } from '../tools/tool.ts'
import type { ChatDeps } from './turn-limits.ts'
import { writtenText } from './reply-form.ts'
import type { Reply } from './stream-reply.ts'
import type { TurnInput } from './turn-input.ts'
import type { Turn } from './turn-state.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'

export interface Ending {
  status: FinalStatus
  /** A stable word for what ended the turn. */
  code: string
  message?: string
  /** Whose budget is used up, where that is not the limit of the turn itself. */
  budgetId?: string
}

/** What ends the turn before another step is requested from the model. */
export function endBefore(
  deps: ChatDeps,
  run: Run,
  { step, parts, usage, tools }: { step: number; parts: Part[]; usage: Usage; tools: readonly Tool[] },
): Ending | undefined {
  if (endedBy(parts, tools)) return { status: 'completed', code: 'result' }
  const verdict = deps.hooks.verdict(run, parts)
  if (verdict) return { status: 'failed', ...verdict }
  const { maxSameCalls, maxSteps, tokenBudget } = deps.limits
  const input = run.input as TurnInput
  const mostSteps = Math.min(input.maxSteps ?? Infinity, maxSteps)
  if (step > mostSteps)
    return {
      status: 'failed',
      code: 'step_limit',
      message: `The turn ended after ${mostSteps} steps (chat.maxSteps).`,
    }
  const budget = input.tokenBudget ?? tokenBudget
  const spent = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  if (budget !== undefined && spent >= budget)
    return {
      status: 'failed',
      code: 'budget_exhausted',
      message: `The turn used ${spent} tokens of ${budget}.`,
    }
  if (isRepeating(parts, maxSameCalls))
    return {
      status: 'failed',
      code: 'tool_loop',
      message: `The model made the same call ${maxSameCalls} times in a row.`,
    }
  return undefined
}

/** Whether a call was made that is the end of the turn, and did its work. */
const endedBy = (parts: readonly Part[], tools: readonly Tool[]) =>
  parts.some(
    ({ state, toolName }) =>
      state === 'output-available' && tools.some(({ name, endsTurn }) => endsTurn && name === toolName),
  )

function isRepeating(parts: readonly Part[], times: number): boolean {
  const calls = parts
    .filter(({ type }) => type === 'dynamic-tool')
    .map(({ toolName, input }) => JSON.stringify([toolName, input]))
  const last = calls.slice(-times)
  return last.length === times && new Set(last).size === 1
}

/** The call that would cross a hard limit is not made. */
export async function checkBudget(
  { store, prices }: ChatDeps,
  run: Run,
  request: ModelRequest,
  adapter: ModelAdapter,
): Promise<Ending | undefined> {
  const budgetId = budgetIdOf(run)
  if (budgetId === undefined) return undefined
  const { system, messages, tools, replyFormat } = request
  const sent = [messages, tools ?? [], replyFormat ?? {}].map((value) => JSON.stringify(value))
  const tokens = [system, ...sent].reduce((sum, text) => sum + estimateTokens(text), 0)
  const cost = costOf({ inputTokens: tokens }, prices?.priceOf(adapter.id))
  const message = await holdNext(store, run, { tokens, cost })
  return message === undefined ? undefined : { status: 'failed', code: 'budget_exhausted', message, budgetId }
}

/** How a reply ends the turn; undefined when its tools are to be run and the model asked again. */
export function endingOf(turn: Turn, reply: Reply, stepParts: Part[]): Ending | undefined {
  if (reply.reason === 'stopped') return stopped(turn)
  if (reply.fault)
    return {
      status: 'failed',
      code: `model_${reply.fault.kind.replaceAll('-', '_')}`,
      message: reply.fault.message,
    }
  if (reply.reason === 'content-filter')
    return { status: 'failed', code: 'content_filter', message: 'The provider withheld the answer.' }
  if (stepParts.some(({ type }) => type === 'dynamic-tool')) return undefined
  const hasContent = stepParts.some(
    (part) =>
      (part.type === 'text' && (part.text as string).trim() !== '') || writtenText(part) !== undefined,
  )
  if (!hasContent)
    return { status: 'failed', code: 'empty_answer', message: 'The model answered with nothing.' }
  return { status: 'completed', code: reply.reason === 'length' ? 'length' : 'stop' }
}

export const stopped = ({ signal }: Turn): Ending =>
  signal.reason instanceof TimedOut
    ? { status: 'timeout', code: 'timeout', message: signal.reason.message }
    : { status: 'cancelled', code: 'stopped', message: String(signal.reason ?? '') }

/** Whether the model considered itself done; an empty answer counts as such. */
export const mayBeNudged = (ending: Ending | undefined) =>
  ending?.status === 'completed' || ending?.code === 'empty_answer'

/** What observers receive. */
export const toChunks = (ending: Ending, messageMetadata: Record<string, unknown>): Chunk[] => [
  ...toFailure(ending),
  { type: 'finish', finishReason: finishReason(ending), messageMetadata },
]

function toFailure({ status, code, message }: Ending): Chunk[] {
  if (status === 'failed' || status === 'interrupted') return [{ type: 'error', errorText: message ?? code }]
  return status === 'completed' ? [] : [{ type: 'abort', reason: code }]
}

function finishReason({ status, code }: Ending): string {
  if (status === 'completed') return code
  if (status === 'cancelled') return 'other'
  return code === 'content_filter' ? 'content-filter' : 'error'
}

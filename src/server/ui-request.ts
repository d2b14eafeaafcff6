/**
 * What a client of the AI SDK UI means by the messages that it sends: they are its whole conversation, and the last one is
 * the input, or an earlier answer with what the turn waited for.
 */
import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import { decideApproval } from '../core/approvals/decide-approval.ts'
import { answerCall } from '../core/chat/answer-call.ts'
import type { TurnInput } from '../core/chat/turn-input.ts'
import type { ChatBody } from '../core/protocol/chat.ts'
import { conflict, invalidRequest, quote } from '../core/protocol/error.ts'
import type { AppEnv } from '../core/http/request-environment.ts'
import { misfit } from '../core/protocol/issues.ts'
import { replyId } from '../core/runs/run-record.ts'
import type { Caller } from '../core/sessions/caller.ts'
import type { AwaitedCall } from '../core/protocol/awaited-call.ts'
import type { Run } from '../core/store/queries/run-row.ts'
import type { StoreOperations } from '../core/store/store.ts'
import type { LeftAt } from './ui-stream.ts'

export type UiBody = ChatBody & { messages: NonNullable<ChatBody['messages']> }

/**
 * Has a body with `messages` read as these clients mean it: what they say beside it is none of ours, and tools may stand
 * under their names.
 */
export const readUiBody =
  (fields: readonly string[]): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    const body: unknown = await c.req.json()
    if (isRecord(body) && body.messages !== undefined) {
      const known = Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)))
      if (isRecord(known.tools)) known.tools = toList(known.tools)
      c.req.json = () => Promise.resolve(known as never)
    }
    await next()
  }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toList = (tools: Record<string, unknown>) =>
  Object.entries(tools).map(([name, tool]) => {
    const { description, parameters, inputSchema = parameters } = isRecord(tool) ? tool : {}
    return { name, description, inputSchema }
  })

export const isUiBody = (body: ChatBody): body is UiBody => body.messages !== undefined

/** The last message is an answer: it brings what its turn asked the client for. */
export const bringsAnswers = ({ messages }: UiBody): boolean => messages.at(-1)!.role === 'assistant'

/** The id of a message that is sent again: for another answer, or with another text. */
export function retakenId({ messages, trigger, messageId }: UiBody): string | undefined {
  const last = messages.at(-1)!
  const isAgain = trigger === 'regenerate-message' || (messageId !== undefined && messageId === last.id)
  return last.role === 'user' && isAgain && typeof last.id === 'string' ? last.id : undefined
}

// a client that looks back further than this has not kept up with the session
const maxLookedAt = 100

/**
 * What the client has taken back, by its first message: its own conversation goes on from an earlier message than the last
 * one. What came by itself since then, such as results of tasks, it need not know of.
 */
export async function findTakenBack(
  store: StoreOperations,
  { scope }: Caller,
  sessionId: string,
  { messages }: UiBody,
): Promise<string | undefined> {
  const id = messages.at(-2)?.id
  const last = typeof id === 'string' ? await store.getMessage(scope, sessionId, id) : undefined
  if (!last) return undefined
  const later = await store.listMessages(scope, sessionId, { after: last.seq, limit: maxLookedAt })
  return later.find(({ role, metadata }) => role === 'user' && metadata?.source === undefined)?.id
}

/**
 * Whether the client has left the running turn: it knows its input or its answer, and sends something new after that.
 * Whoever stops an answer on the page and goes on does not want to wait for the end of it.
 */
export async function hasLeftTurn(
  store: StoreOperations,
  sessionId: string,
  { messages }: UiBody,
): Promise<boolean> {
  const known = new Set(messages.slice(0, -1).map(({ id }) => id))
  if (known.size === 0) return false
  const running = (await store.listOpenRuns(sessionId)).find(({ status }) => status === 'running')
  if (!running) return false
  return known.has(replyId(running)) || known.has((running.input as Partial<TurnInput>).message?.id)
}

const answerSchema = z.looseObject({
  id: z.string().min(1).max(200),
  parts: z.array(z.looseObject({ type: z.string() })),
})

/** A call in the step that the client has seen last. */
const callSchema = z.looseObject({
  toolCallId: z.string(),
  state: z.string(),
  output: z.unknown().optional(),
  errorText: z.string().optional(),
  approval: z
    .looseObject({ id: z.string(), approved: z.boolean().optional(), reason: z.string().optional() })
    .optional(),
})
type AnsweredCall = z.infer<typeof callSchema>

/**
 * Takes in the results of tools and the answers to asks that a message brings, all or none. What somebody else has answered
 * meanwhile stands. In a transaction.
 */
export async function takeAnswers(
  tx: StoreOperations,
  caller: Caller,
  sessionId: string,
  { messages }: UiBody,
): Promise<LeftAt & { runId: string }> {
  const { id, calls } = readAnswers(messages)
  const run = await tx.getRun(caller.scope, id.replace(/^msg_/, 'run_'))
  if (run?.sessionId !== sessionId || replyId(run) !== id)
    throw conflict(`The last of "messages", ${quote(id)}, is no answer of this session.`)
  const settled: string[] = []
  const leftAfter = await placeBefore(tx, run, calls)
  for (const call of calls) if (await takeAnswer(tx, caller, run, call)) settled.push(call.toolCallId)
  if (settled.length === 0)
    throw conflict(
      `The last of "messages" is the answer ${quote(id)}, and its turn waits for none of what it brings: end "messages" with one of the user.`,
    )
  return { runId: run.id, after: leftAfter, callIds: settled }
}

function readAnswers(messages: UiBody['messages']): { id: string; calls: AnsweredCall[] } {
  const last = messages.at(-1)
  const result = answerSchema.safeParse(last)
  if (!result.success) throw misfit(result.error, last, { within: ['messages', messages.length - 1] })
  const { id, parts } = result.data
  const step = parts.slice(parts.findLastIndex(({ type }) => type === 'step-start') + 1)
  const calls = step.flatMap((part) => {
    if (part.type !== 'dynamic-tool' && !part.type.startsWith('tool-')) return []
    const call = callSchema.safeParse(part)
    if (!call.success) throw misfit(call.error, part, { within: ['messages', messages.length - 1, 'parts'] })
    return isAnswered(call.data) ? [call.data] : []
  })
  if (calls.length === 0)
    throw invalidRequest(
      'The last of "messages" is of the assistant and brings neither the result of a tool nor the answer to an ask: end "messages" with one of the user.',
    )
  return { id, calls }
}

const isAnswered = ({ state }: AnsweredCall) =>
  ['output-available', 'output-error', 'approval-responded', 'output-denied'].includes(state)

/** The end of the step before the one with these calls. */
async function placeBefore(tx: StoreOperations, run: Run, calls: readonly AnsweredCall[]): Promise<number> {
  const ids = new Set<unknown>(calls.map(({ toolCallId }) => toolCallId))
  const steps = await tx.listOpenSteps({ runId: run.id })
  const index = steps.findLastIndex(({ parts }) => parts.some(({ toolCallId }) => ids.has(toolCallId)))
  return steps[index - 1]?.lastEventSeq ?? 0
}

/** False when nobody asked the client for it. */
async function takeAnswer(
  tx: StoreOperations,
  caller: Caller,
  run: Run,
  { toolCallId, state, output, errorText, approval }: AnsweredCall,
): Promise<boolean> {
  const asked = approval && (await tx.getApproval(caller.scope, approval.id))
  if (asked?.runId === run.id && approval?.approved !== undefined) {
    const { approved, reason } = approval
    if (asked.status === 'pending')
      await decideApproval(tx, caller, asked.id, {
        decision: approved ? 'approve' : 'deny',
        ...(!approved && reason && { message: reason }),
      })
    if (state === 'approval-responded' || state === 'output-denied') return true
  }
  const call = await findCall(tx, caller, run, toolCallId)
  if (call?.status === 'waiting')
    await answerCall(
      tx,
      caller,
      call.id,
      state === 'output-error' ? { errorText: errorText || 'It failed.' } : { output: output ?? null },
    )
  return call !== undefined
}

/** One that waits before any other: a model may give several calls one id. */
async function findCall(
  tx: StoreOperations,
  { scope }: Caller,
  { id: runId }: Run,
  toolCallId: string,
): Promise<AwaitedCall | undefined> {
  const { items } = await tx.listAwaitedCalls(scope, { status: 'waiting', runId, limit: maxCalls })
  return items.findLast((item) => item.toolCallId === toolCallId) ?? tx.findAwaitedCall(runId, toolCallId)
}

// of one step, far more than models make
const maxCalls = 1_000

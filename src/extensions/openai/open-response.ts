/** Where a response takes place: in the session of an earlier one, in a conversation, or in one of its own. */
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { SessionPlace } from '../../core/http/sealed-sessions.ts'
import { conflict, invalidRequest, quote } from '../../core/protocol/error.ts'
import type { Message } from '../../core/protocol/message.ts'
import type { Session } from '../../core/protocol/session.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import { forkSession } from '../../core/sessions/fork.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { readConversationId } from './response-ids.ts'
import { toAskedResponse, type ReadResponseRequest, type ResponseRequest } from './response-request.ts'
import { askedOf, readSegmentOf, requireResponse, type FoundResponse } from './response.ts'
import { requestSource, type Asked, type AskedBeside } from './take-turn.ts'

export interface OpenedResponse {
  asked: Asked
  beside: AskedBeside
  /** Nobody but clients of this API knows of the session. */
  isOfRequests: boolean
}

interface Given {
  request: ResponseRequest
  read: ReadResponseRequest
  beside: AskedBeside
  refuseSealed(place: SessionPlace): Promise<void>
}

/** In the transaction that takes the turn. */
export async function openResponseRequest(
  tx: StoreOperations,
  caller: Caller,
  given: Given,
): Promise<OpenedResponse> {
  const { request, read, beside } = given
  requireFit(request, beside)
  const { previous_response_id: previous, conversation } = request
  const named = typeof conversation === 'string' ? conversation : conversation?.id
  const sessionId =
    previous != null
      ? await continueResponse(tx, caller, previous, given)
      : named !== undefined
        ? readConversationId(named)
        : beside.sessionId
  if (sessionId === undefined) {
    if (read.isResultsOnly)
      throw invalidRequest(
        'Results of calls belong to a turn: name it with "previous_response_id", or send its items along.',
        { param: 'input' },
      )
    return { asked: withWords(given, []), beside, isOfRequests: true }
  }
  await given.refuseSealed({ sessionId })
  const session = await tx.requireSession(caller.scope, sessionId)
  if (!read.isResultsOnly) await addHistory(tx, session, read.asked)
  const [last] = (await tx.listRuns(caller.scope, { sessionId, limit: 1 })).items
  const isOfRequests = isMadeForRequests(session)
  return {
    asked: withWords(given, (last && askedOf(last)?.orders) ?? []),
    beside: {
      ...beside,
      sessionId,
      ...(isOfRequests && { hasBuiltInTools: beside.hasBuiltInTools ?? false }),
    },
    isOfRequests,
  }
}

export const isMadeForRequests = ({ kind, toolMeta }: Pick<Session, 'kind' | 'toolMeta'>): boolean =>
  kind === 'tool' && toolMeta?.source === requestSource

function requireFit(request: ResponseRequest, beside: AskedBeside): void {
  const { previous_response_id: previous, conversation, background, store } = request
  if (previous != null && conversation != null)
    throw invalidRequest('Give either "previous_response_id" or "conversation".', { param: 'conversation' })
  if (beside.sessionId !== undefined && (previous != null || conversation != null))
    throw invalidRequest(
      `The session is named by ${previous == null ? '"conversation"' : '"previous_response_id"'} already; leave out X-Parley-Session.`,
      { param: previous == null ? 'conversation' : 'previous_response_id' },
    )
  if (background && store === false)
    throw invalidRequest('A response with "background": true is kept; "store" cannot be false.', {
      param: 'store',
    })
}

/** The instructions are those of one turn; messages of the roles system and developer hold for all that follow. */
function withWords({ request, read }: Given, earlier: readonly string[]): Asked {
  const { asked } = read
  const orders = [...earlier, ...read.orders]
  const { instructions } = request
  const words = [...(instructions ? [instructions] : []), ...orders]
  const isInConversation = request.conversation != null
  return {
    ...asked,
    turn: {
      ...asked.turn,
      ...(words.length > 0 && { persona: words.join('\n\n') }),
      response: toAskedResponse(request, { orders, isInConversation }),
    },
  }
}

/** What a request says before its input stands in the log before it. */
export async function addHistory(
  tx: StoreOperations,
  { id, scope }: Session,
  { history }: Pick<Asked, 'history'>,
): Promise<Message[]> {
  if (history.length === 0) return []
  if ((await tx.listOpenRuns(id)).length > 0)
    throw conflict(
      `A turn of the session ${quote(id)} has not ended; send one message, which then waits for it.`,
    )
  return tx.appendMessages(scope, id, history)
}

/** The session of an earlier response, or one that has its log up to there. */
async function continueResponse(
  tx: StoreOperations,
  caller: Caller,
  id: string,
  { request, read, refuseSealed }: Given,
): Promise<string> {
  const found = await requireResponse(tx, caller, id, { param: 'previous_response_id' })
  await refuseSealed({ runId: found.runId })
  const { run } = found
  const { items: open } = await tx.listAwaitedCalls(caller.scope, {
    status: 'waiting',
    runId: run.id,
    limit: 1_000,
  })
  const isLastOfTurn = found.stepsBefore + stepsOf(found) === found.steps.length
  if (!isLastOfTurn) throw conflict(`The response ${quote(id)} was continued already.`)
  if (read.isResultsOnly) {
    const callIds = read.asked.results.map(({ callId }) => callId)
    const missing = open.find((call) => !callIds.includes(call.id))
    if (missing)
      throw invalidRequest(`The call ${quote(missing.id)} of ${quote(id)} has no result.`, { param: 'input' })
    const unknown = callIds.find((callId) => !open.some((call) => call.id === callId))
    if (unknown !== undefined)
      throw invalidRequest(`The response ${quote(id)} waits for no result of ${quote(unknown)}.`, {
        param: 'input',
      })
    requireSameTurn(request, read.asked.turn, run.input as TurnInput)
    return run.sessionId
  }
  if (open.length > 0)
    throw invalidRequest(
      `The response ${quote(id)} waits for the result of ${quote(open[0]!.id)}: send it as the only kind of item, a message after it.`,
      { param: 'input' },
    )
  if (run.finishedAt === undefined) throw conflict(`The response ${quote(id)} has not ended.`)
  const [last] = (await tx.listRuns(caller.scope, { sessionId: run.sessionId, limit: 1 })).items
  return last?.id === run.id ? run.sessionId : branch(tx, caller, found)
}

const stepsOf = (found: FoundResponse): number => {
  const { parts } = readSegmentOf(found)
  let count = 0
  for (let at = 0; at < parts.length; count++) at += found.steps[found.stepsBefore + count]!.parts.length
  return count
}

/** A turn that continues is not asked anew: what it began with holds. */
function requireSameTurn(request: ResponseRequest, given: Asked['turn'], began: TurnInput): void {
  if (given.toolChoice !== undefined)
    throw invalidRequest(
      '"tool_choice" cannot be changed while a turn continues with "previous_response_id"; leave it out.',
      { param: 'tool_choice' },
    )
  if (request.tools != null && !isSame(given.callerTools, began.callerTools))
    throw invalidRequest(
      '"tools" differ from those that the turn began with, and it continues with "previous_response_id".',
      { param: 'tools' },
    )
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Others have been answered in the session since: this one gets its own. */
async function branch(tx: StoreOperations, caller: Caller, { id, run }: FoundResponse): Promise<string> {
  const { scope, sessionId } = run
  const messageId = replyId(run)
  const message = await tx.getMessage(scope, sessionId, messageId)
  if (!message) throw conflict(`The turn of the response ${quote(id)} was undone.`)
  const original = await tx.requireSession(scope, sessionId)
  if (!isMadeForRequests(original)) return (await forkSession(tx, caller, sessionId, { messageId })).id
  const { mode, modeState, model, parameters, toolMeta } = original
  const fork = await createSession(tx, caller, {
    kind: 'tool',
    toolMeta,
    mode,
    modeState,
    model,
    parameters,
  })
  await tx.copyMessages(sessionId, fork.id, message.seq)
  return fork.id
}

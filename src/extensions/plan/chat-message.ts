import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import type { ChatActions, ChatMessage, ChatMessageAnswer } from './protocol/chat-message.ts'
import { conflict, invalidRequest, quote } from '../../core/protocol/error.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import type { PlanRun, PlanTurn } from './protocol/plan-run.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isAboutPlan } from './protocol/session-kinds.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { createSession } from '../../core/sessions/create.ts'
import type { Ids } from '../../core/shared/ids.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { outlineOf } from './outline.ts'

/** The session of a message: created when there is none, and bound to a plan once. */
export async function openConversation(
  tx: StoreOperations,
  caller: Caller,
  { session_id: id, context = {} }: ChatMessage,
): Promise<Session> {
  const wanted = context.plan_id ?? undefined
  if (wanted !== undefined && typeof wanted !== 'string')
    throw invalidRequest('context.plan_id: must be the id of a plan.')
  if (wanted !== undefined) await tx.requirePlan(caller.scope, wanted)
  const known = id === undefined ? undefined : await tx.getSession(caller.scope, id)
  if (!known) return createSession(tx, caller, { id, mode: 'plan', planId: wanted })
  const session = await withoutLostPlan(tx, known)
  if (wanted === undefined || session.planId === wanted) return requirePlanChat(session)
  if (session.planId !== undefined)
    throw conflict(
      `The session is bound to the plan ${quote(session.planId)}; take another session for ${quote(wanted)}.`,
    )
  return requirePlanChat(await tx.updateSession(caller.scope, session.id, { planId: wanted }))
}

/** A plan that was deleted since counts as none. */
async function withoutLostPlan(tx: StoreOperations, session: Session): Promise<Session> {
  const { scope, id, planId } = session
  if (planId === undefined || (await tx.getPlan(scope, planId))) return session
  return tx.updateSession(scope, id, { planId: null, mode: 'plan' })
}

function requirePlanChat(session: Session): Session {
  if (!isAboutPlan(session))
    throw conflict(`The session ${quote(session.id)} is not about a plan: name one in context.plan_id.`)
  return session
}

export const toInput = ({ message, context }: ChatMessage, ids: Ids): TurnInput => ({
  message: { id: ids.next('msg'), parts: [{ type: 'text', text: message }] },
  ...(context && { promptInjection: `Told by the client:\n${JSON.stringify(context, undefined, 2)}` }),
})

export async function toChatMessageAnswer(
  store: StoreOperations,
  session: Session,
  { message, run }: ChatAnswer,
): Promise<ChatMessageAnswer> {
  const turn = message?.parts.find(({ type }) => type === 'data-plan')?.data as PlanTurn | undefined
  const plan = session.planId === undefined ? undefined : await store.getPlan(session.scope, session.planId)
  const isAnswered = run.status === 'completed'
  const error = (run.outcome as { message?: string } | undefined)?.message
  return {
    response: message ? messageText(message) : '',
    suggestions: turn?.suggestions ?? [],
    actions: (turn?.actions ?? []).map(({ number, ...action }) => ({ order: number, ...action })),
    metadata: {
      session_id: session.id,
      status: !isAnswered ? 'failed' : turn?.runId === undefined ? 'completed' : 'pending',
      success: isAnswered,
      ...(turn?.runId !== undefined && { tracking_id: turn.runId }),
      ...(plan && { plan_id: plan.id, plan_outline: await outlineOf(store, plan) }),
      errors: isAnswered || error === undefined ? [] : [error],
    },
  }
}

export const toChatActions = ({
  id,
  chatSessionId,
  planId,
  status,
  steps,
  summary,
}: PlanRun): ChatActions => ({
  tracking_id: id,
  ...(chatSessionId !== undefined && { session_id: chatSessionId }),
  ...(planId !== undefined && { plan_id: planId }),
  status,
  actions: steps.map(({ number, kind, name, parameters, status: state, message, error, result }) => ({
    order: number,
    kind,
    name,
    parameters,
    status: state,
    ...((error ?? message) !== undefined && { message: error ?? message }),
    ...(result !== undefined && { result }),
  })),
  errors: steps.flatMap(({ error }) => error ?? []),
  ...(summary !== undefined && { summary }),
})

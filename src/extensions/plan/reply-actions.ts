/**
 * A turn of a session about a plan: the model answers with words and actions. Its answer is read and checked before
 * anybody sees it; an invalid one is returned to the model and changes nothing. The actions are a run of their own,
 * stored in the transaction that stores the answer.
 */
import { z } from 'zod'
import type { EndedTurn } from '../../core/chat/turn-hooks.ts'
import {
  attemptPart,
  replyPart,
  type FormedReply,
  type ReplyForm,
  type SeenPrompt,
} from '../../core/chat/reply-form.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { PlanTurn } from './protocol/plan-run.ts'
import type { Session } from '../../core/protocol/session.ts'
import { isAboutPlan } from './protocol/session-kinds.ts'
import { replyId } from '../../core/runs/run-record.ts'
import { once } from '../../core/shared/once.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { checkActions } from './check-actions.ts'
import { answerContextRequest } from './context-request.ts'
import type { PlanDeps } from './plan-service.ts'
import { readReply, replySchema, type Action } from './read-reply.ts'
import { startPlanRun } from './start-run.ts'
import type { Step } from './plan-step.ts'
import { languageOf, readSuggestionFacts, suggest } from './suggestions.ts'

const maxRepairs = 2
const maxContextRequests = 3

/** Made with the first plan that is talked about. */
export const replyFormat = once(() => ({
  name: 'plan_reply',
  schema: z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>,
}))

/** How sessions about plans answer. */
export function readPlanForm(
  deps: PlanDeps,
  session: Session,
  input: TurnInput,
  seen: SeenPrompt,
): ReplyForm {
  const userText = messageText(input.message)
  return {
    format: replyFormat(),
    read: (text, parts) => readAnswer(deps, session, { text, userText, parts, seen }),
  }
}

/** The version of the plan that the model has seen, or an earlier one. */
async function seenVersion(store: StoreOperations, planId: string, { parts, seen }: Answer): Promise<number> {
  const looked = parts.findLast(({ type }) => type === 'data-context')?.data as
    | { version?: number }
    | undefined
  if (looked?.version !== undefined) return looked.version
  const known = seen.facts?.plan
  if (known?.id === planId && known.version !== undefined) return known.version
  // sent by a process that died: it had read the plan after it took up the run
  return store.findPlanVersion(planId, seen.run.startedAt ?? 0)
}

interface Answer {
  text: string
  /** The message of the user. */
  userText: string
  /** The parts of the turn so far. */
  parts: readonly Part[]
  seen: SeenPrompt
}

async function readAnswer(deps: PlanDeps, session: Session, answer: Answer): Promise<FormedReply> {
  const { text, userText, parts } = answer
  const { store } = deps
  const plan = session.planId === undefined ? undefined : await store.getPlan(session.scope, session.planId)
  const read = readReply(text)
  if ('problem' in read) return refuse(answer, read.problem)
  const checked = checkActions(read.reply.actions, { planId: plan?.id, hasTool: deps.hasTool })
  if ('problem' in checked) return refuse(answer, checked.problem)
  const { message } = read.reply.llm_reply
  const written = JSON.stringify({ ...read.reply, actions: checked.actions })
  const words: Part[] = [{ type: 'text', text: message, state: 'done' }, replyPart(written)]
  const [first] = checked.actions
  if (first?.kind === 'context_request') {
    if (parts.filter(({ type }) => type === 'data-context').length >= maxContextRequests)
      return refuse(
        answer,
        `You have asked for context ${maxContextRequests} times: answer with what you know.`,
      )
    const version = plan && (await seenVersion(store, plan.id, answer))
    const isChanged = plan !== undefined && plan.version !== version
    const again = await answerContextRequest(deps, session, first, isChanged ? plan : undefined)
    const data = { action: first.name, version: plan?.version }
    return { parts: [...words, { type: 'data-context', data }], again }
  }
  const language = languageOf(userText)
  const data: PlanTurn = {
    planId: plan?.id,
    ...(first && { runId: deps.ids.next('run') }),
    ...(first && plan && { version: await seenVersion(store, plan.id, answer) }),
    status: first ? 'pending' : 'none',
    actions: toSteps(checked.actions).map(({ number, details: { action } }) => ({
      number,
      kind: action!.kind,
      name: action!.name,
      parameters: action!.parameters,
      status: 'pending',
    })),
    suggestions: suggest({ ...(await readSuggestionFacts(store, plan?.id)), language }),
    language,
  }
  return { parts: [...words, { type: 'data-plan', id: data.runId ?? deps.ids.next('turn'), data }] }
}

/** Returns problems to the model, a limited number of times. */
function refuse({ text, parts }: Answer, problem: string): FormedReply {
  const attempt = attemptPart(text, problem)
  const tries = parts.filter(({ type }) => type === 'data-reply-attempt').length
  if (tries >= maxRepairs)
    return {
      parts: [attempt],
      fault: {
        code: 'reply_invalid',
        message: `The model did not answer in the form that a plan needs, ${tries + 1} times. ${problem}`,
      },
    }
  return {
    parts: [attempt],
    again: `Your answer was not taken, and nothing was done. ${problem}\nAnswer again with the whole JSON object, and nothing else.`,
  }
}

/** In the transaction that stores the answer: its actions are stored as a run, or neither is there. */
export async function startActions(
  tx: StoreOperations,
  deps: PlanDeps,
  { session, run, status, parts }: EndedTurn,
): Promise<void> {
  if (status !== 'completed' || !isAboutPlan(session)) return
  const turn = parts.findLast(({ type }) => type === 'data-plan')?.data as PlanTurn | undefined
  if (turn?.runId === undefined) return
  const written = parts.findLast(({ type }) => type === 'data-reply')!.data as { text: string }
  const { actions } = JSON.parse(written.text) as { actions: Action[] }
  const base =
    turn.planId === undefined || turn.version === undefined
      ? undefined
      : { planId: turn.planId, version: turn.version }
  await startPlanRun(
    tx,
    deps,
    {
      scope: session.scope,
      planId: turn.planId,
      title: `Actions: ${session.title || session.id}`.slice(0, 500),
      input: { type: 'actions', ...(base && { base }) },
      steps: toSteps(actions),
    },
    {
      id: turn.runId,
      parentSessionId: session.id,
      chatSessionId: session.id,
      messageId: replyId(run),
      round: await roundOf(tx, session, run.input as TurnInput),
    },
  )
}

/** A turn that results alone started continues the count of the one before it; a turn of a person restarts it. */
async function roundOf(tx: StoreOperations, { scope, id }: Session, { isWake }: TurnInput): Promise<number> {
  if (!isWake) return 0
  const { items } = await tx.listPlanRuns(scope, { chatSessionId: id, type: 'actions', limit: 1 })
  return items[0] ? items[0].record.round + 1 : 0
}

const toSteps = (actions: readonly Action[]): Step[] =>
  actions.map((action, index) => ({
    number: index + 1,
    type: 'action',
    status: 'pending',
    attempts: 0,
    details: { title: `${action.kind}/${action.name}`, action },
  }))

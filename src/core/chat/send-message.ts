import { conflict, invalidRequest, quote } from '../protocol/error.ts'
import { givenMessageSchema, type ChatBody } from '../protocol/chat.ts'
import type { JoinedFacets } from '../protocol/joined-facets.ts'
import { misfit } from '../protocol/issues.ts'
import { toParts, type Part } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import { admitRun, type Admission, type BusyPolicy } from '../runs/busy-policy.ts'
import type { Ids } from '../shared/ids.ts'
import type { RunEngine } from '../runs/run-engine.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { NewRun } from '../store/queries/runs.ts'
import type { StoreOperations } from '../store/store.ts'
import { recordRunEvent } from './record-turn.ts'
import { notifyQueue } from './input-queue.ts'
import { checkOutput } from './output-form.ts'
import { holdParameters, type ParameterMeans } from './turn-parameters.ts'
import type { SessionType, SessionTypes } from './session-types.ts'
import type { TurnInput } from './turn-input.ts'
import { allowWakes } from './wake-session.ts'

/** Whose run it is, how long it may take, and what it may use. */
export type RunBounds = Pick<NewRun, 'parentId' | 'timeoutMs' | 'budget'>

export interface SendMeans extends ParameterMeans {
  ids: Ids
  engine: RunEngine
  types: SessionTypes
  isAgent: boolean
}

/**
 * Takes an input in: its run and, when the session is idle, its message are stored in one transaction. Whoever gets
 * an answer can rely on it; the turn itself continues without them.
 */
export function sendMessage(
  store: StoreOperations,
  means: SendMeans,
  place: { scope: string; sessionId: string; keyName?: string },
  given: TurnInput,
  { policy: wanted = 'enqueue', bounds }: { policy?: BusyPolicy; bounds?: RunBounds } = {},
): Promise<Admission> {
  const { ids, engine, types, isAgent } = means
  const { scope, sessionId } = place
  return store.transaction(async (tx) => {
    const start = await tx.requireTurnStart(scope, sessionId)
    const { session } = start
    await allowWakes(tx, session)
    const type = types.of(session)
    types.checkInput(session, given)
    if (given.callerTools) requireToolTurn(type, given)
    checkOutput(given, type)
    const {
      kind = 'turn',
      input,
      policy,
      isSilent,
    } = type.admit
      ? await type.admit(tx, session, given, { policy: wanted, keyName: place.keyName })
      : { input: { ...given, ...type.flags }, policy: wanted }
    // what answers in its own way asks models by inputs of its own
    const held = type.admit ? undefined : await holdParameters(tx, means, start, input)
    if (held && !start.isBusy) input.heldParameters = held
    const run = { id: ids.next('run'), scope, sessionId, kind: isAgent ? 'agent' : kind, input, ...bounds }
    const ownsSession = (other: Run) => engine.kind(other.kind)?.ownsSession ?? false
    const admission = await admitRun(tx, run, policy, {
      claim: engine.claim,
      ownsSession,
      // an admission of the session's type may have started runs
      isIdle: !type.admit && !start.isBusy,
    })
    if (isSilent) return admission
    if (!admission.lease) {
      await requireNewMessage(tx, place, admission.run.id, input.message.id)
      if (!admission.isSteered) await notifyQueue(tx, engine, place)
    } else {
      const chatStatus: Session['chatStatus'] | undefined = input.skipChatStatus ? undefined : 'chatting'
      const asked = { ...input.message, role: 'user' as const }
      const [message] = input.recordsPair
        ? []
        : await tx.appendMessages(scope, sessionId, [asked], { chatStatus })
      if (!message && chatStatus) await tx.setChatStatus(sessionId, chatStatus)
      if (chatStatus) await recordRunEvent(tx, admission.run, 'run-started')
      // an admission of the session's type may have changed the session
      if (message && !type.admit) {
        const { wakes: _, ...before } = session
        const now = {
          messageCount: message.seq,
          updatedAt: message.createdAt,
          ...(chatStatus && { chatStatus }),
        }
        return { ...admission, begun: { start: { ...start, session: { ...before, ...now } }, message } }
      }
    }
    return admission
  })
}

/** Refuses tools where several answer, or answers have a form of their own. */
function requireToolTurn(type: SessionType, input: TurnInput): void {
  if (type.hasSeveralVoices || type.replyForm || type.isWithoutTools?.(input))
    throw invalidRequest(`Turns of a session of the type ${quote(type.name)} take no "tools" of a caller.`)
}

/** An input that waits is appended later, by its id: one that is known already would be taken for done. */
async function requireNewMessage(
  tx: StoreOperations,
  { scope, sessionId }: { scope: string; sessionId: string },
  runId: string,
  messageId: string,
): Promise<void> {
  const others = (await tx.listOpenRuns(sessionId)).filter(({ id }) => id !== runId)
  const isWaiting = others.some(({ input }) => (input as TurnInput).message?.id === messageId)
  if (isWaiting || (await tx.getMessage(scope, sessionId, messageId)))
    throw conflict(`The session already has a message with the id ${quote(messageId)}.`)
}

/** A chat request as it is stored with its run. */
export function toTurnInput(body: ChatBody, ids: Ids, facets?: JoinedFacets): TurnInput {
  const { parts, id, metadata } = readMessage(body)
  const files = (body.attachments ?? []).map((file): Part => ({ ...file, type: 'file' }))
  return {
    message: { id: id ?? ids.next('msg'), parts: [...parts, ...files], metadata: body.metadata ?? metadata },
    model: body.model,
    thinking: body.thinking,
    parameters: body.parameters,
    output: body.output,
    fileRefs: body.fileRefs?.map((reference) => (typeof reference === 'string' ? reference : reference.path)),
    runRefs: body.runRefs,
    isHeadless: body.headless,
    includeScopeContext: body.includeScopeContext,
    window: body.window,
    ...(body.tools?.length && { callerTools: body.tools }),
    ...(body.builtInTools === false && { hasBuiltInTools: false }),
    ...facets?.toInput(body),
  }
}

function readMessage(body: ChatBody): { parts: Part[]; id?: string; metadata?: Record<string, unknown> } {
  if (body.content !== undefined) return { parts: [{ type: 'text', text: body.content }] }
  const last = body.messages!.at(-1)
  const result = givenMessageSchema.safeParse(last)
  if (!result.success)
    throw misfit(result.error, last, {
      before: 'The last of "messages" is the input.',
      within: ['messages', body.messages!.length - 1],
    })
  const { id, metadata, ...given } = result.data
  const parts = toParts(given)
  if (parts.length === 0) throw invalidRequest('The last message has no parts.')
  return { parts, id, metadata }
}

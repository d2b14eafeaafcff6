/**
 * The one chat core: every kind of session answers through this loop.
 *
 * A step is stored before its tools run, each tool result before the next model call, and the final message together
 * with the end of the run: whoever takes the run over after a crash goes on after the last stored step. A failing
 * model or tool is an outcome that is stored and told, never a throw.
 */
import { estimateTokenCount } from 'tokenx'
import type { ModelAdapter, ModelRequest, Usage } from '../models/adapter.ts'
import type { Chunk } from '../protocol/chunk.ts'
import { conflict, ParleyError, quote } from '../protocol/error.ts'
import type { Part } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { budgetIdOf, costOf, holdNext, spend } from '../runs/budget.ts'
import { HandOver } from '../runs/hand-over.ts'
import { replyId } from '../runs/reply-id.ts'
import { TimedOut } from '../runs/timed-out.ts'
import { countCall } from '../runs/usage.ts'
import { createChangeRecorder } from '../sessions/change-recorder.ts'
import { shorten } from '../sessions/window/shorten.ts'
import type { CallWindow } from '../sessions/window/windows.ts'
import type { MessageToAppend, WindowMessage } from '../store/queries/messages.ts'
import type { FinalStatus, Run } from '../store/queries/run-row.ts'
import type { Lease } from '../store/queries/claims.ts'
import type { StoreOperations } from '../store/store.ts'
import type { Tool } from '../tools/tool.ts'
import { recordTurn, tellRun } from './after-turn.ts'
import { ensureInput } from './ensure-input.ts'
import type { ChatDeps } from './deps.ts'
import { toModelMessages } from './history.ts'
import { preparePrompt, storePrompt, type TurnPrompt } from './prompt.ts'
import type { DiskContext } from './prompt-context.ts'
import { tellQueue } from './queue.ts'
import { formReply, hideUnread, writtenText } from './reply-form.ts'
import { streamReply, type Reply } from './reply.ts'
import { readSteering, requeueSteering, tellSteering, type Steering } from './steer.ts'
import { recordStep, type StepRecord } from './step-record.ts'
import type { CallContext } from './make-call.ts'
import { checkCalls, openCalls, runCalls, settleInterrupted } from './tool-calls.ts'
import { readTools, toolsOf, toSpecs } from './turn-tools.ts'
import type { TurnInput } from './turn-input.ts'

export interface Turn {
  run: Run
  lease: Lease
  log: RunLog
  signal: AbortSignal
}

interface Ending {
  status: FinalStatus
  /** A stable word for what ended the turn. */
  code: string
  message?: string
}

export async function runTurn(deps: ChatDeps, turn: Turn): Promise<void> {
  const { store, windows } = deps
  const input = turn.run.input as TurnInput
  const session = await store.requireSession(turn.run.scope, turn.run.sessionId)
  await deps.hooks?.onBegin?.(session, turn.run)
  if (input.isWake && turn.lease.fence === 1 && (await store.listInbox(session.id)).length === 0)
    return endUnsaid(deps, turn)
  const userMessage = await ensureInput(deps.store, turn.run)
  const opened = await windows.open(session, callWindow(input))
  const window = input.recordsPair
    ? [...opened.messages, shorten({ ...userMessage }, opened.judged.effective, session.messageCount + 1)]
    : opened.messages
  const disk = await deps.readContext(session, input)
  const memories = input.skipMemory ? [] : await recall(deps, session, input, turn.run)
  const stored = await store.getEpoch(session.id)
  const prompt = preparePrompt(session, input, { ...disk, memories }, stored, opened)
  // what an earlier owner of the run sent along stays as it was sent
  const isSent =
    turn.lease.fence > 1 &&
    window.some(({ seq, context }) => seq === userMessage.seq && context !== undefined)
  const messageSeq = input.recordsPair ? undefined : userMessage.seq
  const epoch = isSent ? prompt.epoch : await storePrompt(store, session, messageSeq, prompt)
  const parts: Part[] = []
  await answer(deps, turn, {
    session,
    input,
    prompt: { ...prompt, epoch },
    window: isSent ? window : withContext(window, userMessage.seq, prompt.dynamic),
    command: disk.command,
    tools: await readTools(deps, session, input, opened.judged.effective),
    memoriesUsed: memories.flatMap(({ id }) => id ?? []),
    model: input.model ?? opened.judged.effective.model,
    parts,
    messageSeq: placeBefore(session, userMessage),
  })
  windows.afterTurn(session, opened, { role: 'assistant', parts })
}

interface Prepared {
  session: Session
  input: TurnInput
  prompt: TurnPrompt
  window: WindowMessage[]
  command: DiskContext['command']
  /** Those there are; which of them it may use is up to the session. */
  tools: readonly Tool[]
  /** The ids of what is remembered and was sent along. */
  memoriesUsed: string[]
  /** The call's, the session's or that of the scope; undefined is the default. */
  model: string | undefined
  /** What the reply is made of; grows with every step. */
  parts: Part[]
  /** How long the log was before the input. */
  messageSeq: number
}

/** Step by step, until the model has answered or something ends the turn. */
async function answer(deps: ChatDeps, turn: Turn, prepared: Prepared): Promise<void> {
  const { store } = deps
  const { run, log } = turn
  const { session, input, prompt, window, command, parts } = prepared
  const groups = await deps.readGroups?.(session)
  const form = await deps.readReplyForm?.(session, input)
  // what answers with actions has no calls beside them
  const tools =
    form || input.seat?.withoutTools
      ? []
      : toolsOf(prepared.tools, session, { ...input, groups }, command?.allowedTools)
  const calls = callContext(deps, turn, prepared.messageSeq)
  const { steps, usage } = await resume(deps, turn, tools, parts, calls)
  if (steps === 0) log.emit({ type: 'start', messageId: replyId(run) })
  const adapter = findModel(deps, prepared.model)
  if (!('stream' in adapter)) return finish(deps, turn, prepared, usage, adapter)
  if (command?.mode === 'action') return answerCommand(deps, turn, prepared, command.text)
  for (let step = steps + 1; ; step++) {
    if (endedBy(parts, tools))
      return finish(deps, turn, prepared, usage, { status: 'completed', code: 'result' })
    const limit = limitReached(deps, step, parts, usage, run)
    if (limit) return finish(deps, turn, prepared, usage, limit)

    const steering = await readSteering(store, session.id)
    tellSteering(steering, log)
    parts.push(...steering.parts)
    log.emit({ type: 'start-step' })
    const request: ModelRequest = {
      system: prompt.epoch.system,
      messages: toModelMessages(window, parts, prompt.head),
      tools: toSpecs(tools),
      cacheKey: `${session.scope}:${session.id}`,
      thinking: input.thinking,
      replyFormat: form?.format,
    }
    const overspent = await checkBudget(deps, run, request, adapter)
    // what was taken in is part of the reply already: left in the inbox, it would come a second time
    if (overspent) return finish(deps, turn, prepared, usage, overspent, undefined, steering)
    const reply = await streamReply(adapter, request, log, {
      maxAttempts: deps.limits.maxAttempts,
      maxRetryWaitMs: deps.limits.maxRetryWaitMs,
      signal: turn.signal,
      partId: (kind) => `${kind}-${step}-${log.lastSeq}`,
      isUntold: form !== undefined,
      onRetry: (fault, waitMs) =>
        log.emit({
          type: 'data-retry',
          data: { kind: fault.kind, message: fault.message, waitMs },
          transient: true,
        }),
    })
    addUsage(usage, reply.usage)
    const replyParts: Part[] = [{ type: 'step-start' }, ...reply.parts]
    if (reply.reason !== 'stopped' && reply.reason !== 'fault') checkCalls(replyParts, tools, log)
    else dropUnread(replyParts)
    const isWhole = reply.reason === 'stop' || reply.reason === 'length' || reply.reason === 'other'
    const formed =
      form && isWhole ? await formReply(form, replyParts, parts, log, `text-${step}-${log.lastSeq}`) : {}
    if (form && !isWhole) hideUnread(replyParts)
    parts.push(...replyParts)
    const stepParts = [...steering.parts, ...replyParts]
    const record = recordStep({ prompt, request, reply, adapter: adapter.id, run, step })

    const ending = formed.fault
      ? { status: 'failed' as const, ...formed.fault }
      : endingOf(turn, reply, replyParts)
    // an answer with actions stands: what was said meanwhile gets the next one
    const isSteered =
      !form &&
      ending?.status === 'completed' &&
      (await readSteering(store, session.id)).itemIds.length > steering.itemIds.length
    const nudge =
      formed.again ?? (mayBeNudged(ending) && !isSteered ? deps.hooks?.nudge?.(run, parts) : undefined)
    if (nudge !== undefined) {
      const part = {
        type: 'data-steer',
        id: `nudge-${step}`,
        data: { parts: [{ type: 'text', text: nudge }] },
      }
      log.emit({ ...part, type: 'data-steer' })
      parts.push(part)
      stepParts.push(part)
    } else if (ending && !isSteered) {
      log.emit({ type: 'finish-step' })
      return finish(deps, turn, prepared, usage, ending, { step, parts: stepParts, record }, steering)
    }
    const storeStep = (tx: StoreOperations) =>
      tx.putRunStep(turn.lease, { step, parts: stepParts, prompt: record, lastEventSeq: log.lastSeq })
    await log.commit(async (tx) => {
      const isNew = await storeStep(tx)
      await tx.takeInbox(session.id, steering.itemIds)
      if (!isNew) return
      await spend(tx, run, reply.usage, deps.prices?.[adapter.id])
      await countCall(tx, run, { step, ...record }, deps.prices)
    })
    await runCalls(replyParts, tools, calls, deps.limits, log, async () => {
      await log.commit(storeStep)
    })
    log.emit({ type: 'finish-step' })
    if (turn.signal.reason instanceof HandOver) throw turn.signal.reason
    if (turn.signal.aborted) return finish(deps, turn, prepared, usage, stopped(turn))
  }
}

/** A key may have gone since the input was taken in. */
function findModel({ requireModel }: ChatDeps, id: string | undefined): ModelAdapter | Ending {
  try {
    return requireModel(id)
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { status: 'failed', code: error.code, message: error.message }
  }
}

/** A command that is its own answer: the model is not asked. */
function answerCommand(deps: ChatDeps, turn: Turn, prepared: Prepared, text: string): Promise<void> {
  const id = 'text-command'
  turn.log.emit({ type: 'text-start', id })
  turn.log.emit({ type: 'text-delta', id, delta: text })
  turn.log.emit({ type: 'text-end', id })
  prepared.parts.push({ type: 'text', text, state: 'done' })
  return finish(deps, turn, prepared, {}, { status: 'completed', code: 'command' })
}

/** Ends a turn that cannot go on, with what it had said and done so far. */
export async function abandonTurn(
  deps: ChatDeps,
  turn: Turn,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const { run } = turn
  const session = await deps.store.requireSession(run.scope, run.sessionId)
  const userMessage = await ensureInput(deps.store, run)
  const messageSeq = placeBefore(session, userMessage)
  const steps = await deps.store.listRunSteps(run.id)
  const parts = steps.flatMap((step) => step.parts)
  settleInterrupted(parts, [], turn.log)
  const input = run.input as TurnInput
  const status = code === 'interrupted' ? 'interrupted' : 'failed'
  await finish(deps, turn, { session, input, parts, messageSeq }, {}, { status, code, message })
}

/** Of a turn that records a pair, the input enters the log with its answer. */
const placeBefore = (session: Session, { seq }: WindowMessage) =>
  seq === Number.MAX_SAFE_INTEGER ? session.messageCount : seq - 1

const callWindow = ({ window, fullContextTurns, cachedContextTurns = 3 }: TurnInput): CallWindow => ({
  ...window,
  ...(fullContextTurns !== undefined && { rounds: { keep: fullContextTurns, drop: cachedContextTurns } }),
})

const withContext = (window: WindowMessage[], seq: number, context: string) =>
  context === '' ? window : window.map((message) => (message.seq === seq ? { ...message, context } : message))

/** What an earlier owner of the run had stored; events that it told of without storing the step are void. */
async function resume(
  deps: ChatDeps,
  turn: Turn,
  tools: ReturnType<typeof toolsOf>,
  parts: Part[],
  calls: CallContext,
): Promise<{ steps: number; usage: Usage }> {
  const { store, limits } = deps
  const { run, lease, log } = turn
  const usage: Usage = {}
  if (lease.fence <= 1) return { steps: 0, usage }
  const steps = await store.listRunSteps(run.id)
  const last = steps.at(-1)
  await store.dropRunEventsAfter(lease, last?.lastEventSeq ?? 0)
  if (last && openCalls(last.parts).length > 0) {
    const storeLast = async () => {
      await log.commit((tx) => tx.putRunStep(lease, { ...last, lastEventSeq: log.lastSeq }))
    }
    settleInterrupted(last.parts, tools, log)
    await storeLast()
    await runCalls(last.parts, tools, calls, limits, log, storeLast)
  }
  for (const step of steps) {
    parts.push(...step.parts)
    addUsage(usage, (step.prompt as StepRecord).usage)
  }
  return { steps: steps.length, usage }
}

function limitReached(
  deps: ChatDeps,
  step: number,
  parts: Part[],
  usage: Usage,
  run: Run,
): Ending | undefined {
  const { maxSameCalls, tokenBudget } = deps.limits
  const input = run.input as TurnInput
  const maxSteps = Math.min(input.maxSteps ?? Infinity, deps.limits.maxSteps)
  const budget = input.tokenBudget ?? tokenBudget
  const verdict = deps.hooks?.verdict?.(run, parts)
  if (verdict) return { status: 'failed', ...verdict }
  if (step > maxSteps)
    return {
      status: 'failed',
      code: 'step_limit',
      message: `The turn ended after ${maxSteps} steps (chat.maxSteps).`,
    }
  const spent = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  if (budget !== undefined && spent >= budget)
    return {
      status: 'failed',
      code: 'budget_exhausted',
      message: `The turn used ${spent} tokens of ${budget}.`,
    }
  const calls = parts
    .filter(({ type }) => type === 'dynamic-tool')
    .map(({ toolName, input: given }) => JSON.stringify([toolName, given]))
  const repeated = calls.slice(-maxSameCalls)
  if (repeated.length === maxSameCalls && new Set(repeated).size === 1)
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

/** The call that would cross a hard limit is not made. */
async function checkBudget(
  { store, prices }: ChatDeps,
  run: Run,
  request: ModelRequest,
  adapter: ModelAdapter,
): Promise<Ending | undefined> {
  if (budgetIdOf(run) === undefined) return undefined
  const tokens = estimateTokenCount(request.system) + estimateTokenCount(JSON.stringify(request.messages))
  const cost = costOf({ inputTokens: tokens }, prices?.[adapter.id])
  const message = await holdNext(store, run, { tokens, cost })
  return message === undefined ? undefined : { status: 'failed', code: 'budget_exhausted', message }
}

/** Whether the model itself thought it was done; saying nothing is thinking so. */
const mayBeNudged = (ending: Ending | undefined) =>
  ending?.status === 'completed' || ending?.code === 'empty_answer'

/** How a reply ends the turn; undefined when its tools are to be run and the model asked again. */
function endingOf(turn: Turn, reply: Reply, stepParts: Part[]): Ending | undefined {
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

const stopped = ({ signal }: Turn): Ending =>
  signal.reason instanceof TimedOut
    ? { status: 'timeout', code: 'timeout', message: signal.reason.message }
    : { status: 'cancelled', code: 'stopped', message: String(signal.reason ?? '') }

/** Final message, run and usage commit together; exactly one ending is ever stored. */
async function finish(
  deps: ChatDeps,
  turn: Turn,
  prepared: Pick<Prepared, 'session' | 'input' | 'parts' | 'messageSeq'> & Partial<Prepared>,
  usage: Usage,
  given: Ending,
  lastStep?: { step: number; parts: Part[]; record: StepRecord },
  steering?: Steering,
): Promise<void> {
  const { run, lease, log } = turn
  const { session, input, parts, memoriesUsed = [] } = prepared
  const { ending, pair } = await pairToRecord(deps, turn, prepared, given)
  const denied = parts.flatMap(({ toolName, deniedBy }) => (deniedBy ? [{ toolName, by: deniedBy }] : []))
  const metadata = {
    runId: run.id,
    usage,
    ...(memoriesUsed.length > 0 && { memories: { used: memoriesUsed } }),
    ...(denied.length > 0 && { denied }),
    ...(ending.code === 'stopped' && { stopped: true }),
    ...((ending.status === 'failed' || ending.status === 'interrupted') && {
      error: { code: ending.code, message: ending.message },
    }),
  }
  const last = [
    ...toFailure(ending),
    { type: 'finish' as const, finishReason: finishReason(ending), messageMetadata: metadata },
  ]
  const end = async (tx: StoreOperations) => {
    const isNew =
      lastStep !== undefined &&
      (await tx.putRunStep(lease, {
        step: lastStep.step,
        parts: lastStep.parts,
        prompt: lastStep.record,
        lastEventSeq: log.lastSeq,
      }))
    await tx.finishRun(lease, {
      status: ending.status,
      outcome: {
        code: ending.code,
        message: ending.message,
        // what is not in the log as it was said is here for whoever asked
        ...(input.recordsPair ? { parts } : { messageId: replyId(run) }),
        ...(denied.length > 0 && { denied }),
      },
      usage,
    })
    if (!input.recordsPair) await storeReply(tx, run, parts, metadata)
    else if (pair) await tx.appendMessages(run.scope, run.sessionId, pair)
    await tx.takeInbox(session.id, steering?.itemIds ?? [])
    const isQueueLonger = await requeueSteering(tx, run, {
      ids: deps.ids,
      isCompleted: ending.status === 'completed',
    })
    await recordTurn(tx, deps, session, input, prepared.messageSeq)
    if (!input.skipChatStatus) await tx.setChatStatus(session.id, 'idle')
    if (isNew) await spend(tx, run, lastStep.record.usage, deps.prices?.[lastStep.record.model])
    await deps.hooks?.onEnd?.(tx, { session, run, ...ending, parts })
    if (!input.skipChatStatus)
      await tellRun(tx, run, 'run-finished', { status: ending.status, code: ending.code })
    if (parts.some(({ approval }) => approval)) await deps.guard?.onEnd?.(tx, run.id)
    if (isQueueLonger) await tellQueue(tx, run)
    if (isNew) await countCall(tx, run, { step: lastStep.step, ...lastStep.record }, deps.prices)
  }
  await log.commit(end, last)
}

function toFailure({ status, code, message }: Ending): Chunk[] {
  if (status === 'failed' || status === 'interrupted') return [{ type: 'error', errorText: message ?? code }]
  return status === 'completed' ? [] : [{ type: 'abort', reason: code }]
}

/** A turn that was to take something in, and found that another one had. */
async function endUnsaid(deps: ChatDeps, { run, lease, log }: Turn): Promise<void> {
  const end = async (tx: StoreOperations) => {
    await tx.finishRun(lease, { status: 'completed', outcome: { code: 'nothing_new' }, usage: {} })
    // what is being delivered right now must find this turn over, or be found by it
    await tx.lockSession(run.scope, run.sessionId)
    if (await requeueSteering(tx, run, { ids: deps.ids, isCompleted: true })) await tellQueue(tx, run)
  }
  await log.commit(end, [{ type: 'finish', finishReason: 'other' }])
}

/** Of a turn that records a pair: what enters the log. That it cannot be made ends the turn as failed. */
async function pairToRecord(
  { hooks, store }: ChatDeps,
  { run }: Turn,
  { session, input, parts, prompt }: Pick<Prepared, 'session' | 'input' | 'parts'> & Partial<Prepared>,
  ending: Ending,
): Promise<{ ending: Ending; pair?: MessageToAppend[] }> {
  if (!input.recordsPair || ending.status !== 'completed') return { ending }
  const reply: MessageToAppend = { id: replyId(run), role: 'assistant', parts, metadata: { runId: run.id } }
  const question: MessageToAppend = {
    ...input.message,
    role: 'user',
    ...(prompt?.dynamic && { context: prompt.dynamic }),
  }
  try {
    const pair = (await hooks?.toRecord?.(session, question, reply)) ?? [question, reply]
    await requireNewIds(store, run, pair)
    return { ending, pair }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ending: { status: 'failed', code: 'record_failed', message } }
  }
}

async function requireNewIds(store: StoreOperations, run: Run, messages: MessageToAppend[]): Promise<void> {
  const given = messages.flatMap(({ id }) => id ?? [])
  for (const [index, id] of given.entries())
    if (given.indexOf(id) !== index || (await store.getMessage(run.scope, run.sessionId, id)))
      throw conflict(`The session already has a message with the id ${quote(id)}.`)
}

/** Memories help; a turn does without them when they cannot be had. */
async function recall({ hooks, logger }: ChatDeps, session: Session, input: TurnInput, run: Run) {
  try {
    return (await hooks?.readMemories?.(session, input, run)) ?? []
  } catch (error) {
    logger.warn({ err: error }, 'memories could not be read; the turn goes on without')
    return []
  }
}

/** A turn that failed before it said anything leaves a message all the same: the log shows what became of the input. */
async function storeReply(
  tx: StoreOperations,
  run: Run,
  parts: Part[],
  metadata: Record<string, unknown>,
): Promise<void> {
  await tx.appendMessages(run.scope, run.sessionId, [
    { id: replyId(run), role: 'assistant', parts, metadata },
  ])
}

const callContext = (
  { store, guard, readWorkspaces }: ChatDeps,
  { run, signal }: Turn,
  messageSeq: number,
): CallContext => ({
  changes: createChangeRecorder(store, ...placeOfChanges(run, messageSeq)),
  guard,
  isHeadless: (run.input as TurnInput).isHeadless === true,
  scope: run.scope,
  sessionId: run.sessionId,
  runId: run.id,
  async readWorkspaces() {
    if (!readWorkspaces) return { granted: [] }
    return readWorkspaces(await store.requireSession(run.scope, run.sessionId))
  },
  signal,
})

/** What an agent of a room changes is undone with the room. */
function placeOfChanges({ scope, sessionId, input }: Run, messageSeq: number) {
  const { seat } = input as TurnInput
  return seat
    ? ([{ id: seat.roomId, scope }, seat.roomSeq] as const)
    : ([{ id: sessionId, scope }, messageSeq] as const)
}

const finishReason = ({ status, code }: Ending) =>
  status === 'completed'
    ? code
    : status === 'cancelled'
      ? 'other'
      : code === 'content_filter'
        ? 'content-filter'
        : 'error'

/** A call whose input was not read yet when the answer broke off is not run. */
function dropUnread(stepParts: Part[]): void {
  for (let index = stepParts.length - 1; index >= 0; index--)
    if (stepParts[index]!.type === 'dynamic-tool' && stepParts[index]!.state === 'input-available')
      stepParts.splice(index, 1)
}

function addUsage(total: Usage, more: Usage): void {
  for (const key of Object.keys(more) as (keyof Usage)[])
    if (more[key] !== undefined) total[key] = (total[key] ?? 0) + more[key]
}

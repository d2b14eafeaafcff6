/**
 * The one chat core: every kind of session answers through this loop.
 *
 * A step is stored before its tools run, each tool result before the next model call, and the final message together
 * with the end of the run: the process that takes the run over after a crash resumes after the last stored step. A failing
 * model or tool is an outcome that is stored and emitted, never a throw.
 */
import { type ModelAdapter, type ModelRequest, sumUsage, type Usage } from '../models/adapter.ts'
import { callerToolsOf } from '../tools/caller-tools.ts'
import { requireTaken } from '../models/parameters.ts'
import { resuming } from '../protocol/chunk.ts'
import { ParleyError } from '../protocol/error.ts'
import type { Part } from '../protocol/message.ts'
import type { Session } from '../protocol/session.ts'
import { spend } from '../runs/budget.ts'
import { HandOver } from '../runs/stop-reasons.ts'
import { replyId } from '../runs/run-record.ts'
import { toModelCall } from '../runs/cost.ts'
import { createChangeRecorder } from '../sessions/change-recorder.ts'
import type { CallWindow } from '../sessions/window/windows.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { Store, StoreOperations } from '../store/store.ts'
import type { ChatDeps } from './turn-limits.ts'
import { checkBudget, endBefore, type Ending, endingOf, mayBeNudged, stopped } from './turn-ending.ts'
import { ensureInput } from './ensure-input.ts'
import { finishTurn, finishUnlessSteered, finishWithoutReply } from './finish-turn.ts'
import { toModelMessages } from './model-history.ts'
import { noTools, offerTools, type OfferedTools } from './offer-tools.ts'
import { type CallContext, failCall } from './execute-tool-call.ts'
import { loadFacts } from './prompt-source.ts'
import { outputForm } from './output-form.ts'
import { formReply, hideUnread } from './reply-form.ts'
import { streamReply } from './stream-reply.ts'
import { createRuleAnnouncer } from './announce-rules.ts'
import { toSendable } from './sendable-prompt.ts'
import type { SessionType } from './session-types.ts'
import { emitSteering, noSteering, readSteering } from './steering.ts'
import { keepToolList, recordStep, type StepRecord } from './step-record.ts'
import { isAwaiting, letGo, type StoreStep } from './await-call.ts'
import {
  canReadOn,
  checkCalls,
  dropUnread,
  findAsks,
  openCalls,
  runCalls,
  settleInterrupted,
} from './run-tool-calls.ts'
import type { TurnInput } from './turn-input.ts'
import { namedTools, readTools, toolsOf, windowTokensOf } from './turn-tools.ts'
import { readParameters, wantsReasoning } from './turn-parameters.ts'
import type { PreparedTurn, Turn } from './turn-state.ts'

/** Answers `waits` where the turn let go of its run until results of calls come from outside. */
export async function runTurn(deps: ChatDeps, turn: Turn): Promise<void | 'waits'> {
  const { store, windows } = deps
  const input = turn.run.input as TurnInput
  const start = turn.begun?.start ?? (await store.requireTurnStart(turn.run.scope, turn.run.sessionId))
  const { session } = start
  const stored = await takeOver(store, turn)
  await deps.hooks.onBegin(session, turn.run)
  if (input.isWake && turn.lease.fence === 1 && !start.hasInbox) return finishWithoutReply(deps, turn)
  const userMessage = turn.begun?.message ?? (await ensureInput(deps.store, deps.kinds, turn.run))
  const refusal = await refusalOf(deps, turn, input, stored)
  if (refusal)
    return finishTurn(
      deps,
      turn,
      { session, input, parts: [], steps: [], messageSeq: placeBefore(session, userMessage) },
      { usage: {}, ending: refusal },
    )
  const question = input.recordsPair ? [userMessage] : []
  let opened = await windows.openTurn(start, callWindow(input), ...question)
  const disk = await deps.readContext(session, input, start)
  const facts = await loadFacts(deps.sources, session, input, {
    run: turn.run,
    command: disk.command,
    view: disk.view,
  })
  const promptParts = { session, input, userMessage, turnContext: { ...disk, facts }, epoch: start.epoch }
  const { isSent, ...sendable } = await toSendable(deps, turn, promptParts, opened)
  const parts: Part[] = [...(input.priorParts ?? [])]
  const isWaiting = await answer(deps, turn, {
    session,
    settings: start.settings,
    hasInbox: start.hasInbox,
    input,
    ...sendable,
    async shrink() {
      const { startSeq, isOverLimit } = opened
      if (!isOverLimit) return undefined
      opened = await windows.open(session, callWindow(input), undefined, ...question)
      return opened.startSeq > startSeq ? toSendable(deps, turn, promptParts, opened, true) : undefined
    },
    command: disk.command,
    rulesFor: disk.rulesFor,
    facts: isSent ? undefined : facts,
    tools: await readTools(deps, session, input),
    windowTokens: windowTokensOf(opened.judged.effective),
    model: input.model ?? opened.judged.effective.model,
    parameters: await readParameters(store, turn, opened.judged.effective.parameters, stored),
    parts,
    steps: stored,
    messageSeq: placeBefore(session, userMessage),
  })
  if (isWaiting) return 'waits'
  windows.afterTurn(session, opened, [...question, { role: 'assistant', parts }])
}

/** A turn that a model was asked in has begun, whoever continues it. */
async function refusalOf(
  { hooks }: ChatDeps,
  turn: Turn,
  { message }: TurnInput,
  stored: readonly RunStep[],
): Promise<Ending | undefined> {
  const { run, signal } = turn
  if (!hooks.refuse || stored.length > 0) return undefined
  try {
    const reason = await hooks.refuse(run, message.parts, signal)
    return reason && { status: 'failed', ...reason }
  } catch (error) {
    if (!signal.aborted || signal.reason instanceof HandOver) throw error
    return stopped(turn)
  }
}

/** Step by step, until the model has answered or something ends the turn. */
async function answer(deps: ChatDeps, turn: Turn, prepared: PreparedTurn): Promise<void | 'waits'> {
  const { store } = deps
  const { run, log } = turn
  const { session, input, command, parts, steps } = prepared
  const groups = await deps.readGroups?.(session, prepared.settings)
  const type = deps.types.of(session)
  const form = (await type.replyForm?.(session, input, { run, facts: prepared.facts })) ?? outputForm(input)
  // what answers with actions has no calls beside them
  const offered =
    (form && !form.keepsTools) || type.isWithoutTools?.(input)
      ? noTools
      : offerTools(
          [
            ...toolsOf(prepared.tools, session, { ...input, groups }, command?.allowedTools),
            ...callerToolsOf(input.callerTools),
          ],
          {
            named: namedTools(session, type, command?.allowedTools),
            windowTokens: prepared.windowTokens,
          },
        )
  const { tools } = offered
  const calls = callContext(deps, turn, prepared)
  if (prepared.rulesFor) calls.rulesFor = createRuleAnnouncer(prepared.rulesFor, prepared.window, parts)
  const { parts: earlier, usage: used, isWaiting } = await resume(deps, turn, steps, { tools, calls })
  if (isWaiting) return 'waits'
  parts.push(...earlier)
  let usage = used
  if (steps.length === 0) log.emit({ type: 'start', messageId: replyId(run) })
  await deps.prices?.load?.()
  if (prepared.model === undefined) await deps.findDefaultModel?.()
  const adapter = findModel(deps, prepared)
  if (!('stream' in adapter)) return finishTurn(deps, turn, prepared, { usage, ending: adapter })
  if (command?.mode === 'action') return answerCommand(deps, turn, prepared, command.text)
  for (let step = steps.length + 1; ; step++) {
    const over = endBefore(deps, run, { step, parts, usage, tools })
    if (over) return finishTurn(deps, turn, prepared, { usage, ending: over })

    // what arrives while the first call is prepared is found after it
    const steering = step > 1 || prepared.hasInbox ? await readSteering(store, session.id) : noSteering
    emitSteering(steering, log)
    parts.push(...steering.parts)
    log.emit({ type: 'start-step' })
    const toRequest = ({ prompt, window } = prepared): ModelRequest => ({
      system: prompt.epoch.system,
      messages: toModelMessages(window, parts, prompt.head),
      tools: offered.specs,
      cacheKey: `${session.scope}:${session.id}`,
      ...prepared.parameters,
      thinking: wantsReasoning(prepared.parameters, input.thinking),
      replyFormat: form?.format,
      ...(step === 1 && input.toolChoice && { toolChoice: input.toolChoice }),
    })
    let request = toRequest()
    const overspent = await checkBudget(deps, run, request, adapter)
    // what was taken in is part of the reply already: left in the inbox, it would come a second time
    if (overspent) return finishTurn(deps, turn, prepared, { usage, ending: overspent, steering })
    const askModel = async () => {
      const call = { run, step, model: adapter.id, request }
      // one that was stopped meanwhile ends as any other does
      await deps.hooks.beforeModelCall?.(call, turn.signal).catch((error: unknown) => {
        if (!turn.signal.aborted) throw error
      })
      const replied = await streamReply(adapter, request, log, {
        maxAttempts: deps.limits.maxAttempts,
        maxRetryWaitMs: deps.limits.maxRetryWaitMs,
        idleMs: deps.limits.modelIdleMs,
        signal: turn.signal,
        partId: (kind) => `${kind}-${step}-${log.lastSeq}`,
        isSilent: form !== undefined,
        speaksBesideCalls: form?.keepsTools,
        onRetry: (fault, waitMs) =>
          log.emit({
            type: 'data-retry',
            data: { kind: fault.kind, message: fault.message, waitMs },
            transient: true,
          }),
      })
      void deps.hooks.afterModelCall?.({ ...call, finishReason: replied.reason, usage: replied.usage })
      return replied
    }
    let reply = await askModel()
    // the resize that was to follow the answer has to come first after all
    const smaller =
      step === 1 && reply.fault?.kind === 'too-large' && reply.parts.length === 0
        ? await prepared.shrink()
        : undefined
    if (smaller) {
      Object.assign(prepared, smaller)
      request = toRequest()
      reply = await askModel()
    }
    usage = sumUsage(usage, reply.usage)
    const replyParts: Part[] = [{ type: 'step-start' }, ...reply.parts]
    if (reply.reason !== 'stopped' && reply.reason !== 'fault')
      checkCalls(replyParts, offered, log, { earlier: parts, isParallel: input.hasParallelCalls })
    else dropUnread(replyParts)
    // what was said beside calls is no answer yet
    const callsTools = form?.keepsTools === true && replyParts.some((part) => part.type === 'dynamic-tool')
    const isWhole =
      !callsTools && (reply.reason === 'stop' || reply.reason === 'length' || reply.reason === 'other')
    const formed =
      form && isWhole ? await formReply(form, replyParts, parts, log, `text-${step}-${log.lastSeq}`) : {}
    if (form && !isWhole && !callsTools) hideUnread(replyParts)
    parts.push(...replyParts)
    const stepParts = [...steering.parts, ...replyParts]
    const record = recordStep({
      prompt: prepared.prompt,
      parameters: prepared.parameters,
      request,
      toolList: await keepToolList(store, offered),
      reply,
      adapter: adapter.id,
    })

    const ending = formed.fault
      ? { status: 'failed' as const, ...formed.fault }
      : endingOf(turn, reply, replyParts)
    // an answer with actions stands: messages that arrived meanwhile get the next one
    const continuesWhenSteered = !form && ending?.status === 'completed'
    const wanted = mayBeNudged(ending) ? deps.hooks.nudge(run, parts) : undefined
    // the transaction that stores the end looks for them; a reminder and a program's pair must not be made in vain
    const isSteered =
      continuesWhenSteered &&
      (wanted !== undefined || input.recordsPair === true) &&
      (await readSteering(store, session.id)).itemIds.length > steering.itemIds.length
    const nudge = formed.again ?? (isSteered ? undefined : wanted)
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
      const end = { usage, ending, step: { step, parts: stepParts, prompt: record }, steering }
      if (!continuesWhenSteered) return finishTurn(deps, turn, prepared, end)
      if (await finishUnlessSteered(deps, turn, prepared, end)) return
    }
    const stored = { step, parts: stepParts, prompt: record }
    const putStep = (tx: StoreOperations) =>
      tx.putRunStep(turn.lease, { ...stored, lastEventSeq: log.lastSeq })
    await log.commit(async (tx) => {
      const isNew = await putStep(tx)
      await tx.takeInbox(session.id, steering.itemIds)
      if (!isNew) return
      if (step === 1) for (const { uses, ids } of prepared.used) await uses.record(tx, run, ids)
      await spend(tx, run, reply.usage, deps.prices?.priceOf(adapter.id))
      await tx.recordUsage(toModelCall(run, { step, ...record }, deps.prices))
    })
    steps.push(stored)
    if (await settleCalls(deps, turn, { stored, tools, calls, usage })) return 'waits'
    log.emit({ type: 'finish-step' })
    if (turn.signal.reason instanceof HandOver) throw turn.signal.reason
    if (turn.signal.aborted) return finishTurn(deps, turn, prepared, { usage, ending: stopped(turn) })
  }
}

/** A key may have gone since the input was taken in, or another model may have come. */
function findModel(
  { requireModel }: ChatDeps,
  { model, parameters }: Pick<PreparedTurn, 'model' | 'parameters'>,
): ModelAdapter | Ending {
  try {
    const adapter = requireModel(model)
    requireTaken(adapter, parameters)
    return adapter
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    return { status: 'failed', code: error.code, message: error.message }
  }
}

/** A command that is its own answer: the model is not asked. */
function answerCommand(deps: ChatDeps, turn: Turn, prepared: PreparedTurn, text: string): Promise<void> {
  const id = 'text-command'
  turn.log.emit({ type: 'text-start', id })
  turn.log.emit({ type: 'text-delta', id, delta: text })
  turn.log.emit({ type: 'text-end', id })
  prepared.parts.push({ type: 'text', text, state: 'done' })
  return finishTurn(deps, turn, prepared, { usage: {}, ending: { status: 'completed', code: 'command' } })
}

/** Ends a turn that cannot continue, with what it had produced so far. */
export async function abandonTurn(
  deps: ChatDeps,
  turn: Turn,
  { code, message }: { code: string; message: string },
): Promise<void> {
  const { run } = turn
  const session = await deps.store.requireSession(run.scope, run.sessionId)
  const userMessage = await ensureInput(deps.store, deps.kinds, run)
  const messageSeq = placeBefore(session, userMessage)
  const steps = await deps.store.listRunSteps(run.id)
  const input = run.input as TurnInput
  const parts = [...(input.priorParts ?? []), ...steps.flatMap((step) => step.parts)]
  for (const part of openCalls(parts)) failCall(part, turn.log)
  const status = code === 'interrupted' ? 'interrupted' : 'failed'
  await finishTurn(
    deps,
    turn,
    { session, input, parts, steps, messageSeq },
    { usage: {}, ending: { status, code, message } },
  )
}

/** Of a turn that records a pair, the input enters the log with its answer. */
const placeBefore = (session: Session, { seq }: WindowMessage) =>
  seq === Number.MAX_SAFE_INTEGER ? session.messageCount : seq - 1

const callWindow = ({ window, model, fullContextTurns, cachedContextTurns = 3 }: TurnInput): CallWindow => ({
  ...window,
  ...(model !== undefined && { sentTo: model }),
  ...(fullContextTurns !== undefined && { rounds: { keep: fullContextTurns, drop: cachedContextTurns } }),
})

/** The steps that an earlier owner of the run had stored; events that it emitted without storing their step are void. */
async function takeOver(store: Store, { lease, log }: Turn): Promise<RunStep[]> {
  if (lease.fence <= 1) return []
  const steps = await store.listOpenSteps(lease)
  await store.dropRunEventsAfter(lease, steps.at(-1)?.lastEventSeq ?? 0)
  log.emit(resuming)
  return steps
}

/** Goes on after the steps that are stored: with the calls of the last one that have not ended. */
async function resume(
  deps: ChatDeps,
  turn: Turn,
  steps: readonly RunStep[],
  { tools, calls }: { tools: OfferedTools['tools']; calls: CallContext },
): Promise<{ parts: Part[]; usage: Usage; isWaiting: boolean }> {
  const { log } = turn
  const last = steps.at(-1)
  let isWaiting = false
  const usage = steps.reduce<Usage>((sum, { prompt }) => sumUsage(sum, (prompt as StepRecord).usage), {})
  if (last && openCalls(last.parts).length > 0) {
    await findAsks(deps.store, turn, last.parts)
    settleInterrupted(last.parts, tools, log)
    await stepStorer(turn, last)()
    isWaiting = await settleCalls(deps, turn, { stored: last, tools, calls, usage })
    if (!isWaiting) log.emit({ type: 'finish-step' })
  }
  return {
    parts: steps.flatMap((step) => step.parts),
    usage,
    isWaiting,
  }
}

/** Makes the calls of a step. True when results are missing that come from outside: the turn has let go of its run. */
async function settleCalls(
  { store, limits }: ChatDeps,
  turn: Turn,
  {
    stored,
    tools,
    calls,
    usage,
  }: { stored: RunStep; tools: OfferedTools['tools']; calls: CallContext; usage: Usage },
): Promise<boolean> {
  const storeStep = stepStorer(turn, stored)
  const { parts } = stored
  await runCalls(parts, tools, calls, { store, limits, log: turn.log, storeStep })
  if (!parts.some(isAwaiting)) return false
  return letGo(store, turn, parts, {
    storeStep,
    usage,
    maxToolOutput: limits.maxToolOutput,
    readWorkspace: async () => (canReadOn(tools) ? (await calls.readWorkspaces()).session : undefined),
  })
}

const stepStorer =
  ({ lease, log }: Turn, step: RunStep): StoreStep =>
  (beside, last) =>
    log.commit(async (tx) => {
      await tx.putRunStep(lease, { ...step, lastEventSeq: log.lastSeq })
      await beside?.(tx)
    }, last)

const callContext = (
  { store, guard, readWorkspaces, types }: ChatDeps,
  { run, signal }: Turn,
  { session, messageSeq, parts }: PreparedTurn,
): CallContext => ({
  parts,
  changes: createChangeRecorder(store, ...placeOfChanges(types.of(session), run, messageSeq)),
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

/** The log with which changes are undone, and where they stand in it. */
function placeOfChanges(type: SessionType, { sessionId, input }: Run, messageSeq: number) {
  const other = type.changesIn?.(input as TurnInput)
  return other
    ? ([{ id: other.sessionId }, other.messageSeq] as const)
    : ([{ id: sessionId }, messageSeq] as const)
}

import { setImmediate as others } from 'node:timers/promises'
import { conflict, notFound, ParleyError } from '../protocol/error.ts'
import type { PromptPreview, RunPrompt, SentPrompt } from '../protocol/prompt.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store } from '../store/store.ts'
import { judgeCache } from './cache-verdict.ts'
import { describeSteps } from './describe-steps.ts'
import type { ChatDeps } from './turn-limits.ts'
import { findLoaded } from './loaded-tools.ts'
import { offerTools } from './offer-tools.ts'
import { toPromptMessages } from './prompt-messages.ts'
import { loadFacts } from './prompt-source.ts'
import { preparePrompt } from './prepare-prompt.ts'
import { readSentPrompt, toolTokensOf, type JudgedStep } from './sent-prompt.ts'
import type { TurnInput } from './turn-input.ts'
import { parametersOf } from './turn-parameters.ts'
import { namedTools, readTools, toolsOf, windowTokensOf } from './turn-tools.ts'

export async function previewPrompt(
  deps: ChatDeps,
  scope: string,
  sessionId: string,
): Promise<PromptPreview> {
  const { store } = deps
  const start = await store.requireTurnStart(scope, sessionId)
  const { session } = start
  const type = deps.types.of(session)
  if (type.hasNoPrompt !== undefined) throw conflict(type.hasNoPrompt)
  const input: TurnInput = {
    message: { id: 'preview', parts: [] },
    ...(await type.previewInput?.(store, session)),
  }
  const disk = await deps.readContext(session, input, start)
  const facts = await loadFacts(deps.sources, session, input, {
    command: disk.command,
    view: disk.view,
  })
  const window = await deps.windows.peek(session)
  const parts = { session, input, turnContext: { ...disk, facts } }
  const prompt = preparePrompt(deps, parts, start.epoch, window)
  const groups = await deps.readGroups?.(session, start.settings)
  const all = await readTools(deps, session, input)
  const { specs, listed } = offerTools(toolsOf(all, session, { groups }), {
    named: namedTools(session, type),
    windowTokens: windowTokensOf(window.judged.effective),
  })
  const messages = toPromptMessages(window.messages, [], prompt.head)
  const parameters = parametersOf(window.judged.effective.parameters, input)
  // a window of long messages takes its time to read, and again to be written as JSON
  await others()
  return {
    model: nameModel(deps, window.judged.effective.model),
    scenario: prompt.scenario,
    epoch: prompt.epoch.epoch,
    system: prompt.epoch.system,
    fragments: prompt.fragments,
    messages,
    tools: specs.map(({ name }) => name),
    listedTools: listed,
    loadedTools: window.messages.flatMap(({ parts: replied, seq }) => findLoaded(replied, listed, seq)),
    toolTokens: toolTokensOf(specs),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  }
}

/** Also of a model that cannot be had right now: the prompt is worth seeing all the same. */
function nameModel({ requireModel }: ChatDeps, id: string | undefined): string | undefined {
  try {
    return requireModel(id).id
  } catch (error) {
    if (error instanceof ParleyError) return id
    throw error
  }
}

export async function inspectRun(store: Store, scope: string, runId: string): Promise<RunPrompt> {
  const steps = await judgeSteps(store, await requireRun(store, scope, runId))
  return {
    runId,
    steps: steps.map(({ step, record, parts, cache }) => {
      const loadedTools = findLoaded(parts, record.listedTools).map((loaded) => ({ ...loaded, step }))
      return { ...record, loadedTools, runId, step, cache }
    }),
  }
}

export async function inspectStep(
  deps: ChatDeps,
  scope: string,
  runId: string,
  step: number,
): Promise<SentPrompt> {
  const run = await requireRun(deps.store, scope, runId)
  return readSentPrompt(deps, run, await judgeSteps(deps.store, run), step)
}

async function requireRun(store: Store, scope: string, runId: string): Promise<Run> {
  const run = await store.getRun(scope, runId)
  if (!run) throw notFound('run', runId)
  return run
}

async function judgeSteps(store: Store, run: Run): Promise<JudgedStep[]> {
  const steps = await store.listRunSteps(run.id)
  const earlier = await store.getRunBefore(run)
  const before = earlier ? (await store.listRunSteps(earlier.id)).slice(-1) : []
  const records = await describeSteps(store, run.sessionId, [...before, ...steps])
  return steps.map(({ step, parts }, index) => {
    const place = before.length + index
    const record = records[place]!
    return { step, parts, record, cache: judgeCache(record, records[place - 1]) }
  })
}

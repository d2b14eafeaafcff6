import { notFound, ParleyError } from '../protocol/error.ts'
import type { SentFragment } from '../prompt/assemble.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { Store } from '../store/store.ts'
import { judgeCache, type CacheVerdict } from './cache-verdict.ts'
import type { ChatDeps } from './deps.ts'
import { toModelMessages } from './history.ts'
import { preparePrompt } from './prompt.ts'
import type { StepRecord } from './step-record.ts'
import { toolsOf } from './turn-tools.ts'

/** The prompt as it would be sent with the next input. */
export interface PromptPreview {
  /** That would be asked. */
  model?: string
  scenario: string
  epoch: number
  system: string
  fragments: SentFragment[]
  messages: unknown[]
  tools: string[]
}

/** The prompt as it was sent, at each step of a run. */
export interface RunPrompt {
  runId: string
  steps: (StepRecord & { step: number; cache: CacheVerdict })[]
}

export async function previewPrompt(
  deps: ChatDeps,
  scope: string,
  sessionId: string,
): Promise<PromptPreview> {
  const { store } = deps
  const session = await store.requireSession(scope, sessionId)
  const input = { message: { id: 'preview', parts: [] } }
  const disk = await deps.readContext(session, input)
  const window = await deps.windows.peek(session)
  const prompt = preparePrompt(session, input, disk, await store.getEpoch(sessionId), window)
  return {
    model: nameModel(deps, window.judged.effective.model),
    scenario: prompt.scenario,
    epoch: prompt.epoch.epoch,
    system: prompt.epoch.system,
    fragments: prompt.fragments,
    messages: toModelMessages(window.messages, [], prompt.head),
    tools: toolsOf(deps.tools, session).map(({ name }) => name),
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
  const run = await store.getRun(scope, runId)
  if (!run) throw notFound('run', runId)
  const steps = await store.listRunSteps(runId)
  let before = await lastStepBefore(store, run)
  return {
    runId,
    steps: steps.map(({ step, prompt }) => {
      const record = prompt as StepRecord
      const cache = judgeCache(record, before)
      before = record
      return { ...record, step, cache }
    }),
  }
}

async function lastStepBefore(store: Store, run: Run): Promise<StepRecord | undefined> {
  const earlier = await store.getRunBefore(run)
  if (!earlier) return undefined
  return (await store.listRunSteps(earlier.id)).at(-1)?.prompt as StepRecord | undefined
}

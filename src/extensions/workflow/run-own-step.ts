import { describeThrown } from '../../core/protocol/error.ts'
import { describeIssues } from '../../core/protocol/issues.ts'
import { inTime } from '../../core/shared/time-limit.ts'
import { z } from 'zod'
import type { ActiveRun } from '../../core/orchestrator/orchestrate.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import type { Definition } from './named-steps.ts'
import { cutOutput, type StepState } from './step-state.ts'
import type { StepOutcome } from './step-types.ts'
import { bounded } from './walk.ts'
import type { Begin } from './walk-state.ts'

const defaultTimeoutMs = 60_000

type Done = Pick<StepState, 'status' | 'output' | 'data' | 'error'>

/** Runs a step whose type an extension has, in this process. Throws only when the run may not continue. */
export async function runOwnStep(
  { definitions, limits }: WorkflowDeps,
  { run, signal, definition }: ActiveRun & { definition: Definition },
  { step, state: { path, attempt } }: Begin,
  { fields: filled, input }: { fields: Record<string, unknown>; input: unknown },
): Promise<Done> {
  const { timeoutMs = defaultTimeoutMs } = step
  const late = new Error(`It took longer than ${timeoutMs} ms.`)
  try {
    const type = definitions.steps.require(step.type)
    // a name may stand for anything
    const fields = z.strictObject(type.fields).safeParse(filled)
    if (!fields.success) throw new Error(describeIssues(fields.error, filled))
    const { scope, sessionId, id: runId } = run
    const call = { scope, sessionId, runId, key: `${runId} ${path} ${attempt}`, input }
    const outcome = await inTime({ timeoutMs, signal, late: late.message }, (limit) =>
      type.run(fields.data, { ...call, signal: limit }),
    )
    const { output = '', data } = (outcome ?? {}) as StepOutcome
    const most = definition.config?.maxStepOutputChars ?? limits.maxStepOutputChars
    return { status: 'completed', output: cutOutput(output, most), ...bounded({ data: toPlain(data) }) }
  } catch (error) {
    signal.throwIfAborted()
    const reason = describeThrown(error)
    return { status: reason === late.message ? 'timeout' : 'failed', error: reason }
  }
}

/** As it is stored: what cannot be is refused by JSON itself. */
const toPlain = (data: unknown): unknown =>
  data === undefined ? undefined : JSON.parse(JSON.stringify(data) ?? 'null')

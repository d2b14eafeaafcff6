import type { Session } from '../../../src/client/index.ts'

/** Where a session belongs that no person began: a run, a step of one, or the chat of a workflow. */
export type SessionPlace =
  | { kind: 'run'; name: string; runId: string }
  | { kind: 'step'; name: string; step: string; runId: string }
  | { kind: 'workflow'; name?: string; workflowId?: string }

type Placed = Pick<Session, 'title' | 'toolMeta' | 'bgMeta'>

/** Undefined for all others. */
export function placeOf({ title, toolMeta, bgMeta }: Placed): SessionPlace | undefined {
  if (bgMeta?.source === 'workflow' && bgMeta.sourceId !== undefined) {
    const { label = '', sourceId } = bgMeta
    return { kind: 'step', name: withoutStep(title, label), step: label, runId: sourceId }
  }
  if (toolMeta?.source === 'workflow-run' && toolMeta.runId !== undefined)
    return { kind: 'run', name: toolMeta.workflowName ?? title, runId: toolMeta.runId }
  // imported ones are written either way
  if (toolMeta && /^workflow[-_]management$/.test(toolMeta.source))
    return { kind: 'workflow', name: toolMeta.workflowName, workflowId: toolMeta.workflowDefId }
  return undefined
}

/** The session of a step is called `workflow: step`, until somebody calls it otherwise. */
const withoutStep = (title: string, step: string) =>
  title.endsWith(`: ${step}`) ? title.slice(0, -step.length - 2) : title

/** The page that shows more than the session does; undefined where there is none. */
export function pathOfPlace(
  place: SessionPlace,
): `/workflow-runs/${string}` | `/workflows/${string}` | undefined {
  if (place.kind !== 'workflow') return `/workflow-runs/${place.runId}`
  return place.workflowId === undefined ? undefined : `/workflows/${place.workflowId}`
}

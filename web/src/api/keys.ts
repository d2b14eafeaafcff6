import { isGap, type EventFrame, type ScopeEvent } from '../../../src/client/index.ts'

/** Names of what is asked from the server; the first word says which kind, so that events can name it. */
export const keys = {
  sessions: (filter: object = {}) => ['sessions', filter] as const,
  session: (id: string) => ['session', id] as const,
  messages: (id: string) => ['session', id, 'messages'] as const,
  inbox: (id: string) => ['session', id, 'inbox'] as const,
  queue: (id: string) => ['session', id, 'queue'] as const,
  variants: (id: string) => ['session', id, 'variants'] as const,
  sessionUsage: (id: string) => ['session', id, 'usage'] as const,
  prompt: (id: string) => ['session', id, 'prompt'] as const,
  window: (id: string) => ['session', id, 'window'] as const,
  memo: (id: string) => ['session', id, 'memo'] as const,
  result: (id: string) => ['session', id, 'result'] as const,
  runs: (id: string) => ['session', id, 'runs'] as const,
  runPrompt: (runId: string) => ['run', runId, 'prompt'] as const,
  step: (runId: string, step: number) => ['run', runId, 'prompt', step] as const,
  memoVersions: (id: string) => ['session', id, 'memo', 'versions'] as const,
  checkpoints: (id: string) => ['session', id, 'checkpoints'] as const,
  approvals: (filter: object = {}) => ['approvals', filter] as const,
  approval: (id: string) => ['approvals', id] as const,
  memories: (filter: object = {}) => ['memories', filter] as const,
  crons: (filter: object = {}) => ['crons', filter] as const,
  cron: (id: string) => ['crons', id] as const,
  fires: (cronId: string, filter: object = {}) => ['fires', cronId, filter] as const,
  eventHooks: (filter: object = {}) => ['event-hooks', filter] as const,
  workflows: (filter: object = {}) => ['workflows', filter] as const,
  workflow: (id: string) => ['workflows', id] as const,
  workflowVersions: (id: string) => ['workflows', id, 'versions'] as const,
  workflowVersion: (id: string, version: number) => ['workflows', id, 'versions', version] as const,
  workflowVerdict: (scope: string | undefined, text: string) => ['workflow-verdict', scope, text] as const,
  workflowRuns: (filter: object = {}) => ['workflow-runs', filter] as const,
  workflowRun: (id: string) => ['workflow-runs', id] as const,
  plans: (filter: object = {}) => ['plans', filter] as const,
  planTree: (id: string) => ['plan', id, 'tree'] as const,
  planNode: (id: string, nodeId: number) => ['plan', id, 'node', nodeId] as const,
  planVersions: (id: string) => ['plan', id, 'versions'] as const,
  planRuns: (filter: object = {}) => ['plan-runs', filter] as const,
  planRun: (id: string) => ['plan-runs', id] as const,
  room: (id: string, as?: string) => ['session', id, 'room', as] as const,
  rounds: (id: string) => ['session', id, 'rounds'] as const,
  roomModes: () => ['room-modes'] as const,
  agents: (filter: object = {}) => ['agents', filter] as const,
  threads: (filter: object = {}) => ['threads', filter] as const,
  audit: (filter: object = {}) => ['audit', filter] as const,
  usage: (range: object = {}) => ['usage', range] as const,
  models: (filter: object = {}) => ['models', filter] as const,
  mcp: (filter: object = {}) => ['mcp', filter] as const,
  locks: (filter: object = {}) => ['locks', filter] as const,
  settings: (filter: object = {}) => ['settings', filter] as const,
  catalogue: (kind: string, filter: object = {}) => ['catalogue', kind, filter] as const,
}

// a turn counts what it is told; what goes takes along what was learned of it
const touchesMemories: ReadonlySet<string> = new Set(['run-finished', 'session-deleted'])

/** What has to be asked again after an event. */
export function keysTouchedBy(event: EventFrame): readonly (readonly unknown[])[] {
  // what happened meanwhile is not known: everything may have changed
  if (isGap(event)) return [[]]
  const touched: (readonly unknown[])[] = [['audit']]
  const { type, sessionId } = event
  if (sessionId !== undefined) touched.push(['session', sessionId])
  if (type.startsWith('session-') || type.startsWith('run-') || type.startsWith('bg:'))
    touched.push(['sessions'], ['usage'])
  // what a schedule started changes how it stands when it ends
  if (type.startsWith('cron-') || type.startsWith('bg:')) touched.push(['crons'], ['fires'])
  if (type.startsWith('approval-')) touched.push(['approvals'])
  // what is gone, or whose session is, holds nothing any more
  if (/^(lock|document|todo)-/.test(type) || type === 'session-deleted') touched.push(['locks'])
  if (/^(memor(y|ies)|document)-/.test(type) || touchesMemories.has(type) || 'rolledBackTo' in event.data)
    touched.push(['memories'])
  if (type.startsWith('event-hook')) touched.push(['event-hooks'])
  if (type === 'workflow-saved' || type === 'workflow-deleted') touched.push(['workflows'])
  else if (type.startsWith('workflow-')) touched.push(['workflow-runs'])
  if (type.startsWith('agent-')) touched.push(['agents'])
  // a thread counts its sessions
  if (/^(thread|session)-/.test(type)) touched.push(['threads'])
  if (type.startsWith('plan-')) touched.push(...plansTouchedBy(event))
  return touched
}

/** A node that goes on changes a tree that may be very large: whoever shows it changes that node in it. */
function plansTouchedBy({ type, data: { planId, nodeId } }: ScopeEvent): (readonly unknown[])[] {
  const touched: (readonly unknown[])[] = [['plans'], ['plan-runs']]
  if (typeof planId === 'string')
    touched.push(type === 'plan-node' ? keys.planNode(planId, Number(nodeId)) : ['plan', planId])
  return touched
}

import { nodeStatuses } from './protocol/plan-node.ts'
import { cut } from '../../core/shared/text.ts'
import { estimateTokens } from '../../core/shared/estimate-tokens.ts'
import { doneStates, type NodeLinks, type PlanRecord } from './store/plans.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { oneLine } from './outline.ts'
import { describeResults } from './results-text.ts'
import { isUndone, type Step } from './plan-step.ts'
import { describeTally, tallyOf } from './count-statuses.ts'

const maxTitle = 200
const maxReason = 300
// the rest of a report is for what came of the work
const maxOpen = 20

export interface ReportFacts {
  plan: PlanRecord
  /** All of the run. */
  steps: readonly Step[]
  /** Of an execution of the whole plan: the report also covers what was done before. */
  isWhole: boolean
  maxTokens: number
}

/**
 * The results of an execution, written from what is stored: how the nodes ended, the state of the plan, what has to be
 * checked, and the results within a budget. Costs no call of a model.
 */
export async function writeReport(
  store: StoreOperations,
  { plan, steps, isWhole, maxTokens }: ReportFacts,
): Promise<string> {
  const nodes = steps.filter(({ nodeId }) => nodeId !== undefined)
  const own = new Set(nodes.map(({ nodeId }) => nodeId!))
  const links = await store.listLinks(plan.id)
  const others = links.filter(({ id }) => !own.has(id))
  const head = [
    `# ${cut(oneLine(plan.title), maxTitle)}`,
    [`${describeTally(tallyOf(nodes))}.`, figuresOf(nodes)].filter(Boolean).join(' '),
    others.length > 0 && describeStanding(links),
    openOf(nodes, Math.floor(maxTokens / 3)),
  ]
    .filter(Boolean)
    .join('\n\n')
  const ids = nodes.flatMap((step) => (step.status === 'completed' || isUndone(step) ? [step.nodeId!] : []))
  const left = maxTokens - estimateTokens(head) - titleTokens
  const results = ids.length > 0 && left > 0 ? await describeResults(store, plan.id, ids, left) : ''
  const rest = left - estimateTokens(results) - titleTokens
  const known = others.filter((node) => node.status === 'completed' || isUndone(node)).map(({ id }) => id)
  const earlier = isWhole && rest >= minEarlier ? await describeResults(store, plan.id, known, rest) : ''
  return [head, results && `## Results\n\n${results}`, earlier && `## Done before\n\n${earlier}`]
    .filter(Boolean)
    .join('\n\n')
}

const titleTokens = 10
// less would hardly say more than that there is something
const minEarlier = 100

/** Such as `Of the plan, 4 of 5 tasks are done; 1 blocked.` */
function describeStanding(nodes: readonly NodeLinks[]): string {
  const byStatus = Map.groupBy(nodes, ({ status }) => status)
  const countOf = (status: NodeLinks['status']) => byStatus.get(status)?.length ?? 0
  const done = doneStates.reduce((sum, status) => sum + countOf(status), 0)
  const open = nodeStatuses.filter((status) => !doneStates.includes(status) && countOf(status) > 0)
  const rest = open.map((status) => `; ${countOf(status)} ${status}`).join('')
  return `Of the plan, ${done} of ${nodes.length} tasks are done${rest}.`
}

function figuresOf(steps: readonly Step[]): string {
  let [tokens, cost] = [0, undefined as number | undefined]
  for (const { details } of steps) {
    tokens += (details.tokens?.input ?? 0) + (details.tokens?.output ?? 0)
    if (details.cost !== undefined) cost = (cost ?? 0) + details.cost
  }
  return [tokens > 0 && `${tokens} tokens.`, cost !== undefined && `Cost ${Number(cost.toPrecision(3))}.`]
    .filter(Boolean)
    .join(' ')
}

/** What is not done, and why. */
function openOf(steps: readonly Step[], maxTokens: number): string | undefined {
  const open = steps.filter(
    (step) => isUndone(step) || step.status === 'skipped' || step.status === 'cancelled',
  )
  if (open.length === 0) return undefined
  const lines: string[] = []
  let tokens = 0
  for (const { nodeId, status, error, message, details } of open.slice(0, maxOpen)) {
    const state = status === 'skipped' ? 'blocked' : status
    const why = oneLine(error ?? message ?? '')
    const line = `- [${nodeId}] ${cut(oneLine(details.title), maxReason)} (${state})${why === '' ? '' : `: ${cut(why, maxReason)}`}`
    tokens += estimateTokens(line) + 1
    if (tokens > maxTokens) break
    lines.push(line)
  }
  if (open.length > lines.length) lines.push(`- … and ${open.length - lines.length} more`)
  return `## Not done\n\n${lines.join('\n')}`
}

import { setTimeout as sleep } from 'node:timers/promises'
import { ParleyError } from '../../../core/protocol/error.ts'
import type { Plans } from '../operations.ts'
import type { PlanRun, PlanStep, PlanTurn } from '../protocol/plan-run.ts'
import { isObject } from '../../../core/shared/type-checks.ts'
import { printAnswer, printProgress } from '../../../core/command-line/output.ts'
import type { Api, Listener } from '../../../core/command-line/command-group.ts'
import type { NodeResult } from '../protocol/plan-node.ts'

/** Prints the actions of an answer while they are performed; results of lookups go to stdout. */
export async function printActions(
  { plans, adopt }: Api,
  { runId }: PlanTurn,
  { scope, ask }: Listener,
): Promise<void> {
  if (runId === undefined) return
  const started = await findRun(plans, runId, scope)
  // there may be no server that executes it
  adopt?.(started.sessionId)
  const answered = new Set<string>()
  for (;;) {
    const found = await follow(plans, started, scope)
    if (found.status !== 'paused') {
      for (const { result } of found.steps) printResult(result)
      return
    }
    if (!ask) return printProgress('it asks a person: parley approvals list')
    const paused = found.steps.find(({ approvalId }) => approvalId !== undefined && !answered.has(approvalId))
    if (paused) await ask(paused.approvalId!)
    else await sleep(pollMs)
    if (paused) answered.add(paused.approvalId!)
  }
}

/** What was looked up, or what came of an execution. */
function printResult(result: unknown): void {
  const text = isObject(result) ? result.report : result
  if (typeof text === 'string') printAnswer(text)
}

const pollMs = 300
// the end of an answer is emitted while it and its run are being stored
const maxPolls = 20

async function findRun(plans: Plans, id: string, scope: string | undefined): Promise<PlanRun> {
  for (let poll = 1; ; poll++)
    try {
      return await plans.getRun(id, { scope })
    } catch (error) {
      const isThere = !(error instanceof ParleyError) || error.code !== 'not_found'
      if (isThere || poll === maxPolls) throw error
      await sleep(pollMs)
    }
}

/** Polls until the run has ended or asks a person; prints when each step begins and how it ends. */
export async function follow(plans: Plans, { id }: PlanRun, scope: string | undefined): Promise<PlanRun> {
  const printed = new Map<number, string>()
  for (;;) {
    const found = await plans.getRun(id, { scope })
    for (const step of found.steps) {
      const line = describeStep(step)
      if (step.status !== 'pending' && printed.get(step.number) !== line) printProgress(line)
      printed.set(step.number, line)
    }
    if (found.status !== 'pending' && found.status !== 'running') return found
    await sleep(pollMs)
  }
}

export function describeStep({
  number,
  type,
  nodeId,
  title,
  status,
  attempts,
  error,
  message,
}: PlanStep): string {
  const what = nodeId === undefined ? `${number}. ${title}` : `[${nodeId}] ${title}`
  const detail = error ?? message
  // a skipped node in a run waits for one that failed
  const state = type === 'node' && status === 'skipped' ? 'blocked' : status
  return `${what}: ${state}${attempts > 1 ? `, try ${attempts}` : ''}${detail === undefined ? '' : `: ${detail}`}`
}

/** What was seen of the work on a node, in lines. */
export function describeEvidence(result: NodeResult | undefined): string[] {
  const { files = [], moreFiles = 0, calls = {}, failedCalls = 0, lastWords } = result?.evidence ?? {}
  const made = Object.entries(calls).map(([name, count]) => `${name} ${count}`)
  if (failedCalls > 0) made.push(`${failedCalls} failed`)
  return [
    ...(files.length > 0 ? [`changed: ${[...files, ...more(moreFiles)].join(', ')}`] : []),
    ...(made.length > 0 ? [`calls: ${made.join(', ')}`] : []),
    ...(result?.checks ?? []).map(
      ({ check, passed, message }) => `check ${check}: ${passed ? 'passed' : `not passed, ${message}`}`,
    ),
    ...(lastWords === undefined ? [] : [`said last: ${lastWords.replaceAll(/\s+/g, ' ')}`]),
  ]
}

const more = (count: number) => (count > 0 ? [`${count} more`] : [])

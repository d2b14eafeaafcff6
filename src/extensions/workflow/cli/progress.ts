import type { Workflows } from '../operations.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WorkflowRun, WorkflowStep } from '../protocol/workflow.ts'
import { printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { runExitCodes } from '../../../core/command-line/exit-codes.ts'
import { describeQuestion, findQuestions, type Asking } from './questions.ts'

interface Options {
  scope?: string
  json?: boolean
  url?: string
}

const pollMs = 300
const maxDataLength = 500

/**
 * Polls until the run has ended or asks a person; prints when each step begins and how it ends. Steps that had ended
 * before it started are not printed.
 */
export function createFollower(
  workflows: Workflows,
  { id, steps }: WorkflowRun,
  scope: string | undefined,
): () => Promise<{ run: WorkflowRun; asking: Asking }> {
  const printed = new Map(steps.flatMap((step) => (step.reused ? [] : [[step.path, stateOf(step)]])))
  return async () => {
    for (;;) {
      const run = await workflows.getRun(id, { scope })
      for (const step of run.steps.toSorted(byTime)) printStep(printed, step)
      const asking = await findQuestions(workflows, run, scope)
      if (asking.isPaused || (run.status !== 'pending' && run.status !== 'running')) return { run, asking }
      await sleep(pollMs)
    }
  }
}

/** Inner steps end before the step that contains them. */
const byTime = (one: WorkflowStep, other: WorkflowStep) =>
  timeOf(one).localeCompare(timeOf(other)) ||
  (one.finishedAt !== undefined && other.finishedAt !== undefined
    ? depthOf(other) - depthOf(one)
    : depthOf(one) - depthOf(other))

const timeOf = ({ startedAt = '', finishedAt = startedAt }: WorkflowStep) => finishedAt
const depthOf = ({ path }: WorkflowStep) => path.split('/').length

function printStep(printed: Map<string, string>, step: WorkflowStep): void {
  const { path, status, sessionId, linkErrors = [] } = step
  const state = stateOf(step)
  if (status === 'pending' || printed.get(path) === state) return
  printed.set(path, state)
  const where = status === 'running' && sessionId !== undefined ? ` in ${sessionId}` : ''
  printProgress(`${describeStep(step)}${where}`)
  for (const error of linkErrors) printProgress(`${path}: not done: ${error}`)
}

const stateOf = ({ status, attempt }: WorkflowStep) => `${status}${attempt > 1 ? `, try ${attempt}` : ''}`

export const describeStep = (step: WorkflowStep): string => {
  const { path, error, approved, reused } = step
  return [
    `${path}: ${stateOf(step)}`,
    approved ? ', approved' : '',
    reused ? ' before' : '',
    error === undefined ? '' : `: ${error}`,
  ].join('')
}

/** The output on stdout, everything else on stderr; the exit code shows how it ended, 6 that it waits for a person. */
export function printRun(run: WorkflowRun, asking: Asking, options: Options): void {
  const { isPaused } = asking
  if (options.json) printJson(run)
  else {
    if (run.output !== undefined && run.output !== '') printAnswer(run.output)
    const data = JSON.stringify(run.data ?? undefined)
    if (data !== undefined && data !== run.output) printProgress(`data: ${shorten(data)}`)
    if (run.error !== undefined) printProgress(`parley: ${run.error}`)
    if (run.failedSteps?.length) printProgress(`failed meanwhile: ${run.failedSteps.join(', ')}`)
    if (run.status !== 'completed') printProgress(`${run.id} ${isPaused ? 'paused' : run.status}`)
  }
  printHowToAnswer(run, asking, options)
  process.exitCode = isPaused ? runExitCodes.paused : runExitCodes[run.status]
}

function printHowToAnswer({ id }: WorkflowRun, { questions }: Asking, { scope, url }: Options): void {
  const place = `${scope === undefined ? '' : ` --scope ${scope}`}${url === undefined ? '' : ` --url ${url}`}`
  for (const question of questions) {
    const { token, expiresAt } = question
    const until = expiresAt === undefined ? '' : ` before ${expiresAt}`
    const which = questions.length > 1 ? ` --token ${token}` : ''
    printProgress(describeQuestion(question))
    printProgress(`answer${until} with: parley workflows resume ${id}${which} --approve${place}`)
  }
  if (questions.length > 0)
    printProgress('--reject says no; --comment "…" is passed to the steps that follow')
}

const shorten = (text: string) =>
  text.length > maxDataLength ? `${text.slice(0, maxDataLength)}… (--json shows all of it)` : text

import type { Workflows } from '../operations.ts'
import type { Interface } from 'node:readline/promises'
import { quotes } from '../../../core/protocol/ask-texts.ts'
import type { WorkflowRun } from '../protocol/workflow.ts'
import { describeText } from '../../../core/command-line/ask-person.ts'
import { printProgress } from '../../../core/command-line/output.ts'
import { exact, joinLines, type Shown } from '../../../core/command-line/printable.ts'

export interface Question {
  runId: string
  path: string
  text: string
  /** What it is about. */
  content: string
  token: string
  expiresAt?: string
}

export interface Asking {
  questions: Question[]
  /** The run does not continue before a person answers. */
  isPaused: boolean
}

/** What a run asks, in itself and in the workflows that are steps of it. */
export async function findQuestions(
  workflows: Workflows,
  run: WorkflowRun,
  scope: string | undefined,
): Promise<Asking> {
  if (run.status !== 'running' && run.status !== 'paused') return { questions: [], isPaused: false }
  const questions = run.steps.flatMap(({ path, question = 'Continue?', output = '', token, expiresAt }) =>
    token === undefined ? [] : [{ runId: run.id, path, text: question, content: output, token, expiresAt }],
  )
  const active = run.steps.filter(
    ({ type, status }) =>
      (type === 'agent' || type === 'workflow') && (status === 'pending' || status === 'running'),
  )
  const below: Asking[] = []
  for (const { type, runId } of active)
    if (type === 'workflow' && runId !== undefined)
      below.push(await findQuestions(workflows, await workflows.getRun(runId, { scope }), scope))
  return {
    questions: [...questions, ...below.flatMap((inner) => inner.questions)],
    isPaused:
      run.status === 'paused' ||
      (below.length > 0 && below.length === active.length && below.every((inner) => inner.isPaused)),
  }
}

/** The question with its subject: everything that an approval covers. */
export const describeQuestion = ({ path, text, content }: Question): Shown =>
  joinLines([
    [`${path} asks: `, exact(text.trimEnd())],
    ...(quotes(text, content) ? [] : describeText('about', content)),
  ])

const answers: Record<string, boolean> = { y: true, yes: true, n: false, no: false }

/**
 * Asks at the terminal. False when a question is left open: by Enter, Ctrl-C or Ctrl-D. What is neither yes nor no is asked
 * again, since a typo must not end a run.
 */
export async function askQuestions(
  workflows: Workflows,
  terminal: Interface,
  questions: readonly Question[],
  scope: string | undefined,
): Promise<boolean> {
  const closed = new AbortController()
  terminal.once('SIGINT', () => terminal.close())
  terminal.once('close', () => closed.abort())
  const ask = async (text: string) =>
    (await terminal.question(text, { signal: closed.signal }).catch(() => '')).trim()
  for (const question of questions) {
    printProgress(describeQuestion(question))
    let line: string
    do line = (await ask('[y]es, [n]o, Enter leaves it open: ')).toLowerCase()
    while (line !== '' && !Object.hasOwn(answers, line))
    if (line === '') return false
    const comment = await ask('comment (Enter: none): ')
    if (closed.signal.aborted) return false
    await workflows
      .resume(question.runId, {
        scope,
        token: question.token,
        approved: answers[line]!,
        comment: comment || undefined,
      })
      // somebody else may have answered meanwhile; that answer applies
      .catch((error: Error) => printProgress(`parley: ${error.message}`))
  }
  return true
}

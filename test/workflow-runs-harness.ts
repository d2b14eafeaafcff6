import { expect } from 'vitest'
import { stringify } from 'yaml'
import type { z } from 'zod'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { WorkflowRun } from '../src/extensions/workflow/protocol/workflow.ts'
import { calls, createScripted, type Script } from './chat-harness.ts'
import { toOptions, type OpenDatabase } from './harness.ts'

type JSONType = z.core.util.JSONType

export interface OpenedWorkflows extends AsyncDisposable {
  parley: Parley
  requests: ModelRequest[]
  /** Starts a definition and answers the run as it was begun. */
  start(definition: object | string, args?: Record<string, JSONType>): Promise<WorkflowRun>
  /** Waits until a run is over, or waits for a person. */
  settled(run: Pick<WorkflowRun, 'id'>): Promise<WorkflowRun>
  run(definition: object | string, args?: Record<string, JSONType>): Promise<WorkflowRun>
}

export const agent = (id: string, more: object = {}) => ({ id, type: 'agent', prompt: `do ${id}`, ...more })
export const approve = (id: string, more: object = {}) => ({
  id,
  type: 'approve',
  approvePrompt: 'Is it good?',
  ...more,
})

/** What the step of a request was asked to do. */
export const promptOf = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1))
export const taskOf = (request: ModelRequest): string =>
  /\bdo ([\w-]+)/.exec(JSON.stringify(request.messages))?.[1] ?? ''

/** A model that hands in what a table says for a step, or its name. */
export const handsIn =
  (answers: Record<string, unknown> = {}): Script =>
  (request) => {
    const name = taskOf(request)
    const answer = answers[name] ?? `${name} done`
    return calls(['set_result', typeof answer === 'string' ? { output: answer } : answer])
  }

export async function openWorkflows(
  openDatabase: OpenDatabase,
  script: Script = handsIn(),
  options: Partial<ParleyOptions> = {},
): Promise<OpenedWorkflows> {
  const database = await openDatabase()
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    ...options,
  })
  const start: OpenedWorkflows['start'] = (definition, args) =>
    parley.workflows.start({
      text: typeof definition === 'string' ? definition : stringify(definition),
      args,
    })
  const settled: OpenedWorkflows['settled'] = async ({ id }) => {
    let run: WorkflowRun | undefined
    await expect
      .poll(async () => (run = await parley.workflows.getRun(id)).status, { timeout: 200_000 })
      .not.toMatch(/^(pending|running)$/)
    return run!
  }
  return {
    parley,
    requests: model.requests,
    start,
    settled,
    run: async (definition, args) => settled(await start(definition, args)),
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

export const stepOf = ({ steps }: WorkflowRun, path: string) => steps.find((step) => step.path === path)
export const statusesOf = ({ steps }: WorkflowRun): Record<string, string> =>
  Object.fromEntries(steps.map(({ path, status }) => [path, status]))

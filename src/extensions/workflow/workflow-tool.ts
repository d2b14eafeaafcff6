import { z } from 'zod'
import type { DocumentDiff } from '../documents/protocol/document.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import { idSchema } from '../../core/protocol/names.ts'
import {
  maxDefinitionLength,
  type DefinitionProblem,
  type Workflow,
  type WorkflowPage,
  type WorkflowRun,
  type WorkflowRunPage,
  type WorkflowVerdict,
  type WorkflowVersionPage,
} from './protocol/workflow.ts'
import { cut } from '../../core/shared/text.ts'
import { shownAs } from '../../core/tools/tool-schemas.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'

/**
 * What the tool needs of workflows; injected, since workflows depend on tools. Without an id, the workflow that the
 * session edits is meant. Calls are idempotent.
 */
export interface WorkflowControl {
  list(context: ToolContext, query: { q?: string; limit?: number; cursor?: string }): Promise<WorkflowPage>
  get(context: ToolContext, which: Which, version?: number): Promise<Workflow>
  validate(text: string): WorkflowVerdict
  create(context: ToolContext, text: string): Promise<Workflow>
  update(context: ToolContext, which: Which, input: { text: string; baseVersion?: number }): Promise<Workflow>
  /** What an update with the text would change, or two versions. */
  diff(
    context: ToolContext,
    which: Which,
    other: { text?: string; from?: number; to?: number },
  ): Promise<DocumentDiff>
  versions(context: ToolContext, which: Which): Promise<WorkflowVersionPage>
  rollback(context: ToolContext, which: Which, version: number): Promise<Workflow>
  run(
    context: ToolContext,
    input: { name?: string; text?: string; args?: Record<string, unknown> },
  ): Promise<WorkflowRun>
  runs(context: ToolContext, which: Which): Promise<WorkflowRunPage>
  getRun(context: ToolContext, runId: string): Promise<WorkflowRun>
  cancel(context: ToolContext, runId: string): Promise<WorkflowRun>
}

/** A workflow by its id or its name. */
export interface Which {
  id?: string
  name?: string
}

const actions = [
  'list',
  'get',
  'validate',
  'create',
  'update',
  'diff',
  'versions',
  'rollback',
  'run',
  'runs',
  'status',
  'cancel',
] as const
const writers: readonly string[] = ['create', 'update', 'rollback', 'run', 'cancel']

const inputSchema = z.strictObject({
  action: z.enum(actions),
  id: idSchema.optional(),
  name: z.string().min(1).max(200).optional(),
  text: z.string().min(1).max(maxDefinitionLength).optional(),
  base_version: z.int().positive().optional(),
  version: z.int().positive().optional(),
  from: z.int().min(0).optional(),
  to: z.int().positive().optional(),
  args: shownAs(z.record(z.string(), z.unknown()), z.record(z.string().max(200), z.json())).optional(),
  run_id: idSchema.optional(),
  q: z.string().min(1).max(200).optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: z.string().max(500).optional(),
})
type Input = z.infer<typeof inputSchema>

/** Lets a model read, write and run the workflows of its scope. It cannot answer questions for a person. */
export function createWorkflowTool(control: WorkflowControl): Tool {
  return defineTool({
    name: 'workflow',
    group: 'workflow',
    offered: 'line',
    startsTasks: true,
    description:
      'Workflows of this workspace: definitions in YAML that run as several steps, with all their versions. "list" (q) shows what there is; ' +
      '"get" takes an id or a name; "validate" takes a text and tells every problem with its line and column; "create" takes a text; ' +
      '"update" takes an id or a name and the whole new text, and base_version to be sure that nobody else changed it; "diff" shows what an update ' +
      'with this text would change, or compares versions from and to; "versions" lists them; "rollback" takes a version. With problems nothing is saved. ' +
      'Before an update: "validate", then "diff", then "update". ' +
      '"run" takes a name, or a text that is kept nowhere, and args; it answers at once and the result comes to this conversation by itself. ' +
      '"runs" lists runs, "status" and "cancel" take a run_id. What a run asks for approval is for a person to answer. ' +
      'In a session that edits a workflow, that one is meant where neither id nor name is given.',
    input: inputSchema,
    // a call that is repeated after a crash finds what the first one did
    isIdempotent: true,
    access: ({ action, id, name, run_id }): Access => ({
      action,
      effect: writers.includes(action) ? 'write' : 'read',
      resources: [run_id === undefined ? `workflow:${id ?? name ?? '*'}` : `workflow-run:${run_id}`],
    }),
    execute: (input, context) => act(control, input, context),
  })
}

async function act(control: WorkflowControl, input: Input, context: ToolContext): Promise<unknown> {
  const which = { id: input.id, name: input.name }
  switch (input.action) {
    case 'list': {
      const { q, limit, cursor } = input
      const page = await control.list(context, { q, limit, cursor })
      return { ...page, items: page.items.map(({ scope: _scope, ...summary }) => summary) }
    }
    case 'get':
      return control.get(context, which, input.version)
    case 'validate':
      return toVerdict(control.validate(required(input, 'text')))
    case 'create': {
      const text = required(input, 'text')
      return refused(control, text) ?? summarise(await control.create(context, text))
    }
    case 'update': {
      const text = required(input, 'text')
      const update = { text, baseVersion: input.base_version }
      return refused(control, text) ?? summarise(await control.update(context, which, update))
    }
    case 'diff':
      return control.diff(context, which, { text: input.text, from: input.from, to: input.to })
    case 'versions':
      return control.versions(context, which)
    case 'rollback':
      return summarise(await control.rollback(context, which, required(input, 'version')))
    case 'run': {
      const { name, text, args } = input
      return toProgress(await control.run(context, { name, text, args }))
    }
    case 'runs':
      return control.runs(context, which)
    case 'status':
      return toProgress(await control.getRun(context, required(input, 'run_id')))
    case 'cancel':
      return toProgress(await control.cancel(context, required(input, 'run_id')))
  }
}

/** Undefined when the text may be saved. */
function refused(control: WorkflowControl, text: string) {
  const verdict = control.validate(text)
  return verdict.valid ? undefined : { saved: false, ...toVerdict(verdict) }
}

const maxProblems = 100

function toVerdict({ valid, problems }: WorkflowVerdict) {
  const shown: DefinitionProblem[] = problems.slice(0, maxProblems)
  const more = problems.length - shown.length
  return { valid, problems: shown, ...(more > 0 && { more: `${more} more problems` }) }
}

const summarise = ({ id, name, version, triggers, stepCount, file }: Workflow) => ({
  id,
  name,
  version,
  triggers,
  stepCount,
  ...(file !== undefined && { file }),
})

const maxOutput = 1_000
const maxFinalOutput = 20_000

/** Without the tokens that answer questions: those are for people. */
function toProgress({ id, name, status, error, output, steps, failedSteps, sessionId }: WorkflowRun) {
  return {
    run_id: id,
    name,
    status,
    session_id: sessionId,
    ...(error !== undefined && { error }),
    ...(failedSteps && { failed_steps: failedSteps }),
    ...(output !== undefined && { output: cut(output, maxFinalOutput) }),
    steps: steps.map((step) => ({
      path: step.path,
      type: step.type,
      status: step.status,
      ...(step.output !== undefined && { output: cut(step.output, maxOutput) }),
      ...(step.error !== undefined && { error: cut(step.error, maxOutput) }),
      ...(step.question !== undefined && { question: cut(step.question, maxOutput) }),
      ...(step.approved !== undefined && { approved: step.approved }),
    })),
  }
}

function required<Key extends 'text' | 'version' | 'run_id'>(
  input: Input,
  field: Key,
): NonNullable<Input[Key]> {
  const value = input[field]
  if (value === undefined) throw invalidRequest(`"${input.action}" needs "${field}".`)
  return value
}

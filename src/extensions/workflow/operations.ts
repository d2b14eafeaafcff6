import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import { documentDiffSchema } from '../documents/protocol/document.ts'
import type { SessionSchemas } from '../../core/protocol/session-schemas.ts'
import {
  createWorkflowSchema,
  rerunWorkflowSchema,
  resumeWorkflowSchema,
  rollbackWorkflowSchema,
  runWorkflowSchema,
  startWorkflowSchema,
  updateWorkflowSchema,
  validateWorkflowSchema,
  workflowDiffQuerySchema,
  workflowListQuerySchema,
  workflowPageSchema,
  workflowRunListQuerySchema,
  workflowRunPageSchema,
  workflowRunSchema,
  workflowSchema,
  workflowTemplateSchema,
  workflowVerdictSchema,
  workflowVersionListQuerySchema,
  workflowVersionPageSchema,
  workflowVersionTextSchema,
} from './protocol/workflow.ts'
import { inScopeSchema, wholeNumber } from '../../core/protocol/names.ts'
import type { ManagementSession } from './protocol/management-session.ts'
import { removeFolder } from './run-folders.ts'
import { z } from 'zod'
import { definitionJsonSchema } from './definition-schema.ts'
import {
  createDefinition,
  deleteDefinition,
  diffVersions,
  getDefinition,
  getVersion,
  listDefinitions,
  listVersions,
  rollbackDefinition,
  updateDefinition,
  validateDefinition,
} from './definitions.ts'
import { openManagement } from './management.ts'
import { cancelWorkflowRun, listRuns, requireRun, rerun, resumeRun, startRun } from './runs.ts'
import { shippedDefinitions } from './shipped-definitions.ts'
import type { WorkflowServices } from './workflow-files.ts'

const workflows = operationsOf<WorkflowServices>('workflows')
const runs = operationsOf<WorkflowServices>('workflow runs')

const actionSchema = inScopeSchema.meta({ id: 'WorkflowAction' })
const runActionSchema = inScopeSchema.meta({ id: 'WorkflowRunAction' })
const begins = {
  output: workflowRunSchema,
  status: 202,
  returns: 'The run, which continues',
  refuses: { 429: 'Too many background sessions are running' },
} as const

export const workflowOperationsOf = (schemas: SessionSchemas) => ({
  validate: workflows.write('POST', '/api/workflows/validate', {
    summary: 'List every problem of a definition with its place; stores nothing',
    input: validateWorkflowSchema,
    output: workflowVerdictSchema,
    returns: 'Whether it is valid, and why not',
    run: ({ deps }, _, { text }) => validateDefinition(deps.deps, text),
  }),
  templates: workflows.read('/api/workflows/templates', {
    summary: 'List the definitions that come with Parley',
    output: z.object({ items: z.array(workflowTemplateSchema) }).meta({ id: 'WorkflowTemplateList' }),
    returns: 'The definitions',
    run: () => ({ items: shippedDefinitions() }),
  }),
  /** The JSON Schema of definitions, for editors. */
  schema: workflows.read('/api/workflows/schema', {
    summary: 'Get the JSON Schema of definitions, for editors',
    output: z.record(z.string(), z.unknown()),
    returns: 'The JSON Schema',
    run: ({ deps }) => definitionJsonSchema(deps.deps.definitions.schema),
  }),
  newManagementSession: workflows.writeKeeping('POST', '/api/workflows/management-session', {
    summary: 'A session that makes a new workflow by talking; the first one that it creates is its own',
    input: actionSchema,
    output: schemas.session,
    status: 201,
    returns: 'The session',
    run: ({ tx, caller }) => openManagement(tx, caller),
    answer: ({ session }) => session,
    reply: () => ({}),
  }),
  /** Refused with `conflict` when the scope has one of that name. */
  create: workflows.write('POST', '/api/workflows', {
    summary: 'Create a workflow; its name is in its text',
    input: createWorkflowSchema,
    output: workflowSchema,
    status: 201,
    returns: 'The workflow',
    run: ({ tx, deps: { deps }, caller }, _, { text }) => createDefinition(deps, tx, caller, { text }),
  }),
  /** What was changed last comes first. */
  list: workflows.read('/api/workflows', {
    summary: 'List workflows without their texts, last changed first',
    input: workflowListQuerySchema,
    output: workflowPageSchema,
    returns: 'A page of workflows',
    before: ({ deps: { files }, caller }) => files.sync(caller.scope),
    run: ({ tx, pages, caller }, _, filter) => listDefinitions(tx, pages, caller, filter),
  }),
  get: workflows.read('/api/workflows/{id}', {
    summary: 'Get a workflow with its text',
    output: workflowSchema,
    returns: 'The workflow',
    run: ({ tx, caller }, { id }) => getDefinition(tx, caller, id),
  }),
  /** The same text makes no new version. */
  update: workflows.write('PUT', '/api/workflows/{id}', {
    summary: 'Save a new text; one with another name renames the workflow',
    input: updateWorkflowSchema,
    output: workflowSchema,
    returns: 'The workflow as it is now',
    run: ({ tx, deps: { deps }, caller }, { id }, input) => updateDefinition(deps, tx, caller, id, input),
    after: ({ deps: { files }, caller }) => files.sync(caller.scope),
  }),
  /** Its versions go with it; its runs stay. */
  delete: workflows.remove('/api/workflows/{id}', {
    summary: 'Delete a workflow with its versions and its file; its runs stay',
    returns: 'It is deleted',
    before: ({ deps: { files }, caller }, { id }) => files.removeFile(caller.scope, id),
    run: ({ tx, deps: { deps }, caller }, { id }) => deleteDefinition(deps, tx, caller, id),
    after: ({ deps: { deps } }, { id }) => removeFolder(deps, id),
  }),
  versions: workflows.read('/api/workflows/{id}/versions', {
    summary: 'List the versions of a workflow, newest first',
    input: workflowVersionListQuerySchema,
    output: workflowVersionPageSchema,
    returns: 'A page of versions',
    run: ({ tx, pages, caller }, { id }, filter) => listVersions(tx, pages, caller, id, filter),
  }),
  version: workflows.read('/api/workflows/{id}/versions/{version}', {
    summary: 'Get a version of a workflow',
    params: { version: wholeNumber(1) },
    output: workflowVersionTextSchema,
    returns: 'The version with its text',
    run: ({ tx, caller }, { id, version }) => getVersion(tx, caller, id, version),
  }),
  /** Which lines were added and removed between two versions. */
  diff: workflows.read('/api/workflows/{id}/diff', {
    summary: 'Get the lines that were added and removed between two versions',
    input: workflowDiffQuerySchema,
    output: documentDiffSchema,
    returns: 'The lines and how many',
    run: ({ tx, caller }, { id }, range) => diffVersions(tx, caller, id, range),
  }),
  /** Makes a new version with the text of an old one. */
  rollback: workflows.write('POST', '/api/workflows/{id}/rollback', {
    summary: 'Save the text of an older version again, as the newest',
    input: rollbackWorkflowSchema,
    output: workflowSchema,
    returns: 'The workflow as it is now',
    run: ({ tx, deps: { deps }, caller }, { id }, { version }) =>
      rollbackDefinition(deps, tx, caller, id, version),
    after: ({ deps: { files }, caller }) => files.sync(caller.scope),
  }),
  /** The one session that edits the workflow by talking. */
  editManagementSession: workflows.writeKeeping('POST', '/api/workflows/{id}/management-session', {
    summary: 'The one session that edits the workflow by talking',
    input: actionSchema,
    output: schemas.session,
    returns: 'The session',
    otherStatuses: { 201: 'The session, which was made for it' },
    run: ({ tx, caller }, { id }) => openManagement(tx, caller, id),
    answer: ({ session }) => session,
    reply: ({ isNew }) => (isNew ? { status: 201 } : {}),
  }),
  run: runs.write('POST', '/api/workflows/{id}/runs', {
    ...begins,
    summary: 'Run a workflow',
    input: runWorkflowSchema,
    run: ({ tx, deps: { deps }, caller }, { id }, { args }) => startRun(tx, deps, caller, { id, args }),
  }),
  start: runs.write('POST', '/api/workflow-runs', {
    ...begins,
    summary: 'Run a workflow by its name, or a definition that is not saved',
    input: startWorkflowSchema,
    async before({ deps: { files }, caller }, _, { name }) {
      if (name !== undefined) await files.sync(caller.scope)
    },
    run: ({ tx, deps: { deps }, caller }, _, wish) => startRun(tx, deps, caller, wish),
  }),
  /** Newest first. */
  runs: runs.read('/api/workflow-runs', {
    summary: 'List runs of workflows, newest first',
    input: workflowRunListQuerySchema,
    output: workflowRunPageSchema,
    returns: 'A page of runs',
    run: ({ tx, pages, caller }, _, filter) => listRuns(tx, pages, caller, filter),
  }),
  getRun: runs.read('/api/workflow-runs/{id}', {
    summary: 'Get a run with all its steps',
    output: workflowRunSchema,
    returns: 'The run',
    run: ({ tx, deps, caller }, { id }) => requireRun(tx, deps.deps, caller.scope, id),
  }),
  /** Refused with `conflict` when it was answered or has run out. */
  resume: runs.write('POST', '/api/workflow-runs/{id}/resume', {
    summary: 'Answer the question of a run',
    input: resumeWorkflowSchema,
    output: workflowRunSchema,
    returns: 'The run, which continues',
    run: ({ tx, deps, caller }, { id }, answer) => resumeRun(tx, deps.deps, caller, id, answer),
  }),
  /** Refused with `conflict` when it has ended. */
  cancel: runs.write('POST', '/api/workflow-runs/{id}/cancel', {
    summary: 'Cancel a run and all its steps',
    input: runActionSchema,
    output: workflowRunSchema,
    // the run itself recognises a repeated cancel
    keepsKeys: false,
    returns: 'The run',
    run: ({ deps: { deps }, caller }, { id }) => cancelWorkflowRun(deps, caller, id),
  }),
  /** A new run of the same definition. */
  rerun: runs.write('POST', '/api/workflow-runs/{id}/rerun', {
    ...begins,
    summary: 'Run the same definition again, from the beginning or from a step on',
    input: rerunWorkflowSchema,
    run: ({ tx, deps: { deps }, caller }, { id }, wish) => rerun(tx, deps, caller, id, wish),
  }),
})

/** Definitions of a scope and their runs. */
export type Workflows = Calls<ReturnType<typeof workflowOperationsOf>> & ManagementSession

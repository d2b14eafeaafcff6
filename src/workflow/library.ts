import { z } from 'zod'
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
  workflowRunListQuerySchema,
  workflowVersionListQuerySchema,
} from '../protocol/workflow.ts'
import type { Workflows } from '../protocol/workflows.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
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
import { removeFolder } from './folders.ts'
import { openManagement } from './management.ts'
import { cancelWorkflowRun, listRuns, requireRun, rerun, resumeRun, startRun } from './runs.ts'
import type { WorkflowServices } from './services.ts'
import { shippedDefinitions } from './shipped.ts'

/** The workflows of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createWorkflows({ deps, files }: WorkflowServices, pages: PageLimits): Workflows {
  const { store } = deps
  return {
    async list(query = {}) {
      const filter = check(workflowListQuerySchema, query)
      const caller = callerIn(query)
      await files.look(caller.scope)
      return listDefinitions(store, pages, caller, filter)
    },
    get: async (id, options) => getDefinition(store, callerIn(options), id),
    create: async (input) => {
      const { scope, text } = check(createWorkflowSchema, input)
      return createDefinition(deps, store, callerIn({ scope }), { text })
    },
    async update(id, input) {
      const { scope, ...update } = check(updateWorkflowSchema, input)
      const caller = callerIn({ scope })
      const saved = await updateDefinition(deps, store, caller, id, update)
      await files.look(caller.scope)
      return saved
    },
    async delete(id, options) {
      const caller = callerIn(options)
      await files.removeFile(caller.scope, id)
      await deleteDefinition(deps, store, caller, id)
      await removeFolder(deps, id)
    },
    validate: async (input) => validateDefinition(check(validateWorkflowSchema, input).text),
    templates: async () => ({ items: shippedDefinitions() }),
    schema: async () => definitionJsonSchema(),
    versions: async (id, query = {}) =>
      listVersions(store, pages, callerIn(query), id, check(workflowVersionListQuerySchema, query)),
    version: async (id, version, options) =>
      getVersion(store, callerIn(options), id, check(z.int().positive(), version)),
    diff: async (id, query = {}) =>
      diffVersions(store, callerIn(query), id, check(workflowDiffQuerySchema, query)),
    async rollback(id, input) {
      const { scope, version } = check(rollbackWorkflowSchema, input)
      const caller = callerIn({ scope })
      const saved = await rollbackDefinition(deps, store, caller, id, version)
      await files.look(caller.scope)
      return saved
    },
    managementSession: async (id, options) => (await openManagement(store, callerIn(options), id)).session,
    async run(id, input = {}) {
      const { scope, args } = check(runWorkflowSchema, input)
      return startRun(store, deps, callerIn({ scope }), { id, args })
    },
    async start(input) {
      const { scope, ...wish } = check(startWorkflowSchema, input)
      const caller = callerIn({ scope })
      if (wish.name !== undefined) await files.look(caller.scope)
      return startRun(store, deps, caller, wish)
    },
    async runs(query = {}) {
      const { scope, ...filter } = check(workflowRunListQuerySchema, query)
      return listRuns(store, pages, callerIn({ scope }), filter)
    },
    getRun: async (id, options) => requireRun(store, callerIn(options).scope, id),
    async resume(id, input) {
      const { scope, ...answer } = check(resumeWorkflowSchema, input)
      return resumeRun(store, callerIn({ scope }), id, answer)
    },
    cancel: async (id, options) => cancelWorkflowRun(deps, callerIn(options), id),
    async rerun(id, input = {}) {
      const { scope, ...wish } = check(rerunWorkflowSchema, input)
      return rerun(store, deps, callerIn({ scope }), id, wish)
    },
  }
}

import { defineExtension } from '../../core/extension.ts'
import { amount, count, optionGroup, positiveCount } from '../../core/protocol/options.ts'
import type { Call } from '../../core/tools/permission.ts'
import { documents } from '../documents/extension.ts'
import { schedule } from '../schedule/extension.ts'
import { settleWorkflowFire } from '../schedule/settle-fire.ts'
import { createAdvance } from './advance-run.ts'
import {
  defaultWorkflowLimits,
  type WorkflowDeps,
  type WorkflowLimits,
  workflowRunRetention,
} from './workflow-service.ts'
import { createWorkflowFiles, type WorkflowServices } from './workflow-files.ts'
import { createDefinitionReader } from './definition-reader.ts'
import { doLinkedAction } from './linked-actions.ts'
import { workflowOperationsOf } from './operations.ts'
import { remindStep, workflowManagement, workflowRun, workflowSource, workflowStep } from './session-types.ts'
import { createTriggeredStart } from './start-triggered.ts'
import { startRunIn } from './start-run.ts'
import type { WorkflowSteps } from './step-types.ts'
import { settleStep } from './step-table.ts'
import { createWorkflowControl } from './tool-control.ts'
import { createWorkflowTool } from './workflow-tool.ts'
import { workflowStore } from './store/slice.ts'

interface WorkflowOptions {
  /** Bounds of workflow runs; what is left out has its default. */
  workflows?: Partial<WorkflowLimits>
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends WorkflowOptions {}
}

/** Definitions of several steps, and their runs. */
export const workflow = defineExtension<WorkflowServices & WorkflowSteps>({
  name: 'workflow',
  store: workflowStore,
  retention: ({ workflows }) => workflowRunRetention(workflows?.runsKeptDays),
  references: { workflow: ['workflow', '工作流'] },
  toolNames: ['workflow'],
  needs: [documents, schedule],
  options: {
    workflows: optionGroup<WorkflowLimits>({
      maxTotalTimeoutMs: positiveCount,
      maxStepOutputChars: count,
      approvalTimeoutMs: positiveCount,
      maxDepth: count,
      maxRunSteps: positiveCount,
      maxOpenRuns: count,
      runsKeptDays: amount,
    }),
  },
  create(core, { options, use }) {
    const { store, clock, ids, types, tasks, taskLimits, requireModel, rights, logger } = core
    const documentLimits = use(documents)
    const definitions = createDefinitionReader(store.facets.groups)
    const deps: WorkflowDeps = {
      store,
      clock,
      ids,
      types,
      requireModel,
      maxWakes: taskLimits.maxWakes,
      background: tasks,
      definitions,
      limits: { ...defaultWorkflowLimits, ...options.workflows },
      readMode: rights.readMode,
      doLinkedAction(tx, place, action) {
        const findDenial = async (call: Call) =>
          rights.findDenial(tx, await tx.requireSession(place.scope, place.sessionId), call)
        return doLinkedAction(tx, { clock, documentLimits, findDenial }, place, action)
      },
      onSettled: [
        async (tx, { scope, sessionId, source, sourceId }, { status, error }) => {
          if (source === 'cron' && sourceId !== undefined)
            await settleWorkflowFire({ clock }, tx, {
              scope,
              sessionId,
              cronId: sourceId,
              outcome: status,
              reason: error,
            })
        },
      ],
      workspacesDir: core.workspacesDir,
    }
    const { forbidden, isTrusted } = core
    const service: WorkflowServices & WorkflowSteps = {
      deps,
      registerStep: definitions.steps.registerStep,
      files: createWorkflowFiles(deps, { forbidden, isTrusted, logger }),
    }
    const runs = createAdvance(deps)
    use(schedule).startables.register({
      start: createTriggeredStart({
        async findDefinition(tx, scope, id) {
          const found = await tx.getWorkflow(scope, id)
          const version = found && (await tx.getWorkflowVersion(id, found.version))
          return found && { ...found, writtenIn: version?.sessionId }
        },
        readDefinition: definitions.read,
        startRunIn: (tx, request) => startRunIn(tx, deps, request),
      }),
      cancel: runs.cancelById,
    })
    return {
      service,
      operations: {
        workflows: { operations: workflowOperationsOf(core.store.facets.schemas), deps: service },
      },
      tools: [createWorkflowTool(createWorkflowControl(service))],
      prompt: [workflowSource(store)],
      sessionTypes: [workflowManagement, workflowStep, workflowRun],
      runKinds: { workflow: runs },
      on: {
        nudge: remindStep,
        taskSettled: (tx, session, result) => settleStep(tx, deps, session, result),
      },
      start: () => service.files.start(),
      stop: () => service.files.stop(),
    }
  },
})

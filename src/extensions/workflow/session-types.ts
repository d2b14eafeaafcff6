import type { PromptSource } from '../../core/chat/prompt-source.ts'
import type { SessionType } from '../../core/chat/session-types.ts'
import { availableSkills } from '../../core/prompt/fragments/available-skills.ts'
import { contextChanges } from '../../core/prompt/fragments/context-changes.ts'
import { currentDate } from '../../core/prompt/fragments/current-date.ts'
import { env } from '../../core/prompt/fragments/env.ts'
import { references } from '../../core/prompt/fragments/references.ts'
import { rules } from '../../core/prompt/fragments/rules.ts'
import { skills } from '../../core/prompt/fragments/skills.ts'
import { taskRecipeWith } from '../../core/prompt/recipe.ts'
import { isWorkflowManagement, workflowRunSource } from './protocol/session-kinds.ts'
import type { Session } from '../../core/protocol/session.ts'
import type { Store } from '../../core/store/store.ts'
import { activeLocks } from '../documents/lock-source.ts'
import {
  identityWorkflow,
  workflowContext,
  workflowEditContext,
  workflowManagementContext,
} from './fragments.ts'
import { readEditedWorkflow } from './management.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Part } from '../../core/protocol/message.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import { needsReminder } from '../../core/tasks/require-result.ts'

/**
 * Sessions that edit a workflow. They are about that alone: a command could take their tool away, and nothing of them is
 * worth remembering elsewhere.
 */
export const workflowManagement: SessionType = {
  name: 'tool_workflow_management',
  appliesTo: isWorkflowManagement,
  wholeTools: ['workflow'],
  recipe: {
    sessionStatic: [identityWorkflow, rules, env, workflowManagementContext, availableSkills, skills],
    acceptCallerPreamble: false,
    perTurnDynamic: [workflowEditContext, activeLocks, currentDate, contextChanges, references],
  },
  flags: {
    skipMemory: true,
    skipPerRoundExtract: true,
    skipNarrativeBatchExtract: true,
    skipDocumentExtract: true,
    skipSlashCommands: true,
    includeScopeContext: false,
  },
}

/** The session of a run of a workflow. */
export const workflowRun: SessionType = {
  name: 'workflow_run',
  appliesTo: ({ kind, toolMeta }) => kind === 'tool' && toolMeta?.source === workflowRunSource,
  isOfRun: true,
}

const isStep = ({ kind, bgMeta }: Partial<Session>) => kind === 'background' && bgMeta?.source === 'workflow'

/** Background sessions that do a step of a run. */
export const workflowStep: SessionType = {
  name: 'background_workflow_step',
  appliesTo: isStep,
  recipe: taskRecipeWith(workflowContext),
  isStep: true,
}

export const workflowSource = (store: Store): PromptSource => ({
  name: 'workflow',
  appliesTo: (session) => isStep(session) || isWorkflowManagement(session),
  async load(session, input) {
    if (isStep(session)) return { workflow: input.workflow }
    const { toolMeta } = session
    return {
      managedWorkflow:
        session.kind === 'tool' ? { name: toolMeta?.workflowName, label: toolMeta?.label } : undefined,
      editedWorkflow:
        (await readEditedWorkflow(store, session, input.workflowEditContext)) ?? input.workflowEditContext,
    }
  },
})

/** Reminds a step that stops without a result that the next step needs it. */
export function remindStep(run: Run, parts: readonly Part[]): string | undefined {
  if ((run.input as TurnInput).actor?.source !== 'workflow' || !needsReminder(run, parts)) return undefined
  return 'You have not called set_result. The next step of the workflow gets nothing but what you submit there. Call set_result now with your result.'
}

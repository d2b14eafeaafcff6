/** What workflows add to records of the core: to sessions, to inputs, and to what fragments of prompts read. */
import { z } from 'zod'
import { defineFacets } from '../../core/protocol/facets.ts'
import { idSchema } from '../../core/protocol/names.ts'
import { workflowTriggers } from './protocol/workflow.ts'

const folder = z.string().max(4_096).optional()

export const workflowFacets = defineFacets({
  groups: { list: { workflow: true } },
  runKind: 'workflow',
  folderFiles: { before: 'agents', list: ['workflows'] },
  tags: ['workflow_context', 'workflow_management_context', 'current_definition'],
  toolMeta: {
    after: 'label',
    fields: {
      workflowDefId: z.string().max(200).optional(),
      workflowName: z.string().max(200).optional(),
      persistentWorkspaceDir: folder,
      runWorkspaceDir: folder,
      runId: idSchema.optional().meta({ description: 'The run of a workflow whose session it is' }),
      triggerType: z.enum(workflowTriggers).optional().meta({ description: 'What started that run' }),
    },
    own: ['persistentWorkspaceDir', 'runWorkspaceDir', 'runId', 'triggerType'],
  },
  bgMeta: {
    fields: { workspaceDir: folder, persistentWorkspaceDir: folder },
    own: ['workspaceDir', 'persistentWorkspaceDir'],
  },
  triggers: ['workflow'],
  folders: {
    note: '"run" and "workflow" (inside workflows, where "run" is the default)',
    list: [
      {
        name: 'run',
        shownAs: 'session_workspace',
        isStart: true,
        keptIn: 'workspaceDir',
        of: ({ bgMeta, toolMeta }) => bgMeta?.workspaceDir ?? toolMeta?.runWorkspaceDir,
      },
      {
        name: 'workflow',
        shownAs: 'workflow_workspace',
        keptIn: 'persistentWorkspaceDir',
        of: ({ bgMeta, toolMeta }) => bgMeta?.persistentWorkspaceDir ?? toolMeta?.persistentWorkspaceDir,
      },
    ],
  },
})

/** Where a step of a workflow stands in its run. */
export interface WorkflowContext {
  name: string
  runId: string
  step: string
  completed: number
  steps: string[]
  nextStep?: string
  outputs: { step: string; output: string }[]
  args: Record<string, unknown>
}

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    workflow: true
  }
  interface PromptTags {
    workflow_context: true
    workflow_management_context: true
    current_definition: true
  }
  interface ToolMetaFacets {
    workflowDefId?: string
    workflowName?: string
    /** Folders of the workflow over all its runs, and of one run. */
    persistentWorkspaceDir?: string
    runWorkspaceDir?: string
    runId?: string
    triggerType?: (typeof workflowTriggers)[number]
  }
  interface BgMetaFacets {
    /** The same of a step, and of its tasks. */
    workspaceDir?: string
    persistentWorkspaceDir?: string
  }
  interface TriggerFacets {
    workflow: true
  }
  interface InputFacets {
    workflow?: WorkflowContext
    workflowEditContext?: string
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    workflow?: WorkflowContext
    managedWorkflow?: { name?: string; label?: string }
    /** The definition that the session edits, as it is now. */
    editedWorkflow?: string
  }
}

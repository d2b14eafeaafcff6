/** What workflows add to records of the core: to inputs, and to what fragments of prompts look at. */

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

declare module '../../core/chat/turn-input.ts' {
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

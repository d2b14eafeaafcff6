/** What plans add to records of the core: to sessions, to inputs, and to what fragments of prompts read. */
import { defineFacets } from '../../core/protocol/facets.ts'
import { idSchema } from '../../core/protocol/names.ts'
import { runPreviewField, type RunPreview } from './protocol/run-preview.ts'

export const planFacets = defineFacets({
  groups: { list: { plan: true } },
  runKind: 'plan',
  approval: { after: 'reason', fields: { planRun: runPreviewField } },
  tags: [
    'plan_context',
    'plan_binding',
    'plan_outline',
    'plan_list',
    'recent_results',
    'reply_schema',
    'actions',
    'guidelines',
    'subgraph',
  ],
  session: { after: 'thread', fields: { planId: idSchema.optional() } },
  patch: {
    after: 'model',
    fields: { planId: idSchema.nullish().meta({ description: 'The plan that it talks about' }) },
  },
  triggers: ['plan'],
  plainModes: ['plan'],
})

/** What the prompt of a session contains about its plan. */
export interface PlanFacts {
  /** Undefined while it has none. */
  id?: string
  /** Of the plan, when its outline was made or before. */
  version?: number
  /** What the session answers with. */
  reply: { binding: string; schema: string; actions: string; guidelines: string }
  /** The plan as it is now, or the plans that there are. */
  outline?: string
  list?: string
  results?: string
}

declare module '../../core/protocol/facets.ts' {
  interface ToolGroups {
    plan: true
  }
  interface ApprovalFacets {
    planRun?: RunPreview
  }
  interface PromptTags {
    plan_context: true
    plan_binding: true
    plan_outline: true
    plan_list: true
    recent_results: true
    reply_schema: true
    actions: true
    guidelines: true
    subgraph: true
  }
  interface SessionFacets {
    planId?: string
  }
  interface PatchFacets {
    planId?: string | null
  }
  interface TriggerFacets {
    plan: true
  }
  interface InputFacets {
    /** The position of a node in its plan, as text. */
    plan?: string
  }
}

declare module '../../core/prompt/fragment.ts' {
  interface PromptFacets {
    /** Where a node stands in its plan. */
    planNode?: string
    plan?: PlanFacts
  }
}

import { z } from 'zod'
import { idSchema } from '../protocol/names.ts'
import { defineTool, type Access, type Tool, type ToolContext } from './tool.ts'

/** Plans as the tool of a model sees them. */
export interface PlanControl {
  /** By name, with what each does and takes. */
  actions: readonly { name: string; description: string; effect: 'read' | 'write' | 'delete' }[]
  act(
    call: { action: string; planId?: string; parameters: Record<string, unknown> },
    context: ToolContext,
  ): Promise<unknown>
}

/** What a session about a plan does by its answers, for all others. */
export function createPlanTool(control: PlanControl): Tool {
  const names = control.actions.map(({ name }) => name) as [string, ...string[]]
  return defineTool({
    name: 'plan',
    group: 'plan',
    description: [
      'Plans: trees of tasks that are kept, changed and executed. Every action but create_plan and list_plans needs "plan_id". "parameters" are those of the action:',
      ...control.actions.map(({ name, description }) => `- ${name}: ${description}`),
      'What is executed or taken apart goes on in the background; you are told of its end.',
    ].join('\n'),
    input: z.strictObject({
      action: z.enum(names),
      plan_id: idSchema.optional(),
      parameters: z.record(z.string().max(200), z.unknown()).default({}),
    }),
    isIdempotent: true,
    access: ({ action, plan_id: planId }): Access => ({
      action,
      effect: control.actions.find(({ name }) => name === action)?.effect === 'read' ? 'read' : 'write',
      resources: [`plan:${planId ?? (action === 'create_plan' ? 'new' : '*')}`],
    }),
    execute: ({ action, plan_id: planId, parameters }, context) =>
      control.act({ action, planId, parameters }, context),
  })
}

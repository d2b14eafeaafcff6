import { z } from 'zod'
import { idSchema } from '../../core/protocol/names.ts'
import type { RunPreview } from './protocol/run-preview.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'

/** Plans as the tool of a model sees them. */
export interface PlanControl {
  /** By name, with what each does and takes. */
  actions: readonly { name: string; description: string; effect: 'read' | 'write' | 'delete' | 'run' }[]
  act(call: PlanCall, context: ToolContext): Promise<unknown>
  /** Of a call that would run nodes: which. */
  preview(call: PlanCall, place: Pick<ToolContext, 'scope' | 'sessionId'>): Promise<RunPreview | undefined>
  /** Throws for what could not be done, such as an unknown task. */
  check(tx: StoreOperations, call: PlanCall, place: Pick<ToolContext, 'scope' | 'sessionId'>): Promise<void>
}

export interface PlanCall {
  action: string
  planId?: string
  /** The version of the plan that the call is based on. */
  baseVersion?: number
  parameters: Record<string, unknown>
}

/** The actions of sessions about plans as a tool, for all other sessions. */
export function createPlanTool(control: PlanControl): Tool {
  const names = control.actions.map(({ name }) => name) as [string, ...string[]]
  return defineTool({
    name: 'plan',
    group: 'plan',
    offered: 'line',
    startsTasks: true,
    description: [
      'Plans: trees of tasks that are kept, changed and executed. Every action but create_plan and list_plans needs "plan_id". "parameters" are those of the action:',
      ...control.actions.map(({ name, description }) => `- ${name}: ${description}`),
      'Answers have the "version" of the plan. With that as "base_version", what others changed since is not replaced: you are told of it.',
      'What is executed or taken apart goes on in the background; you are told of its end.',
    ].join('\n'),
    input: z.strictObject({
      action: z.enum(names),
      plan_id: idSchema.optional(),
      base_version: z.int().nonnegative().max(1e12).optional(),
      parameters: z.record(z.string().max(200), z.unknown()).default({}),
    }),
    isIdempotent: true,
    access: ({ action, plan_id: planId }): Access => ({
      action,
      effect: control.actions.find(({ name }) => name === action)?.effect === 'read' ? 'read' : 'write',
      resources: [`plan:${planId ?? (action === 'create_plan' ? 'new' : '*')}`],
    }),
    check: (tx, { action, plan_id: planId, parameters }, place) =>
      control.check(tx, { action, planId, parameters }, place),
    async preview({ action, plan_id: planId, parameters }, place) {
      const planRun = await control.preview({ action, planId, parameters }, place)
      return planRun && { planRun }
    },
    execute: ({ action, plan_id: planId, base_version: baseVersion, parameters }, context) =>
      control.act({ action, planId, baseVersion, parameters }, context),
  })
}

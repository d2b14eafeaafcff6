import { z } from 'zod'
import { listOf } from './names.ts'

/** How much a session may do without asking; `plan` looks and changes nothing, `dontAsk` takes asking for a no. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]

export const toolGroups = [
  'workspace',
  'document',
  'todo',
  'search',
  'memory',
  'terminal',
  'task',
  'schedule',
  'workflow',
  'plan',
  'web',
  'mcp',
] as const

const patternSchema = z.string().min(1).max(1_000)

export const permissionRuleSchema = z
  .strictObject({
    tool: patternSchema.meta({ description: 'The name of a tool; * stands for anything' }),
    action: listOf(z.string().min(1).max(100), 50, { type: 'string' })
      .optional()
      .meta({ description: 'Only for these actions of the tool' }),
    path: patternSchema.optional().meta({
      description: 'Only for files, commands or addresses that fit; relative paths start at the scope',
    }),
    decision: z.enum(['allow', 'ask', 'deny']),
    message: z.string().min(1).max(500).optional().meta({ description: 'Told to the model with a no' }),
  })
  .meta({ id: 'PermissionRule' })
export type PermissionRule = z.infer<typeof permissionRuleSchema>

export const permissionRulesSchema = listOf(permissionRuleSchema, 500, { type: 'object' }).meta({
  description: 'In order: the first that fits counts',
})

export const groupSwitchesSchema = z
  .partialRecord(z.enum(toolGroups), z.boolean())
  .meta({ description: 'Groups of tools that are switched on or off' })
export type GroupSwitches = z.infer<typeof groupSwitchesSchema>

import { z } from 'zod'
import { findGlobFault } from '../shared/glob.ts'
import type { ToolGroups } from './facets.ts'
import { listOf } from './names.ts'

/** How much a session may do without asking; `plan` looks and changes nothing, `dontAsk` takes asking for a no. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]

/** Groups of tools that every Parley has, and whether they are on until somebody switches them. */
export const coreGroups = { search: true, task: true } as const
type ToolGroup = keyof typeof coreGroups | keyof ToolGroups
export type GroupSwitches = { [Group in ToolGroup]?: boolean }

export const maxPatternLength = 1_000
const patternSchema = z.string().min(1).max(maxPatternLength)

const ruleSchema = z.strictObject({
  tool: patternSchema.meta({ description: 'The name of a tool; * stands for anything' }),
  action: listOf(z.string().min(1).max(100), 50, { type: 'string' })
    .optional()
    .meta({ description: 'Only for these actions of the tool' }),
  path: patternSchema.optional().meta({
    description: 'Only for files, commands or addresses that fit; relative paths start at the scope',
  }),
  decision: z.enum(['allow', 'ask', 'deny']),
  inputHash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({ description: 'Only for one very call: SHA-256 of its input, as a remembered answer has it' }),
  message: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: 'The reason that the model sees with a denial' }),
})
export type PermissionRule = z.infer<typeof ruleSchema>

/** Patterns of `commandTools` are of commands, with a grammar of their own. */
export const permissionRuleOf = (commandTools: readonly string[]) =>
  ruleSchema
    .superRefine((rule, context) => {
      const patterns = commandTools.includes(rule.tool)
        ? { tool: rule.tool }
        : { tool: rule.tool, path: rule.path }
      for (const [key, pattern] of Object.entries(patterns)) {
        const fault = pattern === undefined ? undefined : findGlobFault(pattern)
        if (fault !== undefined)
          context.addIssue({ code: 'custom', path: [key], message: `is a pattern that ${fault}` })
      }
    })
    .meta({ id: 'PermissionRule' })
/** Of programs that have no commands. */
export const permissionRuleSchema = permissionRuleOf([])

/** Switches of groups among these. */
export const groupSwitchesOf = (groups: readonly string[]): z.ZodType<GroupSwitches, GroupSwitches> =>
  z
    .partialRecord(z.enum(groups), z.boolean())
    .meta({ description: 'Groups of tools that are switched on or off' })

/** What sets rights, in one Parley. */
export interface RightsSchemas {
  rules: z.ZodType<PermissionRule[], PermissionRule[]>
  groups: z.ZodType<GroupSwitches, GroupSwitches>
}

export const rightsSchemasOf = (groups: readonly string[], commandTools: readonly string[]): RightsSchemas =>
  ({
    rules: listOf(permissionRuleOf(commandTools), 500, { type: 'object' }).meta({
      description: 'In order: the first that fits counts',
    }),
    groups: groupSwitchesOf(groups),
  }) as unknown as RightsSchemas

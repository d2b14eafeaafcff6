import { z } from 'zod'
import { builtInCommandTools, builtInGroups, builtInToolPrefixes } from '../../extensions/built-in-words.ts'
import { findGlobFault } from '../shared/glob.ts'
import { listOf } from './names.ts'

/** How much a session may do without asking; `plan` looks and changes nothing, `dontAsk` takes asking for a no. */
export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]

type ToolGroup = keyof typeof builtInGroups
/** Groups of tools that can be switched. */
export const toolGroups = Object.keys(builtInGroups) as ToolGroup[]

/** How names of tools begin that no program can use for its own, and whose they are. */
export const toolPrefixes = builtInToolPrefixes

export const maxPatternLength = 1_000
const patternSchema = z.string().min(1).max(maxPatternLength)

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
    inputHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({ description: 'Only for one very call: SHA-256 of its input, as a remembered answer has it' }),
    message: z.string().min(1).max(500).optional().meta({ description: 'Told to the model with a no' }),
  })
  .superRefine((rule, context) => {
    // patterns of commands have a grammar of their own
    const patterns = builtInCommandTools.includes(rule.tool)
      ? { tool: rule.tool }
      : { tool: rule.tool, path: rule.path }
    for (const [key, pattern] of Object.entries(patterns)) {
      const fault = pattern === undefined ? undefined : findGlobFault(pattern)
      if (fault !== undefined)
        context.addIssue({ code: 'custom', path: [key], message: `is a pattern that ${fault}` })
    }
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

/** Those that are off until somebody switches them on. */
export const defaultGroups: GroupSwitches = Object.fromEntries(
  Object.entries(builtInGroups).filter(([, isOn]) => !isOn),
)

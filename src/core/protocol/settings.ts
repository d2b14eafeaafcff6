import { z } from 'zod'
import { builtInEffectiveFields } from '../../extensions/built-in-fields.ts'
import { builtInFolderFiles } from '../../extensions/built-in-words.ts'
import { scopeSchema } from './names.ts'
import { groupSwitchesSchema, permissionModes, permissionRulesSchema } from './permission.ts'
import { effectiveWindowSchema, windowSettingsSchema } from './window.ts'

const modelSchema = z.string().min(1).max(200)

/** What is set for the sessions of a scope that say nothing else. */
export const scopeSettingsSchema = z.object({
  model: modelSchema.optional(),
  window: windowSettingsSchema.optional(),
  permissionMode: z.enum(permissionModes).optional(),
  permissionRules: permissionRulesSchema.optional(),
  toolGroups: groupSwitchesSchema.optional(),
})
export type ScopeSettings = z.infer<typeof scopeSettingsSchema>

export const settingsViewSchema = z
  .object({
    ...scopeSettingsSchema.shape,
    effective: z
      .object({
        model: z.string(),
        window: effectiveWindowSchema,
        permissionMode: z.enum(permissionModes),
        toolGroups: groupSwitchesSchema,
        ...builtInEffectiveFields,
        sandbox: z
          .enum(['bubblewrap', 'seatbelt', 'off', 'missing'])
          .optional()
          .meta({ description: 'What commands run in; while it is missing, each one is asked for' }),
      })
      .meta({ description: 'With the configuration and the defaults below it' }),
    isBound: z.literal(true).optional().meta({
      description:
        'The key of the reader is bound to scopes: it raises no mode, group or rule, and trusts no folder',
    }),
    folder: z
      .object({ path: z.string(), isTrusted: z.boolean() })
      .optional()
      .meta({
        description: `Of the scope; while it is not trusted, its ${[...builtInFolderFiles, 'skills'].join(', ')} and commands do not count`,
      }),
  })
  .meta({ id: 'Settings' })
export type SettingsView = z.infer<typeof settingsViewSchema>

export const updateSettingsSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    model: modelSchema.nullable().optional(),
    window: windowSettingsSchema.nullable().optional().meta({ description: 'Replaces all that was set' }),
    permissionMode: z.enum(permissionModes).nullable().optional(),
    permissionRules: permissionRulesSchema.nullable().optional(),
    toolGroups: groupSwitchesSchema.nullable().optional(),
    trusted: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the folder of the scope is trusted; only for keys that see all scopes' }),
  })
  .meta({ id: 'UpdateSettings', description: 'null takes a value away' })
export type UpdateSettings = z.infer<typeof updateSettingsSchema>

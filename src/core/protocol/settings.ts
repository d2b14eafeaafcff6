import { z } from 'zod'
import type { EffectiveFacets, Facets } from './facets.ts'
import { scopeSchema } from './names.ts'
import { parameterSettingsSchema } from './parameters.ts'
import { permissionModes, type RightsSchemas } from './permission.ts'
import { placed, placedEntries } from './placed-fields.ts'
import { effectiveWindowSchema, windowSettingsSchema } from './window.ts'

const modelSchema = z.string().min(1).max(200)

/** What is set for the sessions of a scope that say nothing else. */
const scopeFieldsOf = ({ rules, groups }: RightsSchemas) => ({
  model: modelSchema.optional(),
  window: windowSettingsSchema.optional(),
  parameters: parameterSettingsSchema.optional(),
  permissionMode: z.enum(permissionModes).optional(),
  permissionRules: rules.optional(),
  toolGroups: groups.optional(),
})
export type ScopeSettings = z.infer<z.ZodObject<ReturnType<typeof scopeFieldsOf>>>

/** With the configuration and the defaults below it. */
const effectiveFieldsOf = ({ groups }: RightsSchemas) => ({
  model: z.string(),
  window: effectiveWindowSchema,
  parameters: parameterSettingsSchema,
  permissionMode: z.enum(permissionModes),
  toolGroups: groups,
  sandbox: z
    .enum(['bubblewrap', 'seatbelt', 'off', 'missing'])
    .optional()
    .meta({ description: 'What commands run in; while it is missing, each one needs approval' }),
})
export interface EffectiveSettings
  extends z.infer<z.ZodObject<ReturnType<typeof effectiveFieldsOf>>>, EffectiveFacets {}

const readerFieldsOf = (folderFiles: readonly string[]) => ({
  isBound: z.literal(true).optional().meta({
    description:
      'The key of the reader is bound to scopes: it raises no mode, group or rule, and trusts no folder',
  }),
  folder: z
    .object({ path: z.string(), isTrusted: z.boolean() })
    .optional()
    .meta({
      description: `Of the scope; while it is not trusted, its ${folderFiles.join(', ')} and commands do not count`,
    }),
})
export interface SettingsView extends ScopeSettings, z.infer<z.ZodObject<ReturnType<typeof readerFieldsOf>>> {
  effective: EffectiveSettings
}

const updateSchemaOf = ({ rules, groups }: RightsSchemas) =>
  z
    .strictObject({
      scope: scopeSchema.optional(),
      model: modelSchema.nullable().optional(),
      window: windowSettingsSchema.nullable().optional().meta({ description: 'Replaces all that was set' }),
      parameters: parameterSettingsSchema
        .nullable()
        .optional()
        .meta({ description: 'Replaces all that was set' }),
      permissionMode: z.enum(permissionModes).nullable().optional(),
      permissionRules: rules.nullable().optional(),
      toolGroups: groups.nullable().optional(),
      trusted: z.boolean().optional().meta({
        description: 'Whether the folder of the scope is trusted; only for keys that see all scopes',
      }),
    })
    .meta({ id: 'UpdateSettings', description: 'null takes a value away' })
export type UpdateSettings = z.infer<ReturnType<typeof updateSchemaOf>>

/** What operations on the settings of a scope take and answer in one Parley. */
export interface SettingsSchemas {
  view: z.ZodType<SettingsView, SettingsView>
  update: ReturnType<typeof updateSchemaOf>
}

export function settingsSchemasOf(all: readonly Facets[], rights: RightsSchemas): SettingsSchemas {
  const effective = placed(
    effectiveFieldsOf(rights),
    all.flatMap((facets) => facets.effective ?? []),
  )
  const files = placedEntries(
    { skills: true },
    all.flatMap(({ folderFiles }) =>
      folderFiles
        ? { ...folderFiles, list: Object.fromEntries(folderFiles.list.map((one) => [one, true])) }
        : [],
    ),
  )
  const view = z
    .object({
      ...scopeFieldsOf(rights),
      effective: z
        .object(effective)
        .meta({ description: 'With the configuration and the defaults below it' }),
      ...readerFieldsOf(Object.keys(files)),
    })
    .meta({ id: 'Settings' })
  // the types of the fields are joined by declaration merging, which a list of them cannot show
  return { view: view as unknown as SettingsSchemas['view'], update: updateSchemaOf(rights) }
}

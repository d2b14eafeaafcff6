import { z } from 'zod'
import { isSettingKey, knownKeys, settingAt, type SettingKey } from './settings.ts'

/** JSON Schema 2020-12 of `parley.yaml`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const shape = { $schema: z.string().optional().describe('Where editors find this schema.'), ...toShape() }
  const { $schema, ...schema } = z.toJSONSchema(z.strictObject(shape), { io: 'input' })
  return { $schema, title: 'Parley configuration', ...schema }
}

function toShape(group?: string): Record<string, z.ZodType> {
  return Object.fromEntries(
    knownKeys(group).map((name) => {
      const key = group === undefined ? name : `${group}.${name}`
      return [name, isSettingKey(key) ? toProperty(key) : z.strictObject(toShape(name)).optional()]
    }),
  )
}

function toProperty(key: SettingKey): z.ZodType {
  const { type, description, env, default: value } = settingAt(key)
  const hint = env === undefined ? description : `${description} Environment: ${env}.`
  return type.optional().meta({
    description: hint,
    ...(value === undefined || typeof value === 'function' ? {} : { default: value }),
  })
}

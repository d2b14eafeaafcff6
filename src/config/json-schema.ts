import { z } from 'zod'
import { isSettingKey, knownKeys, settingAt, type SettingKey } from './settings.ts'

/** JSON Schema 2020-12 of `parley.yaml`, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const shape = { $schema: z.string().optional().describe('Where editors find this schema.'), ...toShape() }
  const { $schema, ...schema } = z.toJSONSchema(z.strictObject(shape), { io: 'input' })
  return { $schema, title: 'Parley configuration', ...schema }
}

function toShape(...group: string[]): Record<string, z.ZodType> {
  return Object.fromEntries(
    knownKeys(...group).map((name) => {
      const path = [...group, name]
      const key = path.join('.')
      return [name, isSettingKey(key) ? toProperty(key) : z.strictObject(toShape(...path)).optional()]
    }),
  )
}

function toProperty(key: SettingKey): z.ZodType {
  const { type, description, env, default: value, defaultText } = settingAt(key)
  const hints = [description]
  if (env !== undefined) hints.push(`Environment: ${env}.`)
  if (defaultText !== undefined) hints.push(`Default: ${defaultText}.`)
  return type.optional().meta({
    description: hints.join(' '),
    ...(value === undefined || typeof value === 'function' ? {} : { default: value }),
  })
}

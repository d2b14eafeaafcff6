import type { ModelRequest } from './adapter.ts'
import { isJson } from './demo-grammar.ts'

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
}

const asksForResult = /set_result|submit\b.{0,40}\bresult|提交.{0,10}结果/is

/**
 * What the demo hands in where the prompt asks for a result and there is a tool to do so; else undefined. An answer
 * that is JSON and has the fields of the tool is the result as it is.
 */
export function toResultInput({ system, tools }: ModelRequest, answer: string): string | undefined {
  const tool = tools.find(({ name }) => name === 'set_result')
  if (!tool || !asksForResult.test(system)) return undefined
  const schema = tool.inputSchema as Schema
  const value: unknown = isJson(answer) ? JSON.parse(answer) : answer
  const names = Object.keys(schema.properties ?? {})
  if (isObject(value) && names.some((name) => name in value)) return JSON.stringify(value)
  const [main = 'result'] = [...(schema.required ?? []), ...names]
  const fields = [...new Set([main, ...(schema.required ?? [])])]
  return JSON.stringify(
    Object.fromEntries(fields.map((name) => [name, fit(schema.properties?.[name], value, answer)])),
  )
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fit(schema: Schema = {}, value: unknown, text: string): unknown {
  if (schema.enum) return schema.enum[0]
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return typeof value === 'number' ? value : 0
  if (type === 'array') return Array.isArray(value) ? value : [value]
  if (type === 'object') return isObject(value) ? value : { text }
  return type === 'string' ? text : value
}

import type { ModelRequest } from './adapter.ts'
import { isJson } from './demo-grammar.ts'
import { toSteps, toSubject, type DemoStep } from './demo-steps.ts'

/** As much of a JSON Schema as the demo reads. */
export interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  minItems?: number
  maxItems?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** What there is to fill a schema with. */
interface Source {
  value: unknown
  text: string
  /** What was requested, in a few words. */
  subject: string
  /** In a list: the step that the item is. */
  step?: DemoStep
}

const asksForResult = /set_result|submit\b.{0,40}\bresult|提交.{0,10}结果/is

/**
 * What the demo submits if the prompt requires a result and there is a tool to do so; else undefined. An answer
 * that is JSON and has the fields of the tool is the result as it is; a list of objects becomes steps of what was said.
 */
export function toResultInput(
  { system, tools }: ModelRequest,
  answer: string,
  said: string,
): string | undefined {
  const tool = tools.find(({ name }) => name === 'set_result')
  if (!tool || !asksForResult.test(system)) return undefined
  const schema = tool.inputSchema as Schema
  const value: unknown = isJson(answer) ? JSON.parse(answer) : answer
  return JSON.stringify(fitFields(schema, { value, text: answer, subject: toSubject(said) }, 'result'))
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields that must be there, and at least one. */
function fitFields({ properties = {}, required = [] }: Schema, source: Source, otherwise: string): object {
  const names = Object.keys(properties)
  if (isObject(source.value) && names.some((name) => name in (source.value as object))) return source.value
  const [main = otherwise] = [...required, ...names]
  const fields = [...new Set([main, ...required])]
  return Object.fromEntries(fields.map((name) => [name, fit(properties[name], name, source)]))
}

const isTitle = /^(name|title|label|heading)$/i
// yes to one of these would be no to the rest
const isEnd = /stop|fail|skip|error|cancel|abort/i

function fit(schema: Schema = {}, name: string, source: Source): unknown {
  const { value, text, step } = source
  if (schema.enum) return schema.enum[0]
  if ('const' in schema) return schema.const
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return fit(choice, name, source)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'boolean') return !isEnd.test(name)
  if (type === 'number' || type === 'integer')
    return typeof value === 'number' ? value : (schema.minimum ?? 0)
  if (type === 'array') return Array.isArray(value) ? value : fitList(schema, name, source)
  if (type === 'object') {
    if (schema.properties) return fitFields(schema, source, 'text')
    return isObject(value) ? value : { text }
  }
  if (type !== 'string') return value
  const words = step ? (isTitle.test(name) ? step.name : step.instruction) : text
  return words.slice(0, schema.maxLength).toWellFormed()
}

// as many as can be read at a glance
const usualSteps = 3

function fitList(
  { items, minItems = 0, maxItems = Infinity }: Schema,
  name: string,
  source: Source,
): unknown[] {
  if (!items) return [source.value]
  const isPlain = items.type !== 'object'
  // numbers of other items, or another list of steps within a step
  const least =
    source.step || items.type === 'integer' || items.type === 'number' ? 0 : isPlain ? 1 : usualSteps
  const count = Math.max(minItems, Math.min(least, maxItems))
  if (isPlain && count === 1) return [fit(items, name, source)]
  return toSteps(source.subject, count).map((step) =>
    fit(items, isPlain ? 'name' : name, { ...source, value: step.name, step }),
  )
}

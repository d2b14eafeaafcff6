import { z } from 'zod'
import { describeThrown, invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import { nearest } from '../protocol/nearest.ts'
import {
  callable,
  checkOptions,
  choice,
  count,
  flag,
  objectWith,
  requiredGroup,
  text,
  type OptionSchemas,
} from '../protocol/options.ts'
import type { JoinedFacets } from '../protocol/joined-facets.ts'
import { inputSchemaOf, isStandardSchema } from './tool-schemas.ts'
import { copyTool, toTool, type Tool, type ToolDefinition } from './tool.ts'

// what every provider takes
const namePattern = /^[A-Za-z0-9_-]{1,64}$/

const toolShape: OptionSchemas<ToolDefinition> = {
  name: text,
  description: text,
  group: text,
  offered: choice('whole', 'line'),
  isForeign: flag,
  input: z.custom<ToolDefinition['input']>(isStandardSchema, {
    error: 'must be a schema of zod, Valibot or another library that keeps to Standard Schema',
  }),
  inputSchema: objectWith<Record<string, unknown>>('a JSON Schema'),
  timeoutMs: count,
  isIdempotent: flag,
  isAwaited: flag,
  endsTurn: flag,
  startsTasks: flag,
  access: callable,
  check: callable,
  preview: callable,
  forTurn: callable,
  execute: callable,
}
const toolSchema = requiredGroup(toolShape, ['name', 'description', 'input'])

/**
 * Tools that a program passes, ready to be used. Refuses at once, by name, what would fail in the middle of a turn:
 * names that no provider takes or that are taken, and inputs that cannot be described to a model.
 */
export function readProgramTools(
  caller: string,
  given: readonly ToolDefinition[],
  { toolPrefixes, groups }: Pick<JoinedFacets, 'toolPrefixes' | 'groups'>,
  taken: readonly string[] = [],
): Tool[] {
  const names = new Set<string>()
  return given.map((tool, index) => {
    checkOptions(`${caller}: ${placeOf(tool, index)}`, toolSchema, toPlain(tool))
    const refuse = (why: string) => invalidRequest(`${caller}: ${placeOf(tool, index)} ${why}`)
    const { name, group } = tool
    if (!namePattern.test(name))
      throw refuse('has a name that providers refuse; use 1 to 64 letters, digits, "_" and "-".')
    for (const [prefix, owner] of Object.entries(toolPrefixes))
      if (name.startsWith(prefix))
        throw refuse(`has a name for ${owner}; do not begin it with ${quote(prefix)}.`)
    if (names.has(name)) throw refuse('is there twice; give each tool a name of its own.')
    if (taken.includes(name)) throw refuse('has the name of a built-in tool; give it another.')
    names.add(name)
    requireGroup(group, groups, refuse)
    const schema = inputSchemaOf(tool)
    // several types, or none, are left to the provider
    if (typeof schema['type'] === 'string' && schema['type'] !== 'object')
      throw refuse(`takes a value of the type ${quote(schema['type'])}; the input of a tool is an object.`)
    return tool.forTurn ? namingBugs(tool) : toTool(tool)
  })
}

const placeOf = (tool: unknown, index: number) => {
  const name = typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : undefined
  return typeof name === 'string' ? `the tool ${quote(name)}` : `tools[${index}]`
}

/** Of an object of a class only the fields of a tool are read: it may have more of its own. */
function toPlain(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null) return tool
  const prototype: unknown = Object.getPrototypeOf(tool)
  if (prototype === Object.prototype || prototype === null) return tool
  const keys = Object.keys(toolShape) as (keyof ToolDefinition)[]
  return Object.fromEntries(keys.map((key) => [key, (tool as ToolDefinition)[key]]))
}

/** A group of the program's own is only shown. One that is nearly a known one would not be switched off with it. */
function requireGroup(
  group: string | undefined,
  known: readonly string[],
  refuse: (why: string) => ParleyError,
): void {
  if (group === undefined || known.includes(group)) return
  const close = nearest(group, known)
  if (close !== undefined)
    throw refuse(`is in the unknown group ${quote(group)}; did you mean ${quote(close)}?`)
}

/** What `forTurn` throws would end the turn without a word about whose fault it was. */
const namingBugs = (definition: ToolDefinition): Tool => {
  const { input } = toTool(definition)
  return copyTool(definition, {
    input,
    forTurn(turn) {
      try {
        const offered = definition.forTurn!(turn)
        return offered && toTool(offered)
      } catch (error) {
        const message = `forTurn of the tool ${quote(definition.name)} failed: ${describeThrown(error)}`
        throw new ParleyError('internal', message, { cause: error })
      }
    },
  })
}

import { ParleyError } from '../../core/protocol/error.ts'
import { toDefinitionSchema, definitionSchema } from './definition.ts'
import type { Definition } from './named-steps.ts'
import { parseDefinition, requireParsed, type Parsed } from './parse-definition.ts'
import { createOwnSteps, type OwnSteps } from './step-types.ts'

// a run is advanced after each of its steps, and parsing YAML costs more than the rest of that
const maxKept = 200
const maxKeptLength = 10_000_000

/** Reads definitions of one Parley, with the types of steps that it has. */
export interface DefinitionReader {
  /** Step types of extensions. */
  readonly steps: OwnSteps
  /** The schema of definitions, including the step types and tool groups of extensions. */
  readonly schema: typeof definitionSchema
  /** Returns the definition or all problems. */
  parse(text: string): Parsed
  /** Throws `invalid_request` with the problems. */
  require(text: string): Definition
  /** Reads a stored definition, whose tool groups may no longer exist. Cached; the result is frozen. */
  read(text: string): Definition
  /** Undefined when the text is no longer valid: a run of it still has to end. */
  tryRead(text: string): Definition | undefined
}

/** Types of steps are registered before the first definition is read. Without `groups`, any group of tools can be named. */
export function createDefinitionReader(groups?: readonly string[]): DefinitionReader {
  const steps = createOwnSteps()
  const kept = new Map<string, Definition>()
  let keptLength = 0
  let schema: typeof definitionSchema | undefined
  let stored: typeof definitionSchema | undefined

  const findStored = () =>
    (stored ??= steps.list.length > 0 ? toDefinitionSchema(steps.list) : definitionSchema)
  const findSchema = () => (schema ??= groups ? toDefinitionSchema(steps.list, groups) : findStored())
  const parse = (text: string) => parseDefinition(text, findSchema())
  const require = (text: string) => requireParsed(parse(text))
  const read = (text: string): Definition => {
    const definition = kept.get(text) ?? freeze(requireParsed(parseDefinition(text, findStored())))
    if (!kept.delete(text)) keptLength += text.length
    kept.set(text, definition)
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept && keptLength <= maxKeptLength) break
      kept.delete(oldest)
      keptLength -= oldest.length
    }
    return definition
  }
  return {
    steps,
    get schema() {
      return findSchema()
    },
    parse,
    require,
    read,
    tryRead(text) {
      try {
        return read(text)
      } catch (error) {
        if (error instanceof ParleyError) return undefined
        throw error
      }
    },
  }
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}

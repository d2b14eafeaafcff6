import { ParleyError } from '../../core/protocol/error.ts'
import { toDefinitionSchema, definitionSchema } from './definition.ts'
import type { Definition } from './named-steps.ts'
import { parseDefinition, requireParsed, type Parsed } from './parse-definition.ts'
import { createOwnSteps, type OwnSteps } from './step-types.ts'

// a run is looked at after each of its steps, and reading YAML costs more than all the rest of that
const maxKept = 200
const maxKeptLength = 10_000_000

/** Reads definitions of one Parley, with the types of steps that it has. */
export interface DefinitionReader {
  /** Those that do not come with Parley. */
  readonly steps: OwnSteps
  /** What definitions may be, its own types of steps and groups of tools included. */
  readonly schema: typeof definitionSchema
  /** With all that is wrong. */
  parse(text: string): Parsed
  /** Throws what is wrong. */
  require(text: string): Definition
  /**
   * One that was stored, whose groups of tools may be gone; a text is read once. Nobody can change what this answers.
   */
  read(text: string): Definition
  /** Undefined where the text cannot be read any more: a run of it still has to end. */
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

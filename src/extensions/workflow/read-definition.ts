import { ParleyError } from '../../core/protocol/error.ts'
import type { Definition } from './named-steps.ts'
import { requireDefinition } from './parse-definition.ts'

// a run is looked at after each of its steps, and reading YAML costs more than all the rest of that
const maxKept = 200
const maxKeptLength = 10_000_000
const kept = new Map<string, Definition>()
let keptLength = 0

/** The definition that a text is; the same text is read once. Nobody can change what this answers. */
export function readDefinition(text: string): Definition {
  const definition = kept.get(text) ?? freeze(requireDefinition(text))
  if (!kept.delete(text)) keptLength += text.length
  kept.set(text, definition)
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept && keptLength <= maxKeptLength) break
    kept.delete(oldest)
    keptLength -= oldest.length
  }
  return definition
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freeze(part)
    Object.freeze(value)
  }
  return value
}

/** Undefined where the text cannot be read any more: a run of it still has to end. */
export function tryDefinition(text: string): Definition | undefined {
  try {
    return readDefinition(text)
  } catch (error) {
    if (error instanceof ParleyError) return undefined
    throw error
  }
}

/** Calls of tools that a model is offered by a line: it writes them as calls of one tool that names the other. */
import { isObject } from '../shared/type-checks.ts'

export const useToolName = 'use_tool'

/** What an input of `use_tool` calls; undefined for one that asks what a tool takes. */
export function readCallThrough(input: unknown): { name: string; input: unknown } | undefined {
  if (!isObject(input) || typeof input['name'] !== 'string' || input['arguments'] === undefined)
    return undefined
  return { name: input['name'], input: parseOnce(input['arguments']) }
}

/** The input as the model wrote it. */
export const toCallThrough = (name: string, input: unknown) => ({ name, arguments: input })

/** Some models write an object inside of another as a text. */
function parseOnce(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}

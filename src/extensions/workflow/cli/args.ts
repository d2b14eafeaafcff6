import { invalidRequest } from '../../../core/protocol/error.ts'
import type { RunWorkflow, Workflow } from '../protocol/workflow.ts'
import { splitPair } from '../../../core/command-line/key-values.ts'

type Args = NonNullable<RunWorkflow['args']>
type Declared = NonNullable<Workflow['args']>[string]

/** `--arg` and `--args-json` as one object; `--arg` takes precedence. */
export function readArgs(
  { arg = [], argsJson }: { arg?: string[]; argsJson?: string },
  declared: Workflow['args'] = {},
): RunWorkflow['args'] {
  if (arg.length === 0 && argsJson === undefined) return undefined
  const pairs = arg.map((pair) => {
    const [name, text] = splitPair('--arg', pair)
    const type = Object.hasOwn(declared, name) ? declared[name]!.type : undefined
    return [name, toTyped(text, type)] as const
  })
  return { ...(argsJson === undefined ? {} : toObject(argsJson)), ...Object.fromEntries(pairs) }
}

/** A text that does not match its type stays a text: starting the run reports all mismatches at once. */
function toTyped(text: string, type: Declared['type']): unknown {
  if (type === undefined || type === 'string') return text
  const value = toJson(text.trim())
  return value === undefined ? text : value
}

function toObject(text: string): Args {
  const value = toJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Args
  throw invalidRequest('--args-json must be a JSON object.')
}

/** Undefined where it is none. */
function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { writeConfined } from '../files/confined-write.ts'
import type { Workspaces } from '../files/workspaces.ts'
import { isObject } from '../shared/type-checks.ts'
import { toText } from './model-history.ts'

export interface ResultPlace {
  toolCallId: string
  /** Of the session; undefined where the rest could not be read again. */
  workspace: Workspaces['session']
}

// ids come from the model; some servers count from zero in each step
const maxNameLength = 80
const maxSameNames = 1_000

/**
 * What the model gets to see of a result: all of it, or its head and tail. The whole of a long one is kept in the
 * workspace of the session, for the model to read on.
 */
export async function shortenResult(
  output: unknown,
  limit: number,
  { toolCallId, workspace }: ResultPlace,
): Promise<unknown> {
  const text = toText(output)
  if (text.length <= limit) return output
  const { kept, rest: long } = splitKept(output)
  if (kept) return { ...kept, result: await shortenResult(long, limit, { toolCallId, workspace }) }
  const half = Math.floor(limit / 2)
  const path = workspace && (await keepResult(workspace, toolCallId, output))
  const rest = path
    ? `; read on with the tool file: action "read", workspace "session", path ${JSON.stringify(path)}`
    : ''
  return `${text.slice(0, half)}\n… ${text.length - limit} characters left out${rest} …\n${text.slice(-half)}`.toWellFormed()
}

/** With line ends, so that it can be read by lines. Undefined when there is no space for it: then it is cut. */
async function keepResult(root: string, toolCallId: string, output: unknown): Promise<string | undefined> {
  const text = typeof output === 'string' ? output : JSON.stringify(output, null, 1)
  const name = toolCallId.replaceAll(/[^\w-]/g, '_').slice(0, maxNameLength) || 'result'
  for (let number = 1; number <= maxSameNames; number++) {
    const path = `results/${name}${number === 1 ? '' : `-${number}`}.txt`
    const written = await writeConfined(root, path, Buffer.from(text), {
      makesFolders: true,
      replaces: false,
    })
    if (typeof written === 'object') return path
    if (written !== 'exists') return undefined
  }
  return undefined
}

/** What a person has to know about a result is not lost because there is much else in it: see `core/processes/protected-changes.ts`. */
function splitKept(output: unknown): { kept?: { changedFiles: unknown }; rest: unknown } {
  if (!isObject(output) || output.changedFiles === undefined) return { rest: output }
  const { changedFiles, ...rest } = output
  return { kept: { changedFiles }, rest }
}

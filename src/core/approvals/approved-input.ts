import { isDeepStrictEqual } from 'node:util'
import type { StoredApproval } from '../store/queries/approvals.ts'
import type { Tool } from '../tools/tool.ts'

/** What a call is made with after a yes; `isOther` when rules and hooks have not checked it yet. */
export type Agreed = { input: unknown; isOther: boolean } | { fault: string }

/**
 * What was agreed to, byte for byte as the JSON that was shown. `input` is what the tool makes of the call now: in this
 * process that is mostly the same, but a person may have changed it, the previous owner of the run may have had other hooks
 * or another version of the tool, and not every value can be shown as JSON.
 */
export function readAgreed(
  tool: Tool,
  input: unknown,
  { toolName, answer, input: asked }: StoredApproval,
): Agreed {
  if (toolName !== tool.name) return { fault: `The yes was for ${toolName}, and not for ${tool.name}.` }
  if (answer?.input !== undefined) {
    const read = tool.input.safeParse(answer.input)
    return read.success
      ? { input: read.data, isOther: true }
      : { fault: 'The changed input does not fit the tool.' }
  }
  const shown = toJson(asked)
  const isSame = toJson(input) === shown
  if (isSame && isDeepStrictEqual(input, JSON.parse(shown))) return { input, isOther: false }
  const read = tool.input.safeParse(asked)
  // a tool may make something else of what it has made already
  return read.success && toJson(read.data) === shown
    ? { input: read.data, isOther: !isSame }
    : { fault: 'The call cannot be made as it was approved: the tool reads its input in another way now.' }
}

const toJson = (value: unknown): string => JSON.stringify(value ?? null)

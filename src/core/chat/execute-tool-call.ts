import type { Workspaces } from '../files/workspaces.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { inTime } from '../shared/time-limit.ts'
import type { Admitted, CallGuard, CallOutcome, GuardedCall, HookNote } from '../tools/call-outcome.ts'
import { accessOf, type Tool, type ToolContext } from '../tools/tool.ts'
import { interruptedText } from './model-history.ts'
import type { RuleAnnouncer } from './announce-rules.ts'

const defaultTimeoutMs = 60_000

export interface CallContext extends Omit<ToolContext, 'toolCallId' | 'workspaces'> {
  guard?: CallGuard
  isHeadless: boolean
  /** Looked up for each call. */
  readWorkspaces(): Promise<Workspaces>
  /** The rules for the files that a call has opened, which the model receives with its result. */
  rulesFor?: RuleAnnouncer
}

/** What no other call of the turn has. */
export const keyOf = ({ callKey, toolCallId }: Part) => (callKey ?? toolCallId) as string

/**
 * Has one call decided about. What becomes of an ask is written into the part and stored before anything else happens:
 * the part of a call that has begun is never that of one that still waits. Throws a refusal that nobody was asked about.
 */
export async function admitCall(
  part: Part,
  tool: Tool,
  { guard, readWorkspaces: _, rulesFor: __, ...context }: CallContext,
  log: RunLog,
  store: () => Promise<void>,
): Promise<{ call: GuardedCall; admitted: Admitted } | undefined> {
  const toolCallId = part.toolCallId as string
  const callKey = keyOf(part)
  const call: GuardedCall = {
    ...context,
    tool,
    toolCallId: callKey,
    input: tool.input.parse(part.input),
    async onAsk(asked) {
      // the previous owner of the run has asked already
      if (part.state === 'approval-requested') return
      noteAsk(part, asked, log)
      await store()
    },
    async onAnswer({ id, approved, reason }) {
      const said = reason === undefined ? {} : { reason }
      part.state = approved ? 'approval-responded' : 'output-denied'
      part.approval = { ...(part.approval as object), approved, ...said }
      log.emit({ type: 'tool-approval-response', approvalId: id, approved, ...said })
      if (approved) await store()
      else log.emit({ type: 'tool-output-denied', toolCallId })
    },
  }
  const admitted = (await guard?.admit(call)) ?? { input: call.input }
  if ('refused' in admitted) {
    part.deniedBy = admitted.refused.by
    addNotes(part, admitted.refused.notes)
    if (admitted.refused.wasAsked) return undefined
    throw new Error(admitted.refused.message)
  }
  if (admitted.input !== call.input) part.input = admitted.input
  return { call, admitted }
}

/** Makes one call, if it may be made. */
export async function makeCall(
  part: Part,
  tool: Tool,
  whole: CallContext,
  log: RunLog,
  store: () => Promise<void>,
): Promise<{ value?: unknown; workspaces?: Workspaces; isDenied?: true }> {
  const allowed = await admitCall(part, tool, whole, log, store)
  if (!allowed) return { isDenied: true }
  const { call, admitted } = allowed
  const { guard, readWorkspaces, rulesFor, ...context } = whole
  const { input } = admitted
  const workspaces = { ...(await readWorkspaces()), decided: admitted.access?.resources }
  const { agreed } = admitted
  const make = () =>
    attempt(tool, input, {
      ...context,
      toolCallId: keyOf(part),
      workspaces,
      ...(agreed && { agreed }),
      mayContinue: async (address) => (await guard?.mayContinue?.(call, admitted, address)) ?? true,
    })
  const outcome = await (guard?.make?.(call, make) ?? make())
  const reviewed = await guard?.done?.(call, admitted, outcome)
  addNotes(part, admitted.notes, reviewed?.notes)
  const seen = reviewed?.outcome ?? outcome
  if ('error' in seen) throw seen.error
  const opened = rulesFor && (admitted.access ?? accessOf(tool, input, workspaces)).opens
  const rules = opened?.length ? rulesFor?.(opened) : undefined
  // stored with the result, so that later prompts repeat it as well
  if (rules !== undefined) part.matchingRules = rules
  return { value: seen.value, workspaces }
}

/** The call waits for a decision, and is not begun before it. */
export function noteAsk(part: Part, { id, reason }: { id: string; reason: string }, log: RunLog): void {
  part.state = 'approval-requested'
  part.approval = { id, requestReason: reason }
  log.emit({ type: 'tool-approval-request', approvalId: id, toolCallId: part.toolCallId as string, reason })
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<CallOutcome> {
  try {
    return { value: await executeTool(tool, input, context) }
  } catch (error) {
    return { error }
  }
}

/** Stored with the part: what the model receives with a result now, it receives in every later prompt. */
function addNotes(part: Part, ...lists: (readonly HookNote[] | undefined)[]): void {
  const notes = lists.flatMap((list) => list ?? [])
  if (notes.length > 0) part.hookNotes = notes
}

/** Within the time of the tool; one that does not listen to the signal does not hold up its caller. */
export async function executeTool(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const { timeoutMs = defaultTimeoutMs } = tool
  const late = `The tool took longer than ${timeoutMs} ms.`
  try {
    return await inTime({ timeoutMs, signal: context.signal, late }, (signal) =>
      tool.execute(input, { ...context, signal }),
    )
  } catch (error) {
    throw context.signal.aborted ? new Error(interruptedText) : error
  }
}

/** The model gets to see why. */
export function failCall(part: Part, log: RunLog, errorText: string = interruptedText): void {
  part.state = 'output-error'
  part.errorText = errorText
  log.emit({
    type: 'tool-output-error',
    toolCallId: part.toolCallId as string,
    errorText,
    dynamic: true,
  })
}

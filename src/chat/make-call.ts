import type { Workspaces } from '../files/workspaces.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import type { CallGuard, CallOutcome, GuardedCall, HookNote } from '../tools/call-guard.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { interruptedText } from './history.ts'

const defaultTimeoutMs = 60_000

export interface CallContext extends Omit<ToolContext, 'toolCallId' | 'workspaces'> {
  guard?: CallGuard
  isHeadless: boolean
  /** Looked up for each call. */
  readWorkspaces(): Promise<Workspaces>
}

/**
 * Makes one call, if it may be made. What becomes of an ask is written into the part and stored before anything else
 * happens: the part of a call that has begun is never that of one that still waits.
 */
export async function makeCall(
  part: Part,
  tool: Tool,
  { guard, readWorkspaces, ...context }: CallContext,
  log: RunLog,
  store: () => Promise<void>,
): Promise<{ value?: unknown; workspaces?: Workspaces; isDenied?: true }> {
  const toolCallId = part.toolCallId as string
  const callKey = (part.callKey as string | undefined) ?? toolCallId
  const call: GuardedCall = {
    ...context,
    tool,
    toolCallId: callKey,
    input: tool.input.parse(part.input),
    async onAsk({ id, reason }) {
      // whoever had the run before asked already
      if (part.state === 'approval-requested') return
      part.state = 'approval-requested'
      part.approval = { id, requestReason: reason }
      log.emit({ type: 'tool-approval-request', approvalId: id, toolCallId, reason })
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
    if (admitted.refused.wasAsked) return { isDenied: true }
    throw new Error(admitted.refused.message)
  }
  const { input } = admitted
  if (input !== call.input) part.input = input
  const workspaces = { ...(await readWorkspaces()), decided: admitted.access?.resources }
  const make = () => attempt(tool, input, { ...context, toolCallId: callKey, workspaces })
  const outcome = await (guard?.make?.(call, make) ?? make())
  const reviewed = await guard?.done?.(call, admitted, outcome)
  addNotes(part, admitted.notes, reviewed?.notes)
  const seen = reviewed?.outcome ?? outcome
  if ('error' in seen) throw seen.error
  return { value: seen.value, workspaces }
}

async function attempt(tool: Tool, input: unknown, context: ToolContext): Promise<CallOutcome> {
  try {
    return { value: await withTimeout(tool, input, context) }
  } catch (error) {
    return { error }
  }
}

/** Stored with the part: what the model is told with a result now is what it is told ever after. */
function addNotes(part: Part, ...lists: (readonly HookNote[] | undefined)[]): void {
  const notes = lists.flatMap((list) => list ?? [])
  if (notes.length > 0) part.hookNotes = notes
}

async function withTimeout(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([context.signal, timeout])
  // told to stop while the step was being stored: the signal says nothing a second time
  if (signal.aborted) throw new Error(interruptedText)
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new Error(timeout.aborted ? `The tool took longer than ${timeoutMs} ms.` : interruptedText)),
    )
  })
  // a tool that does not listen to the signal must not hold up the turn
  return Promise.race([tool.execute(input, { ...context, signal }), aborted])
}

import type { Part } from '../core/protocol/message.ts'
import type { AwaitingChunk, Chunk, RunEvent } from '../core/protocol/chunk.ts'

/** An answer that is still coming. */
export interface AnswerDraft {
  runId: string
  /** The message that it will be in the log. */
  messageId?: string
  parts: readonly Part[]
  metadata?: Record<string, unknown>
  /** What the server reported it is waiting for, until more text arrives. */
  retry?: { message: string; waitMs: number }
  /** Its server went away, and another one, or the same one restarted, has not come to what follows. */
  isResuming?: boolean
  /** Where the parts of the step that is running begin. */
  stepStart?: number
  isFinished: boolean
}

export const emptyAnswer = (runId: string): AnswerDraft => ({ runId, parts: [], isFinished: false })

/**
 * Folds events into the parts of the answer, in the shape in which they will be stored: having watched shows the same as
 * having opened it later. A part that did not change stays the same object, so that nothing draws it again.
 */
export function foldAnswer(draft: AnswerDraft, events: readonly RunEvent[]): AnswerDraft {
  const parts = [...draft.parts]
  const next: AnswerDraft = { ...draft, parts }
  for (const { chunk } of events) apply(next, parts, chunk)
  return next
}

function apply(draft: AnswerDraft, parts: Part[], chunk: Chunk): void {
  if (chunk.type !== 'data-retry') draft.retry = undefined
  if (!framesStep(chunk)) draft.isResuming = undefined
  switch (chunk.type) {
    case 'start':
      draft.messageId = chunk.messageId
      draft.stepStart = undefined
      parts.length = 0
      return
    case 'start-step':
      dropVoidStep(draft, parts)
      draft.stepStart = parts.length
      parts.push({ type: 'step-start' })
      return
    case 'text-start':
    case 'reasoning-start':
      parts.push({ type: kindOf(chunk.type), text: '', state: 'streaming', partId: chunk.id })
      return
    case 'text-delta':
    case 'reasoning-delta':
      change(parts, ofPart(chunk.id), (part) => ({ ...part, text: `${part.text as string}${chunk.delta}` }))
      return
    case 'text-end':
    case 'reasoning-end':
      change(parts, ofPart(chunk.id), (part) => ({ ...part, state: 'done' }))
      return
    case 'tool-input-start':
      parts.push({
        type: 'dynamic-tool',
        toolName: chunk.toolName,
        toolCallId: chunk.toolCallId,
        state: 'input-streaming',
        inputText: '',
      })
      return
    case 'tool-input-delta':
      change(parts, ofCall(chunk.toolCallId), (part) => ({
        ...part,
        inputText: `${part.inputText as string}${chunk.inputTextDelta}`,
      }))
      return
    case 'tool-input-available':
      putCall(parts, chunk, { state: 'input-available', input: chunk.input })
      return
    case 'tool-input-error':
      putCall(parts, chunk, { state: 'output-error', input: chunk.input, errorText: chunk.errorText })
      return
    case 'tool-approval-request':
      change(parts, ofCall(chunk.toolCallId), (part) => ({
        ...part,
        state: 'approval-requested',
        approval: {
          id: chunk.approvalId,
          ...(chunk.reason !== undefined && { requestReason: chunk.reason }),
        },
      }))
      return
    case 'tool-approval-response':
      change(parts, ofAsk(chunk.approvalId), (part) => ({
        ...part,
        state: chunk.approved ? 'approval-responded' : 'output-denied',
        approval: {
          ...(part.approval as object),
          approved: chunk.approved,
          ...(chunk.reason !== undefined && { reason: chunk.reason }),
        },
      }))
      return
    case 'tool-output-denied':
      change(parts, ofCall(chunk.toolCallId), (part) => ({ ...part, state: 'output-denied' }))
      return
    case 'tool-output-available':
      change(parts, ofCall(chunk.toolCallId), (part) => ({
        ...part,
        state: 'output-available',
        output: chunk.output,
      }))
      return
    case 'tool-output-error':
      change(parts, ofCall(chunk.toolCallId), (part) => ({
        ...part,
        state: 'output-error',
        errorText: chunk.errorText,
      }))
      return
    case 'finish':
      draft.metadata = chunk.messageMetadata
      draft.isFinished = true
      return
    case 'finish-step':
      draft.stepStart = undefined
      return
    case 'abort':
    case 'error':
      // the metadata of the end has everything about it
      return
    case 'data-retry':
      draft.retry = chunk.data as AnswerDraft['retry']
      return
    case 'data-awaiting':
      for (const { id, toolCallId, expiresAt } of (chunk as AwaitingChunk).data.calls)
        change(parts, ofCall(toolCallId), (part) => ({ ...part, awaited: { id, expiresAt } }))
      return
    case 'data-resuming':
      draft.isResuming = true
      return
    default:
      if (!chunk.transient) putData(parts, chunk)
  }
}

/** Nothing of these is shown. */
const framesStep = ({ type }: Chunk) => type === 'start' || type === 'start-step'

/**
 * A server that was restarted repeats the step that it was in, and what it had emitted of it is void. A step whose calls
 * have ended was stored: the next one follows on it.
 */
function dropVoidStep({ stepStart }: AnswerDraft, parts: Part[]): void {
  if (stepStart === undefined) return
  const step = parts.slice(stepStart)
  const calls = step.filter(({ type }) => type === 'dynamic-tool')
  if (calls.length > 0 && calls.every(({ state }) => String(state).startsWith('output-'))) return
  // what reached the turn meanwhile stays
  parts.splice(stepStart, step.length, ...step.filter(({ type }) => type.startsWith('data-')))
}

const kindOf = (type: string) => type.replace('-start', '')
const ofPart = (id: string) => (part: Part) => part.partId === id
const ofCall = (id: string) => (part: Part) => part.toolCallId === id
const ofAsk = (id: string) => (part: Part) => (part.approval as { id?: string } | undefined)?.id === id

function change(parts: Part[], isIt: (part: Part) => boolean, update: (part: Part) => Part): void {
  const index = parts.findLastIndex(isIt)
  if (index !== -1) parts[index] = update(parts[index]!)
}

/** A call without deltas has no start. */
function putCall(
  parts: Part[],
  { toolCallId, toolName }: { toolCallId: string; toolName: string },
  fields: Record<string, unknown>,
): void {
  const call = { type: 'dynamic-tool', toolName, toolCallId, ...fields }
  const index = parts.findLastIndex(ofCall(toolCallId))
  if (index === -1) parts.push(call)
  else parts[index] = call
}

/** Data with an id replaces earlier data with that id. */
function putData(parts: Part[], { type, id, data }: { type: string; id?: string; data: unknown }): void {
  const part = { type, ...(id !== undefined && { id }), data }
  const index = id === undefined ? -1 : parts.findIndex((known) => known.type === type && known.id === id)
  if (index === -1) parts.push(part)
  else parts[index] = part
}

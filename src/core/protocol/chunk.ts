import type { AwaitedCall } from './awaited-call.ts'

/**
 * A chunk of the AI SDK's UI message stream, version 1: what happens in a run, as it is logged, observed and sent.
 * Parley's own events are `data-*` chunks. Only the kinds that Parley makes are listed.
 */
export type Chunk =
  | { type: 'start'; messageId: string; messageMetadata?: Record<string, unknown> }
  | { type: 'start-step' }
  | { type: 'text-start'; id: string; providerMetadata?: Record<string, unknown> }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'text-end'; id: string }
  | { type: 'reasoning-start'; id: string; providerMetadata?: Record<string, unknown> }
  | { type: 'reasoning-delta'; id: string; delta: string }
  | { type: 'reasoning-end'; id: string; providerMetadata?: Record<string, unknown> }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; dynamic: true }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | { type: 'tool-input-available'; toolCallId: string; toolName: string; input: unknown; dynamic: true }
  | {
      type: 'tool-input-error'
      toolCallId: string
      toolName: string
      input: unknown
      errorText: string
      dynamic: true
    }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string; reason?: string }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; dynamic: true }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string; dynamic: true }
  | { type: 'finish-step' }
  | { type: 'finish'; finishReason?: string; messageMetadata?: Record<string, unknown> }
  | { type: 'abort'; reason?: string }
  | { type: 'error'; errorText: string }
  | { type: `data-${string}`; data: unknown; transient?: true; id?: string }

/** Its owner is gone, and what that one had not stored is repeated: another one resumes the run. */
export const resuming: Chunk = { type: 'data-resuming', data: {}, transient: true }

/** The turn waits for the results of these calls, in the order in which the model made them. */
export interface AwaitingChunk {
  type: 'data-awaiting'
  data: {
    calls: Pick<AwaitedCall, 'id' | 'toolCallId' | 'toolName' | 'input' | 'expiresAt'>[]
    /** Of the turn so far. */
    usage: unknown
  }
  transient: true
}

/** A chunk with its place in the run's log; numbers grow and are never used twice. */
export interface RunEvent {
  seq: number
  chunk: Chunk
}

import type { ModelParameters, ParameterName } from '../protocol/parameters.ts'

/**
 * A model behind one small interface. The turn loop sees only this; what a provider's wire looks like, which
 * library speaks it and what can go wrong there ends here.
 */
export interface ModelAdapter {
  /** `adapter/model`, as in the settings. */
  readonly id: string
  /** Where its requests go; absent where it makes none, or keeps that to itself. */
  readonly server?: ModelServer
  /**
   * The parameters that it can be asked with. Any other is refused by name before it is asked: none is left out in silence.
   * Default: none.
   */
  readonly takes?: readonly ParameterName[]
  /**
   * Streams one reply. Ends with exactly one `finish`, or throws a `ModelFault`; after `signal` aborts it throws that
   * signal's reason. It never retries and never runs a tool: the turn loop decides about both.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** The same, as many events at a time as have arrived: what is waited for costs more than what is read. */
  streamBatches?(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>
}

export interface ModelServer {
  address: string
  port: number
}

/** With the parameters that were asked for, of those that the adapter takes. */
export interface ModelRequest extends ModelParameters {
  /** The static part of the prompt: the same bytes for a whole epoch, so that a provider can cache it. */
  system: string
  /** Oldest first; ends with a user or a tool message. */
  messages: readonly ModelMessage[]
  /** In a stable order: it is part of what is cached. */
  tools: readonly ToolSpec[]
  /** Default: the model calls tools as it likes. */
  toolChoice?: ToolChoice
  /** Stable for a session; providers that route by it find their cache again. */
  cacheKey: string
  /** Asks for reasoning where the model has it: as much as `reasoningEffort` says, else a medium amount. */
  thinking?: boolean
  /** The answer is one JSON value of this shape, and no words around it; where a model can be held to it, it is. */
  replyFormat?: ReplyFormat
}

/** That no tool is called, that some tool is, or which. */
export type ToolChoice = 'none' | 'required' | { name: string }

export interface ReplyFormat {
  name: string
  /** JSON Schema; may leave parts of the value open. */
  schema: Record<string, unknown>
}

/** The provider-neutral form of messages. Attachments are data or https URLs. */
export type ModelMessage =
  | { role: 'user'; content: (TextContent | FileContent)[] }
  | { role: 'assistant'; content: (TextContent | ReasoningContent | ToolCallContent)[] }
  | { role: 'tool'; content: ToolResultContent[] }

export interface TextContent {
  type: 'text'
  text: string
}
export interface FileContent {
  type: 'file'
  mediaType: string
  url: string
  filename?: string
}
export interface ReasoningContent {
  type: 'reasoning'
  text: string
  /** What the provider wants back with it, such as a signature; opaque. */
  providerMetadata?: Record<string, unknown>
}
export interface ToolCallContent {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
  providerMetadata?: Record<string, unknown>
}
export interface ToolResultContent {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  /** Text for the model; JSON where the tool answered with a value. */
  output: string
  isError: boolean
}

export interface ToolSpec {
  name: string
  description: string
  /** JSON Schema of the input, an object. */
  inputSchema: Record<string, unknown>
}

/** In the order they happen; deltas of one part are not interleaved with another part of the same kind. */
export type ModelEvent =
  | { type: 'text-delta'; text: string }
  | { type: 'reasoning-delta'; text: string }
  | { type: 'reasoning-end'; providerMetadata?: Record<string, unknown> }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-delta'; toolCallId: string; text: string }
  /** `input` is the text the model wrote, whole; it may not be valid JSON. */
  | {
      type: 'tool-call'
      toolCallId: string
      toolName: string
      input: string
      providerMetadata?: Record<string, unknown>
    }
  /** `model` and `id` are the provider's own, where it sends them. */
  | { type: 'finish'; reason: FinishReason; usage: Usage; model?: string; id?: string }

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other'

/** Tokens as the provider reported them; undefined where it did not. */
export interface Usage {
  inputTokens?: number
  outputTokens?: number
  reasoningTokens?: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
}

/** Adds what was reported; a field that neither has stays undefined. */
export function sumUsage(sum: Usage, more: Usage): Usage {
  const total = { ...sum }
  for (const key of Object.keys(more) as (keyof Usage)[])
    if (more[key] !== undefined) total[key] = (total[key] ?? 0) + more[key]
  return total
}

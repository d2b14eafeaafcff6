import type { Execution } from '../runs/dispatcher.ts'
import type { Part } from '../protocol/message.ts'
import type { ModelParameters } from '../protocol/parameters.ts'
import type { Session } from '../protocol/session.ts'
import type { ScopeSettings } from '../protocol/settings.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import type { RunStep } from '../store/queries/run-steps.ts'
import type { Tool } from '../tools/tool.ts'
import type { PromptFacets } from '../prompt/fragment.ts'
import type { DiskContext } from './prompt-context.ts'
import type { SentUse } from './prompt-source.ts'
import type { TurnPrompt } from './prepare-prompt.ts'
import type { TurnInput } from './turn-input.ts'

/** A run of a session's own kind, executed by the holder of its lease. */
export type Turn = Execution

/** What is known of a turn whatever becomes of it. */
export interface BegunTurn {
  session: Session
  input: TurnInput
  /** What the reply is made of; grows with every step. */
  parts: Part[]
  /** Those that are stored, in order; their parts are in the reply. */
  steps: RunStep[]
  /** How long the log was before the input. */
  messageSeq: number
}

/** A turn that is ready to be sent to the model. */
export interface PreparedTurn extends BegunTurn {
  prompt: TurnPrompt
  window: WindowMessage[]
  /** Of its scope, when the turn began. */
  settings: ScopeSettings
  /** Whether something waited for the session when the turn began. */
  hasInbox: boolean
  /** For a model that cannot take so much: the same after a resize, where one was put off and makes it less. */
  shrink(): Promise<Pick<PreparedTurn, 'prompt' | 'window'> | undefined>
  /** What the prompt was made of; undefined when an earlier owner of the run sent it. */
  facts: PromptFacets | undefined
  command: DiskContext['command']
  rulesFor: DiskContext['rulesFor']
  /** Those there are; which of them it may use is up to the session. */
  tools: readonly Tool[]
  /** How much the model sees at most. */
  windowTokens: number
  /** What of the prompt counts as used. */
  used: SentUse[]
  /** The call's, the session's or that of the scope; undefined is the default. */
  model: string | undefined
  /** What models are asked with, from its first step to its last. */
  parameters: ModelParameters
}

import { z } from 'zod'
import type { ModelParameters } from './parameters.ts'

/** One named piece of a prompt. */
export interface PromptFragment {
  name: string
  /** `head` stands between the static part and the window, `dynamic` with the newest input. */
  placement: 'static' | 'head' | 'dynamic'
  hash: string
  tokens: number
  /** Left out where the text that was sent is no longer known. */
  text?: string
}

/** A message as the model gets it. */
export interface PromptMessage {
  role: 'user' | 'assistant' | 'tool'
  content: { type: string; [key: string]: unknown }[]
  tokens: number
  /** The message of the log that it was made from; what stands before the window has none. */
  seq?: number
  id?: string
}

/** Where a model had a tool described that it is offered by a line, or called it. */
export interface LoadedTool {
  name: string
  use: 'described' | 'called'
  /** The message of the log; undefined in the turn that is looked at. */
  seq?: number
  /** Of its turn, counted from 1. */
  step: number
}

interface Prompt {
  scenario: string
  epoch: number
  system: string
  fragments: PromptFragment[]
  messages: PromptMessage[]
  /** Those that are sent with their schemas. */
  tools: string[]
  /** Those that are offered by a line each, in the description of `use_tool`. */
  listedTools: readonly string[]
  /** Of the replies that are sent along. */
  loadedTools: LoadedTool[]
  /** What the model is asked with beside the prompt; left out where that is nothing. */
  parameters?: ModelParameters
  /** Of their descriptions and schemas, by name; those that are not known any more are left out. */
  toolTokens: Record<string, number>
}

/** The prompt as it would be sent with the next input. */
export interface PromptPreview extends Prompt {
  /** That would be asked. */
  model?: string
}

export interface CacheVerdict {
  /** `first`: nothing came before. `unknown`: the provider does not say. */
  verdict: 'hit' | 'miss' | 'first' | 'unknown'
  /** Of a miss: the first thing that was not as it was in the call before. */
  changed?: string
}

/** Tokens as the provider reported them; undefined where it did not. */
export interface StepUsage {
  inputTokens?: number
  outputTokens?: number
  reasoningTokens?: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
}

/** What is recorded of each model call. */
export interface PromptStep {
  step: number
  model: string
  scenario: string
  epoch: number
  fragments: PromptFragment[]
  systemHash: string
  toolsHash: string
  /** Those that were sent with their schemas. */
  tools: string[]
  /** Those that were offered by a line each. */
  listedTools: readonly string[]
  /** What of them the model had described, or called, in this step. */
  loadedTools: LoadedTool[]
  /** How many messages were sent. */
  messages: number
  /** What the model was asked with beside the prompt; left out where that was nothing. */
  parameters?: ModelParameters
  usage: StepUsage
  finishReason: string
  runId: string
  cache: CacheVerdict
}

export interface RunPrompt {
  runId: string
  steps: PromptStep[]
}

/** One model call whole, put together again from what is stored. */
export interface SentPrompt extends Prompt, Pick<PromptStep, 'step' | 'model' | 'usage' | 'cache'> {
  runId: string
  sessionId: string
  finishReason: string
  /** The first message of the window. */
  windowStart: number
  /** Where the model has a price. */
  cost?: number
  /** False when something that was sent then is not known any more, such as limits that shortened a message. */
  isExact: boolean
}

/** In the document by what one looks at first; they are as deep as messages are. */
export const promptPreviewSchema = z.looseObject({
  system: z.string(),
}) as unknown as z.ZodType<PromptPreview>
export const runPromptSchema = z.looseObject({ runId: z.string() }) as unknown as z.ZodType<RunPrompt>
export const sentPromptSchema = z.looseObject({ system: z.string() }) as unknown as z.ZodType<SentPrompt>

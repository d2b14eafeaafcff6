import { z } from 'zod'
import type { AwaitedCall } from '../../core/protocol/awaited-call.ts'
import type { ChatAnswer } from '../../core/protocol/chat.ts'
import { messageText } from '../../core/protocol/message-text.ts'
import type { Part } from '../../core/protocol/message.ts'

const usageSchema = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
})

const finishReasons = ['stop', 'length', 'content_filter', 'tool_calls'] as const
export type FinishReason = (typeof finishReasons)[number]

const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

/** Its id is that of the call at Parley: the one of the model may be there twice. */
export const toToolCall = ({ id, toolName, input }: Pick<AwaitedCall, 'id' | 'toolName' | 'input'>) => ({
  id,
  type: 'function' as const,
  function: { name: toolName, arguments: JSON.stringify(input) },
})

export const completionSchema = z
  .object({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(toolCallSchema).optional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(finishReasons),
      }),
    ),
    usage: usageSchema,
  })
  .meta({ id: 'ChatCompletion' })
export type Completion = z.infer<typeof completionSchema>

/** What all chunks of an answer have in common with the whole of it. */
export interface CompletionHead {
  id: string
  created: number
  model: string
}

export function toCompletion(
  head: CompletionHead,
  { run, awaiting }: ChatAnswer,
  { parts, usage }: { parts: readonly Part[]; usage: unknown },
): Completion {
  const said = messageText({ parts: [...parts] })
  const reasoning = parts.filter(({ type }) => type === 'reasoning').map((part) => part.text as string)
  const { code = '' } = (run.outcome ?? {}) as { code?: string }
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: awaiting && said === '' ? null : said,
          refusal: null,
          ...(reasoning.length > 0 && { reasoning_content: reasoning.join('\n') }),
          ...(awaiting && { tool_calls: awaiting.map(toToolCall) }),
        },
        logprobs: null,
        finish_reason: awaiting ? 'tool_calls' : toFinishReason(code),
      },
    ],
    usage: toUsage(usage),
  }
}

/** A turn that was stopped has only its partial text. */
export const toFinishReason = (code: string | undefined): FinishReason =>
  code === 'length' ? 'length' : /^content[-_]filter$/.test(code ?? '') ? 'content_filter' : 'stop'

/** Tokens that a provider did not report count as none: clients add them up. */
export function toUsage(usage: unknown): Completion['usage'] {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    reasoningTokens = 0,
  } = (usage ?? {}) as Record<string, number | undefined>
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

import type { ModelMessage } from '../models/adapter.ts'
import type { Part } from '../protocol/message.ts'
import type { PromptMessage } from '../protocol/prompt.ts'
import type { WindowMessage } from '../store/queries/messages.ts'
import { toModelMessages } from './model-history.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'

/** The same messages that `toModelMessages` gives, each with its place in the log and its size. */
export function toPromptMessages(
  window: readonly WindowMessage[],
  replyParts: readonly Part[] = [],
  head = '',
): PromptMessage[] {
  return [
    ...toModelMessages([], [], head).map((message) => sized(message)),
    ...window.flatMap((message) =>
      toModelMessages([message]).map((made) => ({ ...sized(made), seq: message.seq, id: message.id })),
    ),
    ...toModelMessages([], replyParts).map((message) => sized(message)),
  ]
}

const sized = (message: ModelMessage): PromptMessage => ({
  ...(message as unknown as Omit<PromptMessage, 'tokens'>),
  tokens: message.content.reduce((sum, content) => sum + estimateTokens(textOf(content)), 0),
})

function textOf(content: ModelMessage['content'][number]): string {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return content.text
    case 'tool-call':
      return content.toolName + JSON.stringify(content.input)
    case 'tool-result':
      return content.output
    case 'file':
      // what is in the file itself is counted by the provider alone
      return content.filename ?? ''
  }
}

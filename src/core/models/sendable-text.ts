import type { ModelMessage } from './adapter.ts'

/**
 * What the log holds in a form that every provider takes back. A session must not be stuck because a model once wrote
 * nothing, wrote a tool call that is no JSON, or called a tool by a name that no tool can have.
 */
export function toSendable(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.some((message) => !isSendable(message)) ? messages.filter(isSendable) : messages
}

const isSendable = ({ role, content }: ModelMessage) =>
  role !== 'assistant' || content.some((part) => part.type !== 'text' || part.text !== '')

/** A tool input as the object that providers insist on. */
export function toInputObject(input: unknown): Record<string, unknown> {
  const value = typeof input === 'string' ? parse(input) : input
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : { invalid_input: input }
}

export const toToolName = (name: string) => name.replace(/[^\w-]/g, '_') || 'unnamed'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

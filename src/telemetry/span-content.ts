import type { Attributes } from '@opentelemetry/api'
import type { ModelEvent, ModelMessage, ModelRequest } from '../core/models/adapter.ts'
import { cut } from '../core/shared/text.ts'

// what collectors take without complaint; a whole window would be more than most do
const maxCharacters = 100_000

const toAttribute = (value: unknown): string => cut(JSON.stringify(value) ?? '', maxCharacters)

/** What was sent to a model, in the format of the conventions. */
export const inputOf = ({ system, messages }: ModelRequest): Attributes => ({
  'gen_ai.system_instructions': toAttribute([{ type: 'text', content: system }]),
  'gen_ai.input.messages': toAttribute(
    messages.map(({ role, content }) => ({ role, parts: content.map(toPart) })),
  ),
})

/** Gathers what a model answers. */
export function contentOf() {
  const parts: { type: string; content?: string; id?: string; name?: string; arguments?: string }[] = []
  const append = (type: string, text: string) => {
    const last = parts.at(-1)
    if (last?.type === type) last.content += text
    else parts.push({ type, content: text })
  }
  return {
    take(event: ModelEvent): void {
      if (event.type === 'text-delta') append('text', event.text)
      else if (event.type === 'reasoning-delta') append('reasoning', event.text)
      else if (event.type === 'tool-call')
        parts.push({ type: 'tool_call', id: event.toolCallId, name: event.toolName, arguments: event.input })
    },
    attributes: (reason: string | undefined): Attributes => ({
      'gen_ai.output.messages': toAttribute([{ role: 'assistant', parts, finish_reason: reason ?? 'error' }]),
    }),
  }
}

export const toolContent = (of: { input: unknown } | { value: unknown }): Attributes =>
  'input' in of
    ? { 'gen_ai.tool.call.arguments': toAttribute(of.input) }
    : { 'gen_ai.tool.call.result': toAttribute(of.value) }

function toPart(part: ModelMessage['content'][number]): object {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text }
    // its bytes are of no use in a trace
    case 'file':
      return { type: 'blob', mime_type: part.mediaType }
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input }
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: part.output }
  }
}

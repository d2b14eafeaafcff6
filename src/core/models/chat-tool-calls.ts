import { randomUUID } from 'node:crypto'
import type { ModelEvent } from './adapter.ts'
import { metadataKey } from './chat-messages.ts'

/** A piece of a tool call; a server may send anything. */
export type ToolCallDelta = {
  index?: unknown
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
  extra_content?: unknown
} | null

interface Call {
  toolCallId: string
  /** The id on the wire, which may be empty and need not be unique. */
  wireId: string
  toolName: string
  texts: string[]
  extra: unknown
  isStarted: boolean
}

/**
 * Puts tool calls together from their pieces. A piece belongs to the call of its index; servers that use one index for
 * all calls begin a new one with another id and a name.
 */
export function createToolCalls() {
  const calls: Call[] = []
  const byIndex = new Map<unknown, Call>()
  const ids = new Set<string>()

  const begin = (index: unknown, wireId: string): Call => {
    const isUsable = wireId !== '' && !ids.has(wireId)
    const toolCallId = isUsable ? wireId : `call_${randomUUID()}`
    ids.add(toolCallId)
    const call: Call = { toolCallId, wireId, toolName: '', texts: [], extra: undefined, isStarted: false }
    calls.push(call)
    byIndex.set(index, call)
    return call
  }

  return {
    get count() {
      return calls.length
    },
    *take(delta: ToolCallDelta, position: number): Generator<ModelEvent> {
      const [id, name, text] = [delta?.id, delta?.function?.name, delta?.function?.arguments].map(toText)
      const index = delta?.index ?? position
      let call = byIndex.get(index)
      if (!call || (id && name && call.wireId && id !== call.wireId)) call = begin(index, id!)
      call.extra ??= delta?.extra_content
      if (text) call.texts.push(text)
      if (call.isStarted) {
        if (text) yield { type: 'tool-input-delta', toolCallId: call.toolCallId, text }
      } else if (name) {
        call.isStarted = true
        call.toolName = name
        yield { type: 'tool-input-start', toolCallId: call.toolCallId, toolName: name }
        // together with what came before the name
        const soFar = call.texts.join('')
        if (soFar) yield { type: 'tool-input-delta', toolCallId: call.toolCallId, text: soFar }
      }
    },
    *end(): Generator<ModelEvent> {
      for (const { toolCallId, toolName, texts, extra } of calls) {
        const metadata = extra ? { providerMetadata: { [metadataKey]: { extra } } } : {}
        // a tool without parameters is often called with no text at all
        yield { type: 'tool-call', toolCallId, toolName, input: texts.join('') || '{}', ...metadata }
      }
    },
  }
}

const toText = (value: unknown) => (typeof value === 'string' ? value : '')

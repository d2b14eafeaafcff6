import type { Chunk } from '../../core/protocol/chunk.ts'
import { isSilence, mayBeSilence } from './silent-replies.ts'

/**
 * Streams the answer of an agent into its room: under ids that begin with its name, so that
 * parts of several agents can come interleaved. What only frames a message of its own is left out, and an answer that
 * may still turn out to be silence is held back.
 */
export function createRelay(agent: string, emit: (chunk: Chunk) => void, isPrivate: boolean) {
  const providerMetadata = { parley: { agent, ...(isPrivate && { private: true }) } }
  const named = (id: string) => `${agent}:${id}`
  /** Texts that were not emitted yet, by their part: as long as they could be nothing but the word for silence. */
  const held = new Map<string, string>()

  const emitHeld = (id: string) => {
    const text = held.get(id)
    if (text === undefined) return
    held.delete(id)
    emit({ type: 'text-start', id: named(id), providerMetadata })
    if (text !== '') emit({ type: 'text-delta', id: named(id), delta: text })
  }

  return (chunk: Chunk): void => {
    switch (chunk.type) {
      case 'text-start':
        held.set(chunk.id, '')
        return
      case 'text-delta': {
        const before = held.get(chunk.id)
        if (before === undefined) return emit({ ...chunk, id: named(chunk.id) })
        held.set(chunk.id, before + chunk.delta)
        if (!mayBeSilence(before + chunk.delta)) emitHeld(chunk.id)
        return
      }
      case 'text-end':
        if (isSilence(held.get(chunk.id) ?? '')) return void held.delete(chunk.id)
        emitHeld(chunk.id)
        return emit({ type: 'text-end', id: named(chunk.id) })
      case 'reasoning-start':
        return emit({ ...chunk, id: named(chunk.id), providerMetadata })
      case 'reasoning-delta':
      case 'reasoning-end':
        return emit({ ...chunk, id: named(chunk.id) })
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-available':
      case 'tool-input-error':
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
      case 'tool-approval-request':
        return emit({ ...chunk, toolCallId: named(chunk.toolCallId) })
      case 'tool-approval-response':
        return emit(chunk)
      case 'data-retry':
      case 'data-resuming':
        return emit({ ...chunk, data: { ...(chunk.data as object), agent } })
      default:
        return
    }
  }
}

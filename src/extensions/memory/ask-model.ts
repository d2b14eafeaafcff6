import pRetry from 'p-retry'
import type { ModelAdapter, Usage } from '../../core/models/adapter.ts'
import { inTime } from '../../core/shared/time-limit.ts'
import { readLoose } from '../../core/shared/loose-json.ts'
import { withoutFence } from '../../core/shared/text.ts'

/** The model answered, and what it wrote is of no use. */
export class UnusableAnswer extends Error {}

export interface Question {
  sessionId: string
  system: string
  /** Sent as JSON: nothing in it can pass for something else. */
  content: unknown
  signal: AbortSignal
  /** Called with the usage of each answer, whether it is usable or not. */
  onAnswer(model: string, usage: Usage): Promise<void>
}

const maxAnswer = 40_000
const timeoutMs = 60_000

/** The object that the model answers with; asked a second time when that fails, and not a third time. */
export function askForObject(
  adapter: ModelAdapter,
  { sessionId, system, content, signal, onAnswer }: Question,
): Promise<Record<string, unknown>> {
  const request = {
    system,
    messages: [
      { role: 'user' as const, content: [{ type: 'text' as const, text: JSON.stringify(content) }] },
    ],
    tools: [],
    cacheKey: `${sessionId}:memory`,
  }
  const ask = async (limit: AbortSignal) => {
    let text = ''
    let usage: Usage = {}
    for await (const event of adapter.stream(request, limit)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'finish') usage = event.usage
      if (text.length > maxAnswer)
        throw new UnusableAnswer(`The model wrote more than ${maxAnswer} characters of memories.`)
    }
    await onAnswer(adapter.id, usage)
    return toObject(text)
  }
  const tryOnce = () => inTime({ timeoutMs, signal }, ask)
  return pRetry(tryOnce, { retries: 1, minTimeout: 500, signal })
}

function toObject(text: string): Record<string, unknown> {
  const bare = withoutFence(text)
  const value = parse(bare)
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new UnusableAnswer(`The model was to answer with an object; it wrote ${bare.slice(0, 100)}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const read = readLoose(text, Math.max(0, text.search(/[{[]/)))
    if ('value' in read) return read.value
    throw new UnusableAnswer(`The model's memories cannot be read: ${text.slice(0, 100)}. ${read.problem}`)
  }
}

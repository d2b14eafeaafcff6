import type { FinishReason, ModelAdapter, ModelEvent, ModelRequest, Usage } from './adapter.ts'
import { sleep } from './sleep.ts'

/** One thing that a scripted model does: emits an event, throws, waits, or emits nothing until it is stopped. */
export type ScriptedStep = ModelEvent | Error | { waitMs: number } | 'hang'
export type ScriptedReply = readonly ScriptedStep[]

export interface ScriptedAdapter extends ModelAdapter {
  /** Copies of all requests so far, oldest first. */
  readonly requests: readonly ModelRequest[]
}

/** A model for tests: does exactly what the script specifies for a request and its number, from 0. */
export function createScriptedAdapter(
  id: string,
  script: (request: ModelRequest, callIndex: number) => ScriptedReply,
): ScriptedAdapter {
  const requests: ModelRequest[] = []
  return {
    id,
    requests,
    async *stream(request, signal) {
      signal.throwIfAborted()
      const steps = script(request, requests.length)
      requests.push(structuredClone(request))
      for (const step of steps) {
        if (step === 'hang') await sleep(Infinity, signal)
        else if (step instanceof Error) throw step
        else if ('waitMs' in step) await sleep(step.waitMs, signal)
        else yield step
        signal.throwIfAborted()
      }
    },
  }
}

export const finish = (reason: FinishReason = 'stop', usage: Usage = {}): ModelEvent => ({
  type: 'finish',
  reason,
  usage,
})

/** A reply of text, in one delta per argument. */
export const says = (...texts: string[]): ScriptedReply => [
  ...texts.map((text): ModelEvent => ({ type: 'text-delta', text })),
  finish(),
]

/** A reply that calls tools. An input that is a text is sent as it is, valid or not. */
export const calls = (...toolCalls: { id: string; name: string; input: unknown }[]): ScriptedReply => [
  ...toolCalls.map(({ id, name, input }): ModelEvent => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  })),
  finish('tool-calls'),
]

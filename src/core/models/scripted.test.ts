import { expect, it } from 'vitest'
import type { ModelRequest } from './adapter.ts'
import { ModelFault } from './fault.ts'
import { calls, createScriptedAdapter, finish, says } from './scripted.ts'

const request: ModelRequest = { system: 's', messages: [], tools: [], cacheKey: 'k' }
const signal = new AbortController().signal

it('does what the script says for each request, and keeps the requests', async () => {
  const adapter = createScriptedAdapter('scripted/x', (_, index) =>
    index === 0 ? calls({ id: 'c', name: 't', input: { a: 1 } }) : says('a', 'b'),
  )
  const first = { ...request }
  expect(await Array.fromAsync(adapter.stream(first, signal))).toEqual([
    { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{"a":1}' },
    finish('tool-calls'),
  ])
  first.system = 'changed'
  expect(await Array.fromAsync(adapter.stream(request, signal))).toEqual([
    { type: 'text-delta', text: 'a' },
    { type: 'text-delta', text: 'b' },
    finish(),
  ])
  expect(adapter.requests).toEqual([request, request])
})

it('throws, waits and hangs as it is told', async () => {
  const fault = new ModelFault('overloaded', 'busy')
  const broken = createScriptedAdapter('scripted/x', () => [
    { waitMs: 5 },
    { type: 'text-delta', text: 'a' },
    fault,
  ])
  await expect(Array.fromAsync(broken.stream(request, signal))).rejects.toBe(fault)

  const hanging = createScriptedAdapter('scripted/x', () => ['hang'])
  const stop = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => stop.abort(reason), 5)
  await expect(Array.fromAsync(hanging.stream(request, stop.signal))).rejects.toBe(reason)
})

import { act, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { emptyAnswer, type Conversation, type Message } from '../../../src/client/index.ts'
import { Announcer } from '../ui/announcer.tsx'
import { useAnnouncements } from './use-announcements.ts'

function Heard({ conversation }: { conversation: Conversation }) {
  useAnnouncements(conversation)
  return null
}

const inside = (conversation: Conversation) => (
  <Announcer>
    <Heard conversation={conversation} />
  </Announcer>
)

const quiet: Conversation = { status: 'ready', messages: [], hasEarlier: false }
const answering: Conversation = { ...quiet, draft: emptyAnswer('run_1') }
const answer = (text: string): Message =>
  ({
    id: 'msg_1',
    seq: 2,
    role: 'assistant',
    parts: [{ type: 'text', text }],
    metadata: { runId: 'run_1' },
  }) as never

/** Texts may have to be loaded first. */
const show = (conversation: Conversation) => act(async () => render(inside(conversation)))
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const log = () => document.querySelector('[data-region=log]')!.textContent

it('says that an answer is coming, that it still is, and then what was said, once', async () => {
  vi.useFakeTimers()
  const { rerender } = await show(quiet)
  await pass(100)
  expect(screen.getByRole('status').textContent).toBe('')
  rerender(inside(answering))
  await pass(100)
  expect(screen.getByRole('status').textContent).toBe('The assistant is responding.')
  // words that come are not read out one by one
  rerender(inside({ ...answering, draft: { ...answering.draft!, parts: [{ type: 'text', text: 'Hel' }] } }))
  await pass(100)
  expect(log()).toBe('')
  await pass(7_000)
  expect(screen.getByRole('status').textContent).toBe('Still working.')
  rerender(inside({ ...quiet, messages: [answer('Hello.')] }))
  await pass(100)
  expect(log()).toBe('Assistant: Hello.')
  await pass(20_000)
  expect(screen.getByRole('status').textContent).toBe('Still working.')
  expect(log()).toBe('Assistant: Hello.')
})

it('reads out the beginning of a very long answer', async () => {
  vi.useFakeTimers()
  const { rerender } = await show(answering)
  rerender(inside({ ...quiet, messages: [answer('word '.repeat(10_000))] }))
  await pass(100)
  expect(log()!.length).toBeLessThan(2_100)
  expect(log()).toMatch(/…$/)
})

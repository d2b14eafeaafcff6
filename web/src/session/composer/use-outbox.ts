import { useRef, useState } from 'react'
import { ParleyError } from '../../../../src/client/index.ts'
import { toOutgoing, type Outgoing, type Policy } from './outgoing.ts'
import { isEmpty, nothing, putBack } from './unsent.ts'
import type { UnsentControl } from './use-unsent.ts'

export interface Outbox {
  isSending: boolean
  /** Why the last message came back. */
  error?: unknown
  /** What is in the box; or words that were chosen elsewhere, which leave the box as it is. */
  send(policy: Policy, words?: string): Promise<void>
}

// a server that restarts, or a network that changes, is back within moments
const tries = 3
const retryMs = 700

/**
 * Takes what was typed out of the box, hands it over, and puts it back when that fails. One at a time: a second message
 * cannot overtake the first.
 */
export function useOutbox(
  { read, change }: UnsentControl,
  deliver: (message: Outgoing) => Promise<void>,
): Outbox {
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<{ message: Outgoing; error: unknown }>()
  const isBusy = useRef(false)
  return {
    isSending,
    error: failure?.error,
    async send(policy, words) {
      const { text, attachments, thinking } = words === undefined ? read() : { ...nothing, text: words }
      if (isBusy.current || isEmpty({ text, attachments })) return
      isBusy.current = true
      setSending(true)
      setFailure(undefined)
      const message = toOutgoing({ text, attachments, thinking, policy }, failure?.message)
      change({ ...(words === undefined && { text: '', attachments: [] }), sending: { text, attachments } })
      try {
        await persist(() => deliver(message))
        change({ sending: undefined })
      } catch (error) {
        change(putBack(read(), message))
        setFailure({ message, error })
      }
      isBusy.current = false
      setSending(false)
    },
  }
}

async function persist(deliver: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures++) {
    try {
      return await deliver()
    } catch (error) {
      const mayPass = error instanceof ParleyError && error.code === 'store_unavailable'
      if (!mayPass || failures >= tries) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

import { useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { useOpenSessionId } from '../../shell/open-session.ts'
import { useTexts } from '../../shell/texts.ts'
import { toBody, toOutgoing } from '../../session/composer/outgoing.ts'
import { useToast } from '../../ui/toast.tsx'
import { planTexts, sessionPlanTexts } from '../texts.ts'

/** What one could say next; only under the last answer, since it goes on from there. */
export function Suggestions({ texts }: { texts: readonly string[] }) {
  const t = useTexts(sessionPlanTexts)
  const { notDone } = useTexts(planTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const sessionId = useOpenSessionId()
  const toast = useToast()
  const [isSending, setSending] = useState(false)
  if (texts.length === 0 || sessionId === undefined) return null
  const say = async (text: string) => {
    setSending(true)
    try {
      const message = toOutgoing({ text, attachments: [], thinking: false, policy: 'enqueue' })
      await sessions.send(sessionId, toBody(message, scope), { idempotencyKey: message.key })
    } catch (error) {
      toast({ title: notDone, description: (error as Error).message, isProblem: true })
    }
    setSending(false)
  }
  return (
    <ul aria-label={t.suggestions} className="my-2 hidden flex-wrap gap-1.5 group-data-[last]:flex">
      {texts.map((text) => (
        <li key={text} className="max-w-full">
          <button
            type="button"
            disabled={isSending}
            onClick={() => void say(text)}
            className="max-w-full rounded-full border border-line bg-raised px-3 py-1 text-start text-sm hover:bg-hover disabled:opacity-50"
          >
            <bdi className="wrap-anywhere">{text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

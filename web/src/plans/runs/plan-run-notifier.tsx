import { useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import type { NoticeProps } from '../../shell/define-web.ts'
import { mayNotify, notifySystem } from '../../shell/notify-system.ts'
import { useOpenSessionId } from '../../shell/open-session.ts'
import { useTexts } from '../../shell/texts.ts'
import { claimTelling } from '../../shell/told-runs.ts'
import { useToast } from '../../ui/toast.tsx'
import { useGoTo } from '../../shell/use-go-to.ts'
import { planEndingOf, type PlanEnding } from './plan-ending.ts'
import { planNotifierTexts } from '../texts.ts'

// a tab that shows the plan goes before one that is seen, and that one before those that are not
const delaysMs = { seen: 0, visible: 100, hidden: 500 }

/** Tells of plans that are done, or not, where nobody looks. */
export function PlanRunNotifier({ subscribe }: NoticeProps) {
  const t = useTexts(planNotifierTexts)
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  const goTo = useGoTo()
  const { planId: openId } = useParams({ strict: false })
  const openSessionId = useOpenSessionId()
  const tell = async ({ planId, kind, summary, isProblem, key, sessionId }: PlanEnding) => {
    const isVisible = document.visibilityState === 'visible'
    const isSeen =
      isVisible && (planId === openId || (sessionId !== undefined && sessionId === openSessionId))
    await new Promise((resolve) =>
      setTimeout(resolve, isSeen ? delaysMs.seen : isVisible ? delaysMs.visible : delaysMs.hidden),
    )
    if (!(await claimTelling(key)) || isSeen) return
    // deleted meanwhile: there is nothing to look at
    const plan = await client.plans.get(planId, { scope }).catch(() => undefined)
    if (!plan) return
    const title = t[kind](plan.title)
    const open = () => goTo(`/plans/${planId}`)
    if (document.visibilityState === 'visible')
      toast({ title, description: summary, isProblem, action: { label: t.open, perform: open } })
    else if (mayNotify()) notifySystem([title, summary].filter(Boolean).join('\n'), key, open)
  }
  const latest = useRef(tell)
  useEffect(() => {
    latest.current = tell
  })
  useEffect(
    () =>
      subscribe((event) => {
        const ending = planEndingOf(event)
        if (ending) void latest.current(ending)
      }),
    [subscribe],
  )
  return null
}

import { useParams } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import type { ParleyClient } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import type { NoticeProps } from '../shell/define-web.ts'
import type { FilledPath } from '../shell/pages.ts'
import { mayNotify, notifySystem } from '../shell/notify-system.ts'
import { useTexts } from '../shell/texts.ts'
import { claimTelling } from '../shell/told-runs.ts'
import { useToast } from '../ui/toast.tsx'
import { happeningOf, type RunHappening } from './run-happening.ts'
import { runNotifierTexts } from './texts.ts'
import { useGoTo } from '../shell/use-go-to.ts'

// a tab that shows the run goes before one that is seen, and that one before those that are not; long enough too for the
// notice of a definition that comes right after the end
const delaysMs = { seen: 0, visible: 100, hidden: 500 }
// of a text that is read in passing
const maxBody = 200

/** Tells of workflow runs that ask or end where nobody looks, and what they want to be told. */
export function RunNotifier({ subscribe }: NoticeProps) {
  const tell = useTelling()
  const bodies = useRef(new Map<string, string>())
  useEffect(
    () =>
      subscribe((event) => {
        const happened = happeningOf(event)
        if (!happened) return
        const { key, kind, body } = happened
        // the end of a run is told with the words that its definition wants
        if (body !== undefined && (kind === 'notice' || !bodies.current.has(key)))
          bodies.current.set(key, body)
        void tell(happened, () => bodies.current.get(key)).finally(() => bodies.current.delete(key))
      }),
    [subscribe, tell],
  )
  return null
}

type Tell = (happened: RunHappening, readBody: () => string | undefined) => Promise<void>

function useTelling(): Tell {
  const t = useTexts(runNotifierTexts)
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  const goTo = useGoTo()
  const { runId: openId } = useParams({ strict: false })
  const latest = useRef<Tell>(undefined)
  const tell: Tell = async (happened, readBody) => {
    const { kind, name, runId, isProblem, key } = happened
    const isVisible = document.visibilityState === 'visible'
    const isSeen = isVisible && runId !== undefined && runId === openId
    await new Promise((resolve) =>
      setTimeout(resolve, isSeen ? delaysMs.seen : isVisible ? delaysMs.visible : delaysMs.hidden),
    )
    const body = readBody()
    if (!(await claimTelling(key)) || isSeen) return
    const title = kind === 'notice' ? name : t[kind](name)
    const description = body && shorten(body)
    const open = () => void pathTo(client, scope, happened).then((path) => goTo(path))
    const action = { label: t.open, perform: open }
    if (document.visibilityState === 'visible') toast({ title, description, isProblem, action })
    else if (mayNotify()) notifySystem([title, description].filter(Boolean).join('\n'), key, open)
  }
  useEffect(() => {
    latest.current = tell
  })
  return useCallback((...args) => latest.current?.(...args) ?? Promise.resolve(), [])
}

const shorten = (text: string) => (text.length > maxBody ? `${text.slice(0, maxBody)}…` : text)

/** To the run; a notice of a step knows its session alone, and that one its run. */
async function pathTo(
  client: ParleyClient,
  scope: string | undefined,
  { runId, sessionId }: RunHappening,
): Promise<FilledPath> {
  if (runId !== undefined) return `/workflow-runs/${runId}`
  if (sessionId === undefined) return '/workflow-runs'
  const session = await client.sessions.get(sessionId, { scope }).catch(() => undefined)
  const known = session?.toolMeta?.runId
  return known === undefined ? `/sessions/${sessionId}` : `/workflow-runs/${known}`
}

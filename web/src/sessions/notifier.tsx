import type { WordsOf } from '../shell/texts.ts'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import type { EventFrame, Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { toKnown } from '../api/events.ts'
import { useScope } from '../api/scope.ts'
import { useToast } from '../ui/toast.tsx'
import { appTexts } from '../shell/shell-texts.ts'
import { notifierTexts } from './texts.ts'
import { useOpenSessionId } from '../shell/open-session.ts'
import { mayNotify, notifySystem } from '../shell/notify-system.ts'
import { askOf, decideTelling, endingOf, withCount, type AskedFor, type RunEnding } from './run-ending.ts'
import type { NoticeProps } from '../shell/define-web.ts'
import { useFeatures, useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { claimTelling } from '../shell/told-runs.ts'
import { followUnread, markRead, markUnread, useUnread } from './unread.ts'

type Happening = RunEnding | AskedFor
const keyOf = (happened: Happening) => ('approvalId' in happened ? happened.approvalId : happened.runId)

/** Tells of runs that end, and of asks, where nobody looks: a dot in the list, a toast, the system, and a number in the title. */
export function Notifier({ subscribe }: NoticeProps) {
  const tell = useTelling()
  const features = useFeatures()
  const waiting = useRef(new Set<string>())
  const onEvent = useCallback(
    (event: EventFrame) => {
      if (event.type === 'session-deleted' && event.sessionId !== undefined) markRead(event.sessionId)
      const known = toKnown(event)
      const isOwned =
        known?.type === 'approval-requested' && features.some(({ ownsAsk }) => ownsAsk?.(known.data))
      const happened = endingOf(event) ?? (isOwned ? undefined : askOf(event))
      if (!happened || waiting.current.has(keyOf(happened))) return
      waiting.current.add(keyOf(happened))
      void tell(happened).finally(() => waiting.current.delete(keyOf(happened)))
    },
    [tell, features],
  )
  useEffect(() => subscribe(onEvent), [subscribe, onEvent])
  useReading()
  useTitleCount()
  return null
}

function useTelling(): (happened: Happening) => Promise<void> {
  const features = useFeatures()
  const keepSearch = useKeptSearch()
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  const navigate = useNavigate()
  const t = useTexts(notifierTexts)
  const { untitled } = useTexts(appTexts)
  const openId = useOpenSessionId()
  const seesAsks = useLocation({ select: ({ pathname }) => pathname === '/approvals' })
  const latest = useRef<(happened: Happening) => Promise<void>>(undefined)
  const tell = async (happened: Happening) => {
    const isAsk = 'approvalId' in happened
    const { isSeen, delayMs } = decideTelling(happened, onlooker(openId, seesAsks))
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    if (!(await claimTelling(keyOf(happened))) || isSeen) return
    // a session that cannot be read any more was deleted meanwhile: there is nothing to look at
    const session = await client.sessions.get(happened.sessionId, { scope }).catch(() => undefined)
    if (!session) return
    // of what is made of several sessions its end is told, and not that of each of them
    if (!isAsk && features.some(({ ownsEndOf }) => ownsEndOf?.(session))) return
    // an ask is counted as long as it waits, not until somebody looks
    if (session.archivedAt === undefined && !isAsk)
      markUnread({ id: session.id, isTask: session.kind === 'background' })
    // somebody may have looked meanwhile
    const decided = decideTelling(happened, onlooker(openId, seesAsks))
    const open = () =>
      void navigate({
        to: '/sessions/$sessionId',
        params: { sessionId: session.id },
        search: keepSearch(),
      })
    const title = describe(session, happened, session.title || session.bgMeta?.label || untitled, t)
    if (decided.toast) toast({ title, action: { label: t.open, perform: open } })
    if (decided.system) notifySystem(title, keyOf(happened), open)
    if (decided.isSeen) markRead(session.id)
  }
  useEffect(() => {
    latest.current = tell
  })
  return useCallback((happened) => latest.current?.(happened) ?? Promise.resolve(), [])
}

const onlooker = (sessionId: string | undefined, seesAsks: boolean) => ({
  sessionId,
  seesAsks,
  isVisible: document.visibilityState === 'visible',
  isAllowed: mayNotify(),
})

function describe(
  { kind, bgDegraded }: Session,
  happened: Happening,
  title: string,
  t: WordsOf<typeof notifierTexts>,
): string {
  if ('approvalId' in happened) return kind === 'background' ? t.taskAsks(title) : t.asks(title)
  const { isFailure } = happened
  if (kind !== 'background') return isFailure ? t.failed(title) : t.answered(title)
  if (isFailure) return t.taskFailed(title)
  return bgDegraded ? t.taskDegraded(title) : t.taskDone(title)
}

/** What is open and seen is read. */
function useReading(): void {
  const sessionId = useOpenSessionId()
  useEffect(() => {
    const look = () => {
      if (sessionId !== undefined && document.visibilityState === 'visible') markRead(sessionId)
    }
    look()
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [sessionId])
}

function useTitleCount(): void {
  const count = useUnread(({ sessions }) => sessions.length)
  useEffect(followUnread, [])
  useEffect(() => {
    const write = () => {
      const title = withCount(document.title, count)
      if (title !== document.title) document.title = title
    }
    write()
    // pages name themselves, and know nothing of the number
    const observer = new MutationObserver(write)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [count])
}

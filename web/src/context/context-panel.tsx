import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { useSessionSlot } from '../shell/session-slots.tsx'
import { useTexts } from '../shell/texts.ts'
import { Empty, Loading } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { ChangesView } from './changes-view.tsx'
import { contextTexts } from './texts.ts'
import { MemoView } from './memo-view.tsx'
import { PromptView } from './prompt-view.tsx'
import { useContextSearch, views, type View } from './use-context-search.ts'
import { WindowView } from './window-view.tsx'

const panels = { prompt: PromptView, changes: ChangesView, window: WindowView, memo: MemoView }

/** What the model of the open session saw, sees, and why. */
export function ContextPanel({ sessionId }: { sessionId?: string }) {
  const t = useTexts(contextTexts)
  if (sessionId === undefined) return <Empty>{t.noSession}</Empty>
  return <Opened sessionId={sessionId} />
}

function Opened({ sessionId }: { sessionId: string }) {
  const t = useTexts(contextTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const [{ view }, setSearch] = useContextSearch()
  const { data: session, isPending } = useQuery(sessionQuery({ sessions }, sessionId, scope))
  const loadView = useSessionSlot('contextViews', session)
  if (isPending) return <Loading />
  if (session && loadView) return <LazyView load={loadView} session={session} />
  const tabs = views.map((name) => {
    const Panel = panels[name]
    return { name, label: t.views[name], panel: <Panel key={sessionId} sessionId={sessionId} /> }
  })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Tabs
        label={t.viewsLabel}
        tabs={tabs}
        value={view}
        onChange={(name) => setSearch({ view: name as View })}
      />
    </div>
  )
}

import { CatchBoundary } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Loading } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { appTexts } from './shell-texts.ts'
import { ErrorPage } from './error-page.tsx'
import { useContributions } from './features-context.tsx'
import { LazyView } from './lazy-view.tsx'
import { useName, useTexts } from './texts.ts'

interface Props {
  dock: string
  sessionId?: string
  onChange(dock: string): void
}

export function DockPanel({ dock, sessionId, onChange }: Props) {
  const t = useTexts(appTexts)
  const nameOf = useName()
  const tabs = useContributions('docks').map(({ name, label, icon: Icon, load }) => ({
    name,
    label: (
      <>
        <Icon aria-hidden className="size-4" />
        {nameOf(label)}
      </>
    ),
    panel: (
      <CatchBoundary getResetKey={() => sessionId} errorComponent={ErrorPage}>
        <Suspense fallback={<Loading />}>
          <LazyView load={load} sessionId={sessionId} />
        </Suspense>
      </CatchBoundary>
    ),
  }))
  return <Tabs label={t.dock} tabs={tabs} value={dock} onChange={onChange} />
}

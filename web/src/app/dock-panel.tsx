import { CatchBoundary } from '@tanstack/react-router'
import { Suspense } from 'react'
import { Loading } from '../ui/states.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { appTexts } from './app-texts.ts'
import { docks, type DockName } from './docks.ts'
import { ErrorPage } from './error-page.tsx'
import { useTexts } from './texts.ts'

interface Props {
  dock: DockName
  sessionId?: string
  onChange(dock: DockName): void
}

export function DockPanel({ dock, sessionId, onChange }: Props) {
  const t = useTexts(appTexts)
  const tabs = docks.map(({ name, label, icon: Icon, Panel }) => ({
    name,
    label: (
      <>
        <Icon aria-hidden className="size-4" />
        {t.docks[label]}
      </>
    ),
    panel: (
      <CatchBoundary getResetKey={() => sessionId} errorComponent={ErrorPage}>
        <Suspense fallback={<Loading />}>
          <Panel sessionId={sessionId} />
        </Suspense>
      </CatchBoundary>
    ),
  }))
  return <Tabs label={t.dock} tabs={tabs} value={dock} onChange={(name) => onChange(name as DockName)} />
}

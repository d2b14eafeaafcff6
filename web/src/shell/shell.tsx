import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, type ReactNode } from 'react'
import { LiveProvider } from '../api/live.tsx'
import { Announcer } from '../ui/announcer.tsx'
import { Sheet } from '../ui/lazy-panes.tsx'
import { Loading } from '../ui/states.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { ActionButton } from './action-button.tsx'
import { ActionsProvider } from './actions-provider.tsx'
import { appTexts } from './shell-texts.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { useFeatures } from './features-context.tsx'
import { KeyGate } from './key-gate.tsx'
import { Notices } from './notices.tsx'
import { dockBesideQuery, setOverlay, useSidebarState } from './overlays.ts'
import { Palette } from './palette.tsx'
import type { ShellSearch } from './shell-search.ts'
import { Shortcuts } from './shortcuts.tsx'
import { useTexts } from './texts.ts'
import { TopbarProvider } from './topbar.tsx'
import { useVisibleHeight } from './use-visible-height.ts'

const DockPanel = lazy(async () => ({ default: (await import('./dock-panel.tsx')).DockPanel }))

/** Sessions on the left, what is open in the centre, one dock on the right; on a phone one at a time. */
export function Shell() {
  const t = useTexts(appTexts)
  return (
    <KeyGate>
      <LiveProvider>
        <Announcer>
          <a
            href="#main"
            className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
            onClick={(event) => {
              event.preventDefault()
              document.getElementById('main')?.focus()
            }}
          >
            {t.skip}
          </a>
          <ActionsProvider>
            <TopbarProvider>{(topbar) => <Panes topbar={topbar} />}</TopbarProvider>
            <Palette />
            <Shortcuts />
            <Notices />
          </ActionsProvider>
        </Announcer>
      </LiveProvider>
    </KeyGate>
  )
}

function Panes({ topbar }: { topbar: ReactNode }) {
  const t = useTexts(appTexts)
  const Sidebar = useFeatures().find((feature) => feature.Sidebar)?.Sidebar
  const { isOpen, isDrawer } = useSidebarState()
  const hasRoomForDock = useMediaQuery(dockBesideQuery)
  const { dock } = useSearch({ strict: false })
  const { sessionId } = useParams({ strict: false })
  const navigate = useNavigate()
  const setDock = (next: ShellSearch['dock']) =>
    void navigate({ to: '.', search: (before: ShellSearch) => ({ ...before, dock: next }) })
  const closeDrawer = () => setOverlay(undefined)

  return (
    <div className="flex h-full min-h-0" style={{ height: useVisibleHeight() }}>
      {isOpen && !isDrawer && (
        <aside
          aria-label={t.sessions}
          className="flex w-72 shrink-0 flex-col border-r border-line bg-surface"
        >
          {Sidebar && <Sidebar />}
        </aside>
      )}
      {isOpen && isDrawer && (
        <Sheet side="left" label={t.sessions} onClose={closeDrawer}>
          {Sidebar && <Sidebar onPick={closeDrawer} />}
        </Sheet>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <ConnectionBar />
        <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
          <ActionButton
            action="sidebar"
            label={isOpen ? t.closeSidebar : t.openSidebar}
            aria-expanded={isOpen}
          />
          {topbar}
          <ActionButton
            action="dock"
            label={dock ? t.closeDock : t.openDock}
            aria-expanded={dock !== undefined}
          />
        </div>
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {/* of what lies over the page, one at a time */}
      {dock &&
        !(isOpen && isDrawer) &&
        (hasRoomForDock ? (
          <aside
            aria-label={t.dock}
            className="flex w-[26rem] shrink-0 flex-col border-l border-line bg-surface"
          >
            <Suspense fallback={<Loading />}>
              <DockPanel dock={dock} sessionId={sessionId} onChange={setDock} />
            </Suspense>
          </aside>
        ) : (
          <Sheet side={isDrawer ? 'bottom' : 'right'} label={t.dock} onClose={() => setDock(undefined)}>
            <Suspense fallback={<Loading />}>
              <DockPanel dock={dock} sessionId={sessionId} onChange={setDock} />
            </Suspense>
          </Sheet>
        ))}
    </div>
  )
}

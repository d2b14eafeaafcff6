import { Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { PanelLeft, PanelRight } from 'lucide-react'
import { Suspense, type ReactNode } from 'react'
import { LiveProvider } from '../api/live.tsx'
import { Sidebar } from '../sessions/sidebar.tsx'
import { Announcer } from '../ui/announcer.tsx'
import { IconButton } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { Loading } from '../ui/states.tsx'
import { useMediaQuery } from '../ui/use-media-query.ts'
import { appTexts } from './app-texts.ts'
import { ConnectionBar } from './connection-bar.tsx'
import { DockPanel } from './dock-panel.tsx'
import { docks } from './docks.ts'
import { KeyGate } from './key-gate.tsx'
import { Palette } from './palette.tsx'
import { setPreferences, usePreferences } from './preferences.ts'
import type { ShellSearch } from './routes.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { useTexts } from './texts.ts'
import { TopbarProvider } from './topbar.tsx'

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
          <TopbarProvider>{(topbar) => <Panes topbar={topbar} />}</TopbarProvider>
          <Palette />
          <Shortcuts />
        </Announcer>
      </LiveProvider>
    </KeyGate>
  )
}

function Panes({ topbar }: { topbar: ReactNode }) {
  const t = useTexts(appTexts)
  const isWide = useMediaQuery('(min-width: 768px)')
  const hasRoomForDock = useMediaQuery('(min-width: 1100px)')
  const sidebar = usePreferences((preferences) => preferences.sidebar)
  const { dock } = useSearch({ strict: false }) as ShellSearch
  const { sessionId } = useParams({ strict: false }) as { sessionId?: string }
  const navigate = useNavigate()
  const setDock = (next: ShellSearch['dock']) =>
    void navigate({ to: '.', search: (before: ShellSearch) => ({ ...before, dock: next }) } as never)
  const isOpen = sidebar === 'open'
  const setSidebar = (open: boolean) => setPreferences({ sidebar: open ? 'open' : 'closed' })

  return (
    <div className="flex h-full min-h-0">
      {isWide
        ? isOpen && (
            <aside
              aria-label={t.sessions}
              className="flex w-72 shrink-0 flex-col border-r border-line bg-surface"
            >
              <Sidebar />
            </aside>
          )
        : isOpen && (
            <Sheet side="left" label={t.sessions} onClose={() => setSidebar(false)}>
              <Sidebar onPick={() => setSidebar(false)} />
            </Sheet>
          )}
      <div className="flex min-w-0 flex-1 flex-col">
        <ConnectionBar />
        <div className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
          <IconButton
            label={isOpen ? t.closeSidebar : t.openSidebar}
            aria-expanded={isOpen}
            onClick={() => setSidebar(!isOpen)}
          >
            <PanelLeft />
          </IconButton>
          {topbar}
          <IconButton
            label={dock ? t.closeDock : t.openDock}
            aria-expanded={dock !== undefined}
            onClick={() => setDock(dock ? undefined : docks[0]!.name)}
          >
            <PanelRight />
          </IconButton>
        </div>
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          <Suspense fallback={<Loading />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {dock &&
        (hasRoomForDock ? (
          <aside
            aria-label={t.dock}
            className="flex w-[26rem] shrink-0 flex-col border-l border-line bg-surface"
          >
            <DockPanel dock={dock} sessionId={sessionId} onChange={setDock} />
          </aside>
        ) : (
          <Sheet side={isWide ? 'right' : 'bottom'} label={t.dock} onClose={() => setDock(undefined)}>
            <DockPanel dock={dock} sessionId={sessionId} onChange={setDock} />
          </Sheet>
        ))}
    </div>
  )
}

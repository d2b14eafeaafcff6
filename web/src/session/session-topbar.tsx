import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, EllipsisVertical } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import type { SessionDialog } from '../shell/define-web.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { useSessionPlace } from '../shell/session-place.ts'
import { useTexts } from '../shell/texts.ts'
import { Topbar } from '../shell/topbar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/lazy-panes.tsx'
import { Menu } from '../ui/menu.tsx'
import { Tag } from '../ui/tag.tsx'
import { useTitle } from '../ui/use-title.ts'
import { sessionTexts } from './texts.ts'
import { SessionTitle } from './session-title.tsx'
import { StatusTag } from './status-tag.tsx'
import { useSessionActions } from './use-session-actions.ts'

export function SessionTopbar({ session }: { session: Session }) {
  const t = useTexts(sessionTexts)
  const { untitled, cancel } = useTexts(appTexts)
  const [isRenaming, setRenaming] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const [dialog, setDialog] = useState<SessionDialog>()
  useTitle(session.title || untitled)
  const { rename, remove, items } = useSessionActions(session, {
    onRename: () => setRenaming(true),
    onDelete: () => setDeleting(true),
    onDialog: setDialog,
  })
  return (
    <Topbar>
      {session.parentId !== undefined && <Parent sessionId={session.parentId} />}
      <SessionTitle
        key={session.id}
        session={session}
        isRenaming={isRenaming}
        onRenaming={setRenaming}
        onRename={rename}
      />
      {session.bgStatus && <StatusTag status={session.bgStatus} isDegraded={session.bgDegraded} />}
      {session.archivedAt && <Tag>{t.archived}</Tag>}
      <div className="flex-1" />
      <Menu
        trigger={
          <IconButton label={t.sessionMenu}>
            <EllipsisVertical />
          </IconButton>
        }
        items={items}
      />
      {dialog && (
        <Suspense>
          <LazyView load={dialog.load} session={session} onClose={() => setDialog(undefined)} />
        </Suspense>
      )}
      {isDeleting && (
        <Dialog
          title={t.deleteTitle}
          onClose={() => setDeleting(false)}
          actions={
            <>
              <Button onClick={() => setDeleting(false)}>{cancel}</Button>
              <Button variant="danger" onClick={remove}>
                {t.deleteConfirm}
              </Button>
            </>
          }
        >
          <p>{t.deleteText(session.title || untitled)}</p>
        </Dialog>
      )}
    </Topbar>
  )
}

/** The way back to the session that started this one. */
function Parent({ sessionId }: { sessionId: string }) {
  const t = useTexts(sessionTexts)
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery(sessionQuery(client, sessionId, scope))
  const placeOf = useSessionPlace()
  const path = data && placeOf(data)?.path
  const className = 'min-w-0 truncate text-muted hover:text-text hover:underline'
  const title = <bdi>{data?.title || t.parentUntitled}</bdi>
  return (
    <nav
      aria-label={t.parent}
      className="flex max-w-2/5 min-w-0 shrink-0 items-center gap-1 text-sm max-sm:max-w-1/4"
    >
      {path === undefined ? (
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId }}
          search={((before: object) => ({ ...before, message: undefined })) as never}
          className={className}
        >
          {title}
        </Link>
      ) : (
        <Link
          to={path as string}
          search={
            ((before: Record<string, unknown>) => ({ scope: before.scope, dock: before.dock })) as never
          }
          className={className}
        >
          {title}
        </Link>
      )}
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </nav>
  )
}

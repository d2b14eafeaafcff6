import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, EllipsisVertical } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { keys } from '../api/keys.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../app/app-texts.ts'
import { useTexts } from '../app/texts.ts'
import { Topbar } from '../app/topbar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/lazy-panes.tsx'
import { Menu } from '../ui/menu.tsx'
import { Tag } from '../ui/tag.tsx'
import { useTitle } from '../ui/use-title.ts'
import { pathOfPlace, placeOf } from '../workflows/session-place.ts'
import { WorkflowLink } from '../workflows/workflow-link.tsx'
import { sessionTexts } from './session-texts.ts'
import { SessionTitle } from './session-title.tsx'
import { StatusTag } from './status-tag.tsx'
import { useSessionActions } from './use-session-actions.ts'

const BindPlan = lazy(async () => ({
  default: (await import('../plans/session/bind-plan.tsx')).BindPlan,
}))

export function SessionTopbar({ session }: { session: Session }) {
  const t = useTexts(sessionTexts)
  const { untitled, cancel } = useTexts(appTexts)
  const [isRenaming, setRenaming] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const [isBinding, setBinding] = useState(false)
  useTitle(session.title || untitled)
  const { rename, remove, items } = useSessionActions(session, {
    onRename: () => setRenaming(true),
    onDelete: () => setDeleting(true),
    onPlan: () => setBinding(true),
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
      {isBinding && (
        <Suspense>
          <BindPlan session={session} onClose={() => setBinding(false)} />
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
  const { data } = useQuery({
    queryKey: keys.session(sessionId),
    queryFn: () => client.sessions.get(sessionId, { scope }),
  })
  const place = data && placeOf(data)
  const path = place && pathOfPlace(place)
  const className = 'min-w-0 truncate text-muted hover:text-text hover:underline'
  const title = <bdi>{data?.title || t.parentUntitled}</bdi>
  return (
    <nav
      aria-label={t.parent}
      className="flex max-w-2/5 min-w-0 shrink-0 items-center gap-1 text-sm max-sm:max-w-1/4"
    >
      {path === undefined ? (
        <Link
          to={'/sessions/$sessionId' as string}
          params={{ sessionId } as never}
          search={((before: object) => ({ ...before, message: undefined })) as never}
          className={className}
        >
          {title}
        </Link>
      ) : (
        <WorkflowLink to={path} className={className}>
          {title}
        </WorkflowLink>
      )}
      <ChevronRight aria-hidden className="size-4 shrink-0 text-muted" />
    </nav>
  )
}

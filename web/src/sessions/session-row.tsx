import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Archive, ArchiveRestore, EllipsisVertical, ListTree, Pencil, Trash2 } from 'lucide-react'
import type { SessionListItem } from '../../../src/client/index.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { useUnread } from './unread.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { RenameBox } from './rename-box.tsx'
import { SessionStatus } from './session-status.tsx'
import { sidebarTexts } from './texts.ts'
import { UnreadDot } from './unread-dot.tsx'

interface Props {
  session: SessionListItem
  /** In the order of Tab; one row of a list is. */
  isActive: boolean
  isRenaming: boolean
  onPick?(): void
  onRename(): void
  onRenamed(title: string | undefined): void
  onArchive(): void
  onDelete(): void
}

export function SessionRow({ session, isActive, isRenaming, onPick, onRenamed, ...deeds }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(sidebarTexts)
  const { untitled } = useTexts(appTexts)
  const isUnread = useUnread(({ sessions }) => sessions.some(({ id }) => id === session.id))
  const title = session.title || untitled
  return (
    <div className="group relative px-2">
      <Link
        to="/sessions/$sessionId"
        params={{ sessionId: session.id }}
        search={keepSearch()}
        activeOptions={{ includeSearch: false }}
        tabIndex={isActive ? 0 : -1}
        onClick={onPick}
        className={clsx(
          'block rounded-md px-2 py-1 hover:bg-hover focus-visible:outline-offset-[-2px] data-[status=active]:bg-selected',
          isRenaming && 'invisible',
        )}
      >
        <span className="flex items-center gap-1.5 pr-6">
          {isUnread && <UnreadDot />}
          <bdi className={clsx('truncate text-sm', isUnread && 'font-semibold')}>{title}</bdi>
        </span>
        <span className="flex h-[22px] items-center gap-1.5 overflow-hidden text-xs text-muted">
          <RelativeTime time={session.updatedAt} className="shrink-0 whitespace-nowrap" />
          {/* of a room these are the seats of its agents */}
          {(session.childCount ?? 0) > 0 && session.agents === undefined && (
            <span className="flex shrink-0 items-center gap-0.5" title={t.children(session.childCount!)}>
              <ListTree aria-hidden className="size-3" />
              <span aria-hidden>{session.childCount}</span>
              <span className="sr-only">{t.children(session.childCount!)}</span>
            </span>
          )}
          <SessionStatus session={session} />
        </span>
      </Link>
      {isRenaming && (
        <div className="absolute inset-x-3 top-1">
          <RenameBox title={session.title} onDone={onRenamed} />
        </div>
      )}
      <SessionMenu session={session} title={title} isActive={isActive} {...deeds} />
    </div>
  )
}

interface MenuProps extends Pick<Props, 'session' | 'isActive' | 'onRename' | 'onArchive' | 'onDelete'> {
  title: string
}

function SessionMenu({ session, title, isActive, onRename, onArchive, onDelete }: MenuProps) {
  const t = useTexts(sidebarTexts)
  const isArchived = session.archivedAt !== undefined
  return (
    <Menu
      trigger={
        <IconButton
          size="small"
          label={t.menu(title)}
          tabIndex={isActive ? 0 : -1}
          data-row-menu
          className="absolute! top-0.5 right-2.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 data-popup-open:opacity-100 pointer-coarse:opacity-100"
        >
          <EllipsisVertical />
        </IconButton>
      }
      items={[
        { name: 'rename', label: t.rename, icon: Pencil, shortcut: 'F2', perform: onRename },
        {
          name: 'archive',
          label: isArchived ? t.unarchive : t.archive,
          icon: isArchived ? ArchiveRestore : Archive,
          shortcut: 'A',
          perform: onArchive,
        },
        {
          name: 'delete',
          label: t.delete,
          icon: Trash2,
          shortcut: 'Del',
          isDangerous: true,
          perform: onDelete,
        },
      ]}
    />
  )
}

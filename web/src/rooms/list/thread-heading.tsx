import { Archive, ArchiveRestore, EllipsisVertical, Pencil, Plus, Trash2 } from 'lucide-react'
import type { Thread } from '../../../../src/core/protocol/thread.ts'
import { useTexts } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Tag } from '../../ui/tag.tsx'
import { roomListTexts } from '../texts.ts'

interface Props {
  id: string
  slug?: string
  thread?: Thread
  count: number
  onAdd(): void
  onRename(): void
  onArchive(): void
  onUnarchive(): void
  onDelete(): void
}

/** What rooms are grouped by, with how many there are, and what can be done with the group. */
export function ThreadHeading({ id, slug, thread, count, ...deeds }: Props) {
  const t = useTexts(roomListTexts)
  const title = thread?.title || slug
  const isArchived = thread?.archivedAt !== undefined
  return (
    <div className="flex min-h-8 items-center gap-2">
      <h2 id={id} className="min-w-0 truncate text-sm font-semibold">
        <bdi>{title ?? t.noThread}</bdi>
      </h2>
      <span className="shrink-0 text-xs text-muted">{t.roomCount(count)}</span>
      {isArchived && <Tag title={thread.archiveReason}>{t.archived}</Tag>}
      {thread && (
        <Menu
          trigger={
            <IconButton size="small" label={t.threadActions(title ?? '')}>
              <EllipsisVertical />
            </IconButton>
          }
          items={[
            { name: 'add', label: t.newRoomIn, icon: Plus, isDisabled: isArchived, perform: deeds.onAdd },
            { name: 'rename', label: t.rename, icon: Pencil, perform: deeds.onRename },
            isArchived
              ? { name: 'unarchive', label: t.unarchive, icon: ArchiveRestore, perform: deeds.onUnarchive }
              : { name: 'archive', label: t.archive, icon: Archive, perform: deeds.onArchive },
            ...(isArchived
              ? [
                  {
                    name: 'delete',
                    label: t.delete,
                    icon: Trash2,
                    isDangerous: true,
                    perform: deeds.onDelete,
                  },
                ]
              : []),
          ]}
        />
      )}
    </div>
  )
}

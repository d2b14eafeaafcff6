import { Archive, ArchiveRestore, EllipsisVertical, MessagesSquare, Trash2 } from 'lucide-react'
import type { SessionListItem } from '../../../../src/client/index.ts'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import type { RoomMode } from '../../../../src/extensions/room/protocol/room.ts'
import { appTexts } from '../../shell/shell-texts.ts'
import { useLanguage, useTexts } from '../../shell/texts.ts'
import { useOpenSession } from '../../session/use-open-session.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SessionLink } from '../../ui/session-link.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Avatar } from '../avatar.tsx'
import { roomListTexts } from '../texts.ts'

interface Props {
  room: SessionListItem
  mode?: RoomMode
  agents: ReadonlyMap<string, Agent>
  onArchive(): void
  onUnarchive(): void
  onDelete(): void
}

// more faces than these say no more
const maxFaces = 6

export function RoomRow({ room, mode, agents, onArchive, onUnarchive, onDelete }: Props) {
  const t = useTexts(roomListTexts)
  const { untitled } = useTexts(appTexts)
  const language = useLanguage()
  const open = useOpenSession()
  const title = room.title || untitled
  const names = room.agents ?? []
  const isArchived = room.archivedAt !== undefined
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <span aria-hidden className="w-6 shrink-0 pt-0.5 text-center text-lg leading-6">
        {mode?.icon ?? '💬'}
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <SessionLink
            sessionId={room.id}
            className="line-clamp-2 min-w-0 font-medium text-text! no-underline! hover:underline!"
          >
            <bdi>{title}</bdi>
          </SessionLink>
          {room.chatStatus === 'chatting' && <Tag state="running">{t.running}</Tag>}
        </div>
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <span>{mode?.label[language] ?? room.mode}</span>
          <span className="flex items-center gap-1">
            <span className="flex -space-x-1.5">
              {names.slice(0, maxFaces).map((name) => (
                <Avatar key={name} agent={agents.get(name) ?? { name }} size="small" />
              ))}
            </span>
            {t.agentCount(names.length)}
          </span>
          <span>
            {t.changed} <RelativeTime time={room.updatedAt} />
          </span>
          {isArchived && room.archiveReason && (
            <bdi className="min-w-0 wrap-anywhere">{t.archivedFor(room.archiveReason)}</bdi>
          )}
        </div>
      </div>
      <Menu
        trigger={
          <IconButton size="small" label={t.actionsOf(title)}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          { name: 'open', label: t.open, icon: MessagesSquare, perform: () => open(room.id) },
          isArchived
            ? { name: 'unarchive', label: t.unarchive, icon: ArchiveRestore, perform: onUnarchive }
            : { name: 'archive', label: t.archive, icon: Archive, perform: onArchive },
          { name: 'delete', label: t.delete, icon: Trash2, isDangerous: true, perform: onDelete },
        ]}
      />
    </li>
  )
}

import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Columns3, EllipsisVertical, Rows3, Shuffle, UsersRound } from 'lucide-react'
import { useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { setPreferences, usePreferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'
import { Topbar } from '../shell/topbar.tsx'
import { sessionTexts } from '../session/texts.ts'
import { SessionTitle } from '../session/session-title.tsx'
import { useSessionActions } from '../session/use-session-actions.ts'
import { IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/lazy-panes.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Tag } from '../ui/tag.tsx'
import { useTitle } from '../ui/use-title.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { ArchiveDialog } from './forms/archive-dialog.tsx'
import { roomTexts } from './texts.ts'

interface Props {
  session: Session
  onSettings(): void
  onSwitch(): void
}

export function RoomTopbar({ session, onSettings, onSwitch }: Props) {
  const t = useTexts(roomTexts)
  const words = useTexts(sessionTexts)
  const { untitled } = useTexts(appTexts)
  const scope = useScope()
  const { sessions } = useClient()
  const queries = useQueryClient()
  const goTo = useGoTo()
  const layout = usePreferences(({ roomLayout = 'columns' }) => roomLayout)
  const [form, setForm] = useState<'rename' | 'delete' | 'archive'>()
  const close = () => setForm(undefined)
  const title = session.title || untitled
  useTitle(title)
  const { rename, remove, items } = useSessionActions(session, {
    onRename: () => setForm('rename'),
    onDelete: () => setForm('delete'),
  })
  const own: MenuItem[] = [
    { name: 'settings', label: t.settings, icon: UsersRound, perform: onSettings },
    { name: 'mode', label: t.switchMode, icon: Shuffle, perform: onSwitch },
  ]
  const others = items.map((item) =>
    item.name === 'archive' && session.archivedAt === undefined
      ? { ...item, label: t.archive, perform: () => setForm('archive') }
      : item,
  )
  return (
    <Topbar>
      <IconButton label={t.backToAll} onClick={() => goTo('/rooms')}>
        <ArrowLeft />
      </IconButton>
      <SessionTitle
        key={session.id}
        session={session}
        isRenaming={form === 'rename'}
        onRenaming={(isRenaming) => setForm(isRenaming ? 'rename' : undefined)}
        onRename={rename}
      />
      {session.archivedAt && <Tag title={session.archiveReason}>{words.archived}</Tag>}
      <div className="flex-1" />
      <IconButton
        label={layout === 'columns' ? t.stacked : t.columns}
        className="max-sm:hidden"
        onClick={() => setPreferences({ roomLayout: layout === 'columns' ? 'stacked' : 'columns' })}
      >
        {layout === 'columns' ? <Rows3 /> : <Columns3 />}
      </IconButton>
      <Menu
        trigger={
          <IconButton label={words.sessionMenu}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[...own, ...others]}
      />
      {form === 'archive' && (
        <ArchiveDialog
          title={title}
          archive={(reason) => sessions.update(session.id, { scope, archived: true, archiveReason: reason })}
          onDone={() => void queries.invalidateQueries({ queryKey: sessionKeys.session(session.id) })}
          onClose={close}
        />
      )}
      {form === 'delete' && (
        <ConfirmDialog
          title={words.deleteTitle}
          label={words.deleteConfirm}
          onConfirm={remove}
          onClose={close}
        >
          <p>{words.deleteText(title)}</p>
        </ConfirmDialog>
      )}
    </Topbar>
  )
}

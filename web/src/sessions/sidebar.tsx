import { Tabs as BaseTabs } from '@base-ui/react/tabs'
import { Archive, ArchiveRestore, EllipsisVertical, FileInput } from 'lucide-react'
import { useRef } from 'react'
import { useScope } from '../api/scope.ts'
import { ActionButton } from '../shell/action-button.tsx'
import { usePerform, useShortcut } from '../shell/actions-provider.tsx'
import { actionNamed } from '../shell/actions.ts'
import { useContributions } from '../shell/features-context.tsx'
import { useSearchState } from '../shell/search-state.ts'
import { useName, useTexts } from '../shell/texts.ts'
import { useUnread } from './unread.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { sessionGroups, type SessionGroup } from './session-group.ts'
import { SessionSearch } from './session-search.tsx'
import { SessionsPane } from './sessions-pane.tsx'
import { SidebarFoot } from './sidebar-foot.tsx'
import { sidebarTexts } from './texts.ts'
import { UnreadDot } from './unread-dot.tsx'
import { useSessionDeeds } from './use-session-deeds.ts'

interface Props {
  /** Something was chosen: where the list covers the page, it goes away. */
  onPick?(): void
}

/** Which sessions are shown is in the URL, so that going back and links show the same. */
export function Sidebar({ onPick }: Props) {
  const t = useTexts(sidebarTexts)
  const scope = useScope()
  const [search, setSearch] = useSearchState<'list' | 'find' | 'archived'>()
  const group = sessionGroups.find((name) => name === search.list) ?? 'mine'
  const isArchived = search.archived === 'only'
  const hasUnreadTasks = useUnread(({ sessions }) => sessions.some(({ isTask }) => isTask))
  return (
    <>
      <SidebarHead
        isArchived={isArchived}
        onArchived={() => setSearch({ archived: isArchived ? undefined : 'only' })}
        isCovering={onPick !== undefined}
      />
      <SessionSearch
        value={search.find ?? ''}
        onChange={(words) => setSearch({ find: words || undefined }, { replace: true })}
      />
      <BaseTabs.Root
        value={group}
        onValueChange={(next: SessionGroup) => setSearch({ list: next === 'mine' ? undefined : next })}
        className="flex min-h-0 flex-1 flex-col"
      >
        <BaseTabs.List
          aria-label={t.groupsLabel}
          className="mx-2 mb-1 flex shrink-0 gap-0.5 rounded-md border border-line bg-page p-0.5"
        >
          {sessionGroups.map((name) => (
            <BaseTabs.Tab
              key={name}
              value={name}
              className="flex min-w-0 flex-auto items-center justify-center gap-1.5 rounded px-1 py-0.5 text-sm text-muted data-active:bg-selected data-active:text-text"
            >
              <span className="truncate">{t.groups[name]}</span>
              {name === 'background' && name !== group && hasUnreadTasks && <UnreadDot />}
            </BaseTabs.Tab>
          ))}
        </BaseTabs.List>
        {isArchived && (
          <p className="flex items-center gap-1.5 px-4 pb-1 text-xs text-muted">
            <Archive aria-hidden className="size-3" />
            {t.archivedShown}
          </p>
        )}
        {sessionGroups.map((name) => (
          <BaseTabs.Panel key={name} value={name} tabIndex={-1} className="min-h-0 flex-1 outline-none">
            <SessionsPane
              filter={{ scope, group: name, archived: isArchived, find: search.find || undefined }}
              onPick={onPick}
            />
          </BaseTabs.Panel>
        ))}
      </BaseTabs.Root>
      <SidebarFoot onPick={onPick} />
    </>
  )
}

interface HeadProps {
  isArchived: boolean
  onArchived(): void
  /** Then the button that closes it is at the end of this line. */
  isCovering: boolean
}

function SidebarHead({ isArchived, onArchived, isCovering }: HeadProps) {
  const t = useTexts(sidebarTexts)
  const nameOf = useName()
  const perform = usePerform()
  const { aria } = useShortcut('newSession')
  const deeds = useSessionDeeds()
  const starts = useSessionStarts()
  const files = useRef<HTMLInputElement>(null)
  const { icon: NewIcon, label } = actionNamed('newSession')
  return (
    <div className={`flex h-11 shrink-0 items-center gap-1 pl-2 ${isCovering ? 'pr-12' : 'pr-2'}`}>
      <Button
        aria-keyshortcuts={aria}
        onClick={() => perform('newSession')}
        className="min-w-0 flex-1 justify-start!"
        size="small"
      >
        <NewIcon aria-hidden />
        <span className="truncate">{nameOf(label)}</span>
      </Button>
      <ActionButton action="palette" size="small" />
      <Menu
        trigger={
          <IconButton size="small" label={t.options}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          ...starts,
          {
            name: 'import',
            label: t.import,
            icon: FileInput,
            perform: () => files.current?.click(),
          },
          {
            name: 'archived',
            label: isArchived ? t.hideArchived : t.showArchived,
            icon: isArchived ? ArchiveRestore : Archive,
            perform: onArchived,
          },
        ]}
      />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        accept=".json,.jsonl,.ndjson,.yaml,.yml,.md,.markdown,.txt,.log"
        onChange={({ target }) => {
          void deeds.importFiles([...(target.files ?? [])])
          // the same file can be chosen again
          target.value = ''
        }}
      />
    </div>
  )
}

/** Other ways to begin a session, as entries of the menu. */
function useSessionStarts() {
  const nameOf = useName()
  // oxlint-disable-next-line react/rules-of-hooks -- the list stays as it is
  return useContributions('sessionStarts').map(({ name, label, icon, useStart }) => ({
    name,
    label: nameOf(label),
    icon,
    // oxlint-disable-next-line react/rules-of-hooks -- the list stays as it is
    perform: useStart(),
  }))
}

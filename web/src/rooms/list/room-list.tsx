import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { SessionListItem } from '../../../../src/client/index.ts'
import type { Thread } from '../../../../src/core/protocol/thread.ts'
import { useClient } from '../../api/api.tsx'
import { useScope } from '../../api/scope.ts'
import { appTexts } from '../../shell/shell-texts.ts'
import { useTexts } from '../../shell/texts.ts'
import { ConfirmDeed } from '../../ui/confirm-deed.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ArchiveDialog } from '../forms/archive-dialog.tsx'
import { useAgents, useModes } from '../use-agents.ts'
import { roomListTexts } from '../texts.ts'
import { RenameThread } from './rename-thread.tsx'
import type { RoomGroup } from './room-groups.ts'
import { RoomRow } from './room-row.tsx'
import { ThreadHeading } from './thread-heading.tsx'

interface Props {
  groups: readonly RoomGroup[]
  onAdd(thread: string): void
}

type Form =
  | { kind: 'archive'; room: SessionListItem }
  | { kind: 'delete'; room: SessionListItem }
  | { kind: 'archive-thread'; thread: Thread }
  | { kind: 'delete-thread'; thread: Thread }
  | { kind: 'rename-thread'; thread: Thread }

/** Rooms in their threads, with what can be done with each. */
export function RoomList({ groups, onAdd }: Props) {
  const { data: modes } = useModes()
  const { data: agentPage } = useAgents()
  const agents = useMemo(
    () => new Map((agentPage?.items ?? []).map((agent) => [agent.name, agent])),
    [agentPage],
  )
  const [form, setForm] = useState<Form>()
  const { unarchiveRoom, unarchiveThread } = useUnarchive()
  return (
    <>
      {groups.map(({ slug, thread, rooms }) => {
        const id = `thread-${slug ?? ''}`
        return (
          <section key={slug ?? ''} aria-labelledby={id} className="flex flex-col gap-1">
            {(groups.length > 1 || slug !== undefined) && (
              <ThreadHeading
                id={id}
                slug={slug}
                thread={thread}
                count={Math.max(rooms.length, thread?.sessionCount ?? 0)}
                onAdd={() => onAdd(slug ?? '')}
                onRename={() => thread && setForm({ kind: 'rename-thread', thread })}
                onArchive={() => thread && setForm({ kind: 'archive-thread', thread })}
                onUnarchive={() => thread && unarchiveThread(thread.slug)}
                onDelete={() => thread && setForm({ kind: 'delete-thread', thread })}
              />
            )}
            {rooms.length > 0 && (
              <ul aria-labelledby={id} className="divide-y divide-line rounded-lg border border-line">
                {rooms.map((room) => (
                  <RoomRow
                    key={room.id}
                    room={room}
                    mode={modes?.find(({ name }) => name === room.mode)}
                    agents={agents}
                    onArchive={() => setForm({ kind: 'archive', room })}
                    onUnarchive={() => unarchiveRoom(room.id)}
                    onDelete={() => setForm({ kind: 'delete', room })}
                  />
                ))}
              </ul>
            )}
          </section>
        )
      })}
      {form && <Forms form={form} onClose={() => setForm(undefined)} />}
    </>
  )
}

function Forms({ form, onClose }: { form: Form; onClose(): void }) {
  const t = useTexts(roomListTexts)
  const { untitled } = useTexts(appTexts)
  const { sessions, threads } = useClient()
  const scope = useScope()
  const refresh = useRefresh()
  const dialog = { onDone: refresh, onClose }
  if (form.kind === 'rename-thread') return <RenameThread thread={form.thread} onClose={onClose} />
  if (form.kind === 'archive-thread') {
    const { slug, title } = form.thread
    return (
      <ArchiveDialog
        {...dialog}
        title={title || slug}
        archive={(reason) => threads.update(slug, { scope, archived: true, reason })}
      />
    )
  }
  if (form.kind === 'delete-thread') {
    const { slug, title } = form.thread
    return (
      <ConfirmDeed
        {...dialog}
        title={t.deleteThread(title || slug)}
        label={t.deleteConfirm}
        failure={t.failed}
        deed={() => threads.delete(slug, { scope })}
      >
        <p>{t.deleteThreadText}</p>
      </ConfirmDeed>
    )
  }
  const { id, title } = form.room
  if (form.kind === 'archive')
    return (
      <ArchiveDialog
        {...dialog}
        title={title || untitled}
        archive={(reason) => sessions.update(id, { scope, archived: true, archiveReason: reason })}
      />
    )
  return (
    <ConfirmDeed
      {...dialog}
      title={t.deleteTitle(title || untitled)}
      label={t.deleteConfirm}
      failure={t.failed}
      deed={() => sessions.delete(id, { scope })}
    >
      <p>{t.deleteText}</p>
    </ConfirmDeed>
  )
}

function useRefresh(): () => void {
  const queries = useQueryClient()
  return () => {
    void queries.invalidateQueries({ queryKey: ['sessions'] })
    void queries.invalidateQueries({ queryKey: ['threads'] })
  }
}

function useUnarchive() {
  const t = useTexts(roomListTexts)
  const { sessions, threads } = useClient()
  const scope = useScope()
  const toast = useToast()
  const refresh = useRefresh()
  const { mutate } = useMutation({
    mutationFn: (deed: () => Promise<unknown>) => deed(),
    onSuccess: refresh,
    onError: ({ message }) => toast({ title: t.failed, description: message }),
  })
  return {
    unarchiveRoom: (id: string) => mutate(() => sessions.update(id, { scope, archived: false })),
    unarchiveThread: (slug: string) => mutate(() => threads.update(slug, { scope, archived: false })),
  }
}

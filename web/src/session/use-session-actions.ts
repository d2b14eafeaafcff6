import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Download, Link, Pencil, Trash2 } from 'lucide-react'
import type { Session } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import type { SessionDialog } from '../shell/define-web.ts'
import { useContributions } from '../shell/features-context.tsx'
import type { ShellSearch } from '../shell/shell-search.ts'
import { useName, useTexts } from '../shell/texts.ts'
import type { MenuItem } from '../ui/menu.tsx'
import { useToast } from '../ui/toast.tsx'
import { forgetUnsent } from './composer/use-unsent.ts'
import { sessionLink } from './session-link.ts'
import { sessionTexts } from './texts.ts'

interface Options {
  onRename(): void
  onDelete(): void
  /** One of those that features have for sessions; without it there are none. */
  onDialog?(dialog: SessionDialog): void
}

interface SessionActions {
  rename(title: string): void
  remove(): void
  items: MenuItem[]
}

const formats = [
  { name: 'json', label: 'JSON', ending: 'json', type: 'application/json' },
  { name: 'markdown', label: 'Markdown', ending: 'md', type: 'text/markdown' },
  { name: 'yaml', label: 'YAML', ending: 'yaml', type: 'application/yaml' },
  { name: 'jsonl', label: 'JSONL', ending: 'jsonl', type: 'application/jsonl' },
] as const

export function useSessionActions(
  session: Session,
  { onRename, onDelete, onDialog }: Options,
): SessionActions {
  const t = useTexts(sessionTexts)
  const { sessions } = useClient()
  const queries = useQueryClient()
  const scope = useScope()
  const navigate = useNavigate()
  const toast = useToast()
  const nameOf = useName()
  const dialogs = useContributions('sessionDialogs')
  const { id } = session

  const attempt = (deed: () => Promise<void>) => () =>
    void deed().catch((error: unknown) =>
      toast({ title: t.actionFailed, description: error instanceof Error ? error.message : String(error) }),
    )
  const change = async (patch: { title?: string; archived?: boolean }) => {
    queries.setQueryData(sessionKeys.session(id), await sessions.update(id, { scope, ...patch }))
  }
  const save = async ({ name, ending, type }: (typeof formats)[number]) =>
    download(await sessions.export(id, { scope, format: name }), `${fileNameOf(session)}.${ending}`, type)

  const isArchived = session.archivedAt !== undefined
  return {
    rename: (title) => attempt(() => change({ title }))(),
    remove: attempt(async () => {
      await sessions.delete(id, { scope })
      forgetUnsent(scope, id)
      await navigate({
        to: '/',
        search: (before: ShellSearch) => ({ ...before, message: undefined }),
      })
      queries.removeQueries({ queryKey: sessionKeys.session(id) })
    }),
    items: [
      { name: 'rename', label: t.rename, icon: Pencil, perform: onRename },
      {
        name: 'copy-link',
        label: t.copyLink,
        icon: Link,
        perform: attempt(async () => {
          await navigator.clipboard.writeText(sessionLink(id))
          toast({ title: t.linkCopied })
        }),
      },
      ...dialogs
        .filter(({ appliesTo }) => onDialog && appliesTo(session))
        .map((dialog) => ({
          name: dialog.name,
          label: nameOf(dialog.label),
          icon: dialog.icon,
          perform: () => onDialog?.(dialog),
        })),
      ...formats.map((format) => ({
        name: `export-${format.name}`,
        label: t.exportAs(format.label),
        icon: Download,
        perform: attempt(() => save(format)),
      })),
      {
        name: 'archive',
        label: isArchived ? t.unarchive : t.archive,
        icon: isArchived ? ArchiveRestore : Archive,
        perform: attempt(() => change({ archived: !isArchived })),
      },
      { name: 'delete', label: t.delete, icon: Trash2, isDangerous: true, perform: onDelete },
    ],
  }
}

/** The title, as far as it can be the name of a file anywhere. */
const fileNameOf = ({ title, id }: Session) =>
  title
    .replace(/[\s\p{Cc}\p{Cf}\\/:*?"<>|]+/gu, ' ')
    .trim()
    .slice(0, 80) || id

function download(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // the browser has taken it by then
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

import { FileText, X } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import type { Attachment } from './attachments.ts'
import { composerTexts } from '../texts.ts'

interface Props {
  attachments: readonly Attachment[]
  onRemove(id: string): void
}

export function AttachmentChips({ attachments, onRemove }: Props) {
  const t = useTexts(composerTexts)
  if (attachments.length === 0) return null
  return (
    <ul aria-label={t.attachments} className="flex flex-wrap gap-1.5 px-2 pt-2">
      {attachments.map(({ id, name, mediaType, url, bytes }) => (
        <li
          key={id}
          className="flex max-w-full min-w-0 items-center gap-1.5 rounded-md border border-line bg-surface py-0.5 pr-0.5 pl-1.5 text-sm"
        >
          {mediaType.startsWith('image/') ? (
            <img src={url} alt="" className="size-6 shrink-0 rounded object-cover" />
          ) : (
            <FileText aria-hidden className="size-4 shrink-0 text-muted" />
          )}
          <bdi className="max-w-48 min-w-0 truncate" title={name}>
            {name}
          </bdi>
          <span className="shrink-0 text-xs text-muted">{toSize(bytes)}</span>
          <button
            type="button"
            aria-label={t.removeAttachment(name)}
            onClick={() => onRemove(id)}
            className="shrink-0 rounded p-1 hover:bg-hover"
          >
            <X aria-hidden className="size-4" />
          </button>
        </li>
      ))}
    </ul>
  )
}

const toSize = (bytes: number) =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`

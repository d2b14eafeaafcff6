import { ArrowDown, ArrowUp, Pencil, X, Zap } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { controlStyle } from '../../ui/field.tsx'
import { isComposing, onEnter } from '../../ui/on-enter.ts'
import { Tag } from '../../ui/tag.tsx'
import { composerTexts } from '../texts.ts'
import type { Waiting } from './use-queue.ts'

interface Props {
  item: Waiting
  place: number
  count: number
  /** Whether a turn goes on that could take it in. */
  canSteer: boolean
  onEdit(text: string): void
  onRemove(): void
  onMove(by: -1 | 1): void
  onSendNow(): void
}

export function QueueItem({ item, place, count, canSteer, onEdit, onRemove, onMove, onSendNow }: Props) {
  const t = useTexts(composerTexts)
  const [isEditing, setEditing] = useState(false)
  const words = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !isEditing) words.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing)
    return (
      <li>
        <EditForm
          text={item.text}
          onCancel={() => setEditing(false)}
          onSave={(text) => {
            onEdit(text)
            setEditing(false)
          }}
        />
      </li>
    )
  // the server puts the new text in the place of everything, its files included
  const canEdit = item.files === 0
  const onKeyDown = (event: KeyboardEvent) => {
    const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key]
    if (by !== undefined && event.altKey) onMove(by)
    else if (event.key === 'Delete') onRemove()
    else return
    event.preventDefault()
  }
  return (
    <li className="flex items-center gap-1 rounded-md hover:bg-hover">
      <button
        ref={words}
        type="button"
        dir="auto"
        aria-label={`${t.queuePlace(place, count)}: ${item.text}`}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown Delete"
        onKeyDown={onKeyDown}
        onClick={() => canEdit && setEditing(true)}
        className="line-clamp-2 min-w-0 flex-1 rounded-md px-2 py-0.5 text-left whitespace-pre-wrap -outline-offset-2!"
      >
        {item.text}
      </button>
      {item.files > 0 && <Tag>{t.queueFiles(item.files)}</Tag>}
      <span className="flex shrink-0">
        {canSteer && (
          <IconButton size="small" label={t.sendNow} onClick={onSendNow}>
            <Zap />
          </IconButton>
        )}
        <IconButton size="small" label={t.moveUp} disabled={place === 1} onClick={() => onMove(-1)}>
          <ArrowUp />
        </IconButton>
        <IconButton size="small" label={t.moveDown} disabled={place === count} onClick={() => onMove(1)}>
          <ArrowDown />
        </IconButton>
        {canEdit && (
          <IconButton size="small" label={t.edit} onClick={() => setEditing(true)}>
            <Pencil />
          </IconButton>
        )}
        <IconButton size="small" label={t.remove} onClick={onRemove}>
          <X />
        </IconButton>
      </span>
    </li>
  )
}

interface EditProps {
  text: string
  onSave(text: string): void
  onCancel(): void
}

function EditForm({ text, onSave, onCancel }: EditProps) {
  const t = useTexts(composerTexts)
  const [value, setValue] = useState(text)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current!.focus(), [])
  const save = () => (value.trim() === '' ? onCancel() : onSave(value))
  return (
    <div className="flex flex-col gap-1 p-1">
      <textarea
        ref={area}
        aria-label={t.edit}
        rows={Math.min(6, value.split('\n').length)}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !isComposing(event)) onCancel()
          else onEnter(save)(event)
        }}
        className={controlStyle}
      />
      <div className="flex justify-end gap-1">
        <Button size="small" variant="ghost" onClick={onCancel}>
          {t.cancel}
        </Button>
        <Button size="small" variant="primary" onClick={save}>
          {t.save}
        </Button>
      </div>
    </div>
  )
}

import { clsx } from 'clsx'
import { Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Memory } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { classForLongWords } from '../markdown/long-words.ts'
import { IconButton } from '../ui/button.tsx'
import { useAfterCommit } from '../ui/use-after-commit.ts'
import { MemoryEdit } from './memory-edit.tsx'
import { MemoryFacts } from './memory-facts.tsx'
import { memoryTexts } from './texts.ts'
import { useMemoryDeeds } from './use-memory-deeds.ts'
import { useRowFocus } from './use-row-focus.ts'

/** One memory, what is known about it, and what can be done with it. */
export function MemoryRow({ memory }: { memory: Memory }) {
  const t = useTexts(memoryTexts)
  const { text, status, canRestore } = memory
  const row = useRef<HTMLLIElement>(null)
  const [isEdited, setEdited] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const deeds = useMemoryDeeds()
  const afterCommit = useAfterCommit()
  const isDeleted = status === 'deleted'
  const keepFocus = useRowFocus(row, memory)
  const act = async (deed: (memory: Memory) => Promise<boolean>) => {
    if (isBusy) return
    keepFocus()
    setBusy(true)
    await deed(memory)
    setBusy(false)
  }
  const closeEdit = () => {
    setEdited(false)
    afterCommit(() => row.current?.querySelector<HTMLElement>('[data-deed="edit"]')?.focus())
  }
  return (
    <li
      ref={row}
      data-memory={memory.id}
      className="flex min-w-0 flex-col gap-1.5 overflow-hidden rounded-lg border border-line bg-surface p-3"
    >
      {isEdited && !isDeleted ? (
        <MemoryEdit memory={memory} onClose={closeEdit} />
      ) : (
        <div className="flex min-w-0 items-start gap-2">
          <p
            dir="auto"
            className={clsx(
              'min-w-0 flex-1 whitespace-pre-wrap',
              isDeleted && 'text-muted line-through',
              classForLongWords(text),
            )}
          >
            {text}
          </p>
          <div className="-my-0.5 flex shrink-0">
            {canRestore && (
              <IconButton
                size="small"
                data-deed="restore"
                label={isDeleted ? t.restore : t.undoChange}
                aria-disabled={isBusy}
                onClick={() => void act(deeds.restore)}
              >
                <RotateCcw />
              </IconButton>
            )}
            {!isDeleted && (
              <>
                <IconButton size="small" data-deed="edit" label={t.edit} onClick={() => setEdited(true)}>
                  <Pencil />
                </IconButton>
                <IconButton
                  size="small"
                  data-deed="delete"
                  label={t.delete}
                  aria-disabled={isBusy}
                  onClick={() => void act(deeds.remove)}
                >
                  <Trash2 />
                </IconButton>
              </>
            )}
          </div>
        </div>
      )}
      <MemoryFacts memory={memory} />
    </li>
  )
}

import { Undo2 } from 'lucide-react'
import type { Message } from '../../../src/client/index.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'
import type { ChangesByKind } from './use-rollback.ts'

interface Props {
  message: Message
  changes: ChangesByKind
  onRollBack(message: Message): void
}

/** Before a turn that changed something: what, and the way back to before it. */
export function CheckpointMarker({ message, changes, onRollBack }: Props) {
  const t = useTexts(sessionTexts)
  const words = useChangeWords(changes)
  return (
    <div
      data-checkpoint={message.id}
      className="mx-auto flex w-full max-w-3xl min-w-0 items-center gap-2 px-4 pt-3 text-xs text-muted before:h-px before:min-w-4 before:flex-1 before:bg-line after:h-px after:min-w-4 after:flex-1 after:bg-line"
    >
      <span className="min-w-0">
        <span className="max-sm:hidden">{t.checkpoint} · </span>
        {t.changed(words)}
      </span>
      <button
        type="button"
        aria-label={`${t.rollbackHere}: ${words.trim()}`}
        onClick={() => onRollBack(message)}
        className="inline-flex h-6 shrink-0 items-center gap-1 rounded-md px-1.5 font-medium hover:bg-hover hover:text-text"
      >
        <Undo2 aria-hidden className="size-3.5" />
        {t.rollbackHere}
      </button>
    </div>
  )
}

/** "3 files and 1 document". */
function useChangeWords({ file = 0, document = 0, todo_list = 0, ...others }: ChangesByKind): string {
  const t = useTexts(sessionTexts)
  const language = useLanguage()
  const other = Object.values(others).reduce((sum, count) => sum + count, 0)
  const words = [
    file > 0 && t.changedFiles(file),
    document > 0 && t.changedDocuments(document),
    todo_list > 0 && t.changedTodoLists(todo_list),
    other > 0 && t.changedOthers(other),
  ].filter((word) => word !== false)
  return new Intl.ListFormat(localeOf(language)).format(words)
}

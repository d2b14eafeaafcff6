import type { LucideIcon } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'

export interface MessageAction {
  name: string
  label: string
  icon: LucideIcon
  perform(): void
}

/** Seen when the message is pointed at or reached by keyboard; the room for them is always there. */
export function MessageActions({ actions }: { actions: readonly MessageAction[] }) {
  const t = useTexts(sessionTexts)
  return (
    <div
      role="group"
      aria-label={t.actions}
      className="flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-last:opacity-100 pointer-coarse:opacity-100"
    >
      {actions.map(({ name, label, icon: Icon, perform }) => (
        // without our tooltips: there are many of these, and most are never seen
        <button
          key={name}
          data-action={name}
          type="button"
          aria-label={label}
          title={label}
          onClick={perform}
          className="flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
        >
          <Icon aria-hidden className="size-4" />
        </button>
      ))}
    </div>
  )
}

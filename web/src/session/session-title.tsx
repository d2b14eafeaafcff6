import { useRef, useState } from 'react'
import type { Session } from '../../../src/client/index.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { isComposing, onEnter } from '../ui/on-enter.ts'
import { sessionTexts } from './texts.ts'

interface Props {
  session: Session
  isRenaming: boolean
  onRenaming(isRenaming: boolean): void
  onRename(title: string): void
}

// as long as the server takes it
const maxLength = 200

/** The name of the session; pressed, it becomes a box with the name in it. */
export function SessionTitle({ session, isRenaming, onRenaming, onRename }: Props) {
  const t = useTexts(sessionTexts)
  const { untitled } = useTexts(appTexts)
  const [value, setValue] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    onRenaming(false)
    requestAnimationFrame(() => button.current?.focus())
  }
  if (!isRenaming)
    return (
      <h1 className="min-w-0 font-medium">
        <button
          ref={button}
          type="button"
          title={t.rename}
          onClick={() => onRenaming(true)}
          className="block max-w-full truncate rounded-md px-1.5 py-1 hover:bg-hover"
        >
          <bdi>{session.title || untitled}</bdi>
        </button>
      </h1>
    )
  return (
    <input
      // the person asked for this box a moment ago
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      aria-label={t.title}
      dir="auto"
      defaultValue={session.title}
      maxLength={maxLength}
      onFocus={(event) => {
        setValue(session.title)
        event.target.select()
      }}
      onChange={(event) => setValue(event.target.value)}
      onBlur={() => onRenaming(false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isComposing(event)) close()
        onEnter(() => {
          if (value.trim() !== session.title) onRename(value.trim())
          close()
        })(event)
      }}
      className="min-w-0 flex-1 rounded-md border border-line bg-page px-1.5 py-1 font-medium"
    />
  )
}

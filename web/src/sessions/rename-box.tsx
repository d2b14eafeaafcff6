import { useEffect, useRef, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { isComposing, onEnter } from '../ui/on-enter.ts'
import { sidebarTexts } from './texts.ts'

interface Props {
  title: string
  /** Undefined when it stays as it is. */
  onDone(title: string | undefined): void
}

/** In place of the title: Enter or leaving keeps what was written, Escape does not. */
export function RenameBox({ title, onDone }: Props) {
  const t = useTexts(sidebarTexts)
  const [text, setText] = useState(title)
  const isDone = useRef(false)
  // once: a box that goes away also loses the focus
  const finish = (next = text.trim()) => {
    if (isDone.current) return
    isDone.current = true
    onDone(next === '' || next === title ? undefined : next)
  }
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])
  return (
    <input
      aria-label={t.newTitle}
      ref={box}
      maxLength={200}
      value={text}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => finish()}
      onKeyDown={(event) => {
        // the keys of the list are letters here
        event.stopPropagation()
        if (event.key === 'Escape' && !isComposing(event)) finish('')
        else onEnter(() => finish())(event)
      }}
      className="w-full rounded border border-accent bg-page px-1 text-sm outline-none"
    />
  )
}

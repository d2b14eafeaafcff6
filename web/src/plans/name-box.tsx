import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'
import { isComposing, onEnter } from '../ui/on-enter.ts'

interface Props {
  label: string
  name: string
  placeholder?: string
  className?: string
  /** Undefined when it stays as it is; `isEntered` when Enter ended it, and not leaving. */
  onDone(name: string | undefined, isEntered: boolean): void
}

// as long as the server takes it
const maxLength = 500

/** In place of a name: Enter or leaving keeps what was written, Escape does not. */
export function NameBox({ label, name, placeholder, className, onDone }: Props) {
  const [text, setText] = useState(name)
  const isDone = useRef(false)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => box.current?.focus(), [])
  // once: a box that goes away also loses the focus
  const finish = (next: string, isEntered = false) => {
    if (isDone.current) return
    isDone.current = true
    onDone(next === '' || next === name ? undefined : next, isEntered)
  }
  return (
    <input
      ref={box}
      aria-label={label}
      dir="auto"
      maxLength={maxLength}
      placeholder={placeholder}
      value={text}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setText(target.value)}
      onBlur={() => finish(text.trim())}
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        // the keys of the tree are letters here
        event.stopPropagation()
        if (event.key === 'Escape' && !isComposing(event)) finish('')
        else onEnter(() => finish(text.trim(), true))(event)
      }}
      className={clsx('min-w-0 rounded border border-accent bg-page px-1 outline-none', className)}
    />
  )
}

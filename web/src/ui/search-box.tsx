import { clsx } from 'clsx'
import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState, type ComponentProps } from 'react'
import { IconButton } from './button.tsx'

interface Props extends Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'className'> {
  label: string
  clearLabel: string
  value: string
  /** Of the box around it. */
  className?: string
  onChange(words: string): void
}

// long enough that a word is typed and not a letter
const pauseMs = 250

/** Asks when one pauses, and never for half a word of an input method. */
export function SearchBox({ label, clearLabel, value, className, onChange, ...rest }: Props) {
  const [text, setText] = useState(value)
  const [asked, setAsked] = useState(value)
  const [seen, setSeen] = useState(value)
  const isComposing = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const input = useRef<HTMLInputElement>(null)
  const ask = (words: string) => {
    clearTimeout(timer.current)
    setAsked(words.trim())
    onChange(words.trim())
  }
  const askSoon = (words: string) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => ask(words), pauseMs)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  if (value !== seen) {
    setSeen(value)
    // changed by something else, as by going back
    if (value !== asked) setText(value)
  }
  return (
    <div className={clsx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2 size-4 -translate-y-1/2 text-muted"
      />
      <input
        {...rest}
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onCompositionStart={() => {
          isComposing.current = true
        }}
        onCompositionEnd={(event) => {
          isComposing.current = false
          askSoon(event.currentTarget.value)
        }}
        onChange={({ target }) => {
          setText(target.value)
          if (!isComposing.current) askSoon(target.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text !== '' && !isComposing.current) {
            event.preventDefault()
            event.stopPropagation()
            setText('')
            ask('')
          }
        }}
        className="h-8 w-full rounded-md border border-line bg-page pr-8 pl-8 text-sm placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
      />
      {text !== '' && (
        <IconButton
          size="small"
          label={clearLabel}
          className="absolute top-0.5 right-0.5"
          onClick={() => {
            setText('')
            ask('')
            input.current?.focus()
          }}
        >
          <X />
        </IconButton>
      )}
    </div>
  )
}

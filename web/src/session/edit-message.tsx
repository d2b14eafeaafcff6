import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { controlStyle } from '../ui/field.tsx'
import { onEnter } from '../ui/on-enter.ts'
import { sessionTexts } from './texts.ts'

interface Props {
  text: string
  onSend(text: string): Promise<void>
  /** Told what had the focus before; it may be gone by now. */
  onClose(opener: Element | null): void
}

/** The words of a message, in its place. Sending them leaves the message as it is and makes a variant. */
export function EditMessage({ text, onSend, onClose }: Props) {
  const t = useTexts(sessionTexts)
  const { cancel } = useTexts(appTexts)
  const id = useId()
  const [value, setValue] = useState(text)
  // asked before the box takes the focus
  const [opener] = useState(() => document.activeElement)
  const [isSending, setSending] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const canSend = value.trim() !== '' && !isSending
  const send = async () => {
    if (!canSend) return
    setSending(true)
    await onSend(value)
    setSending(false)
  }
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    event.preventDefault()
    onClose(opener)
  }
  return (
    <div className="flex w-full flex-col gap-2">
      <textarea
        ref={box}
        // the person asked for this box a moment ago
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label={t.editLabel}
        aria-describedby={id}
        dir="auto"
        rows={Math.min(12, value.split('\n').length + 1)}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          onEscape(event)
          onEnter(() => void send())(event)
        }}
        className={controlStyle}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p id={id} className="min-w-40 flex-1 text-xs text-muted">
          {t.editHint}
        </p>
        <Button onClick={() => onClose(opener)}>{cancel}</Button>
        <Button variant="primary" disabled={!canSend} onClick={() => void send()}>
          {t.editSend}
        </Button>
      </div>
    </div>
  )
}

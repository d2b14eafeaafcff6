import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
} from 'react'
import { useTexts } from '../../shell/texts.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { isComposing, onEnter } from '../../ui/on-enter.ts'
import { useMediaQuery } from '../../ui/use-media-query.ts'
import { applyOption, findTrigger, type Option } from './completion.ts'
import { composerTexts } from '../texts.ts'
import { OptionList, optionId } from './option-list.tsx'
import { useCompletion, type Mentions } from './use-completion.ts'

interface Props {
  text: string
  onChange(text: string): void
  /** `isOther`: with Alt. */
  onSubmit(isOther: boolean): void
  /** Escape, when it closes nothing. */
  onEscape?(): void
  /** ↑ while there is nothing in it. */
  onEditLast?(): void
  onPaste?(event: ClipboardEvent<HTMLTextAreaElement>): void
  /** The session it belongs to: not offered as something to refer to. */
  sessionId?: string
  /** Who can be meant by an @, before files and sessions; the same function at every render. */
  mentions?: Mentions
  /** In place of the usual words in the empty box, where there is room for them. */
  placeholder?: string
  /** When it appears. */
  takesFocus?: boolean
}

/** The box that messages are typed into: it grows with the text, and completes what begins with `/` or `@`. */
export function TypingArea({ text, onChange, onSubmit, onEscape, onEditLast, onPaste, ...props }: Props) {
  const { sessionId, mentions, placeholder, takesFocus } = props
  const t = useTexts(composerTexts)
  const area = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(text.length)
  const completer = useCompleter({ text, caret, sessionId, mentions })
  const { options, active } = completer
  // on a screen there is no Shift+Enter, so there Enter is a new line
  const isTouch = useMediaQuery('(pointer: coarse)')
  const isNarrow = useMediaQuery('(max-width: 30rem)')

  const nextCaret = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = area.current!
    grow(element, text)
    if (nextCaret.current !== undefined) element.setSelectionRange(nextCaret.current, nextCaret.current)
    nextCaret.current = undefined
  }, [text])
  useEffect(() => {
    if (takesFocus) area.current!.focus()
  }, [takesFocus])

  const pick = (option: Option) => {
    const picked = applyOption(text, completer.trigger!, option)
    nextCaret.current = picked.caret
    setCaret(picked.caret)
    onChange(picked.text)
  }

  const complete = (event: KeyboardEvent): boolean => {
    const option = options[active]
    if (!option) return false
    if (event.key === 'ArrowDown') completer.move(1)
    else if (event.key === 'ArrowUp') completer.move(-1)
    else if (event.key === 'Escape') completer.close()
    else if (event.key === 'Tab' && !event.shiftKey) pick(option)
    // what is typed to its end is sent, not picked once more
    else if (event.key === 'Enter' && !event.shiftKey && !completer.isTyped(option)) pick(option)
    else return false
    event.preventDefault()
    return true
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || complete(event)) return
    if (event.key === 'Escape') onEscape?.()
    else if (event.key === 'ArrowUp' && !event.altKey && text === '' && onEditLast) {
      event.preventDefault()
      onEditLast()
    } else if (!isTouch || event.altKey) onEnter(({ altKey }) => onSubmit(altKey))(event)
  }

  return (
    <>
      {options.length > 0 && (
        <OptionList id={completer.listId} options={options} active={active} onPick={pick} />
      )}
      <textarea
        ref={area}
        id="composer"
        data-composer
        rows={1}
        dir="auto"
        aria-label={t.message}
        placeholder={isTouch || isNarrow ? t.placeholderShort : (placeholder ?? t.placeholder)}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={options.length > 0 ? completer.listId : undefined}
        aria-activedescendant={options.length > 0 ? optionId(completer.listId, active) : undefined}
        enterKeyHint={isTouch ? 'enter' : 'send'}
        value={text}
        onChange={(event) => {
          setCaret(event.target.selectionStart)
          onChange(event.target.value)
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onBlur={completer.close}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
        className="block max-h-[40dvh] min-h-10 w-full resize-none overflow-y-auto bg-transparent px-3 py-2 text-base outline-none placeholder:text-muted md:text-[15px]"
      />
    </>
  )
}

function grow(element: HTMLTextAreaElement, text: string): void {
  element.style.height = ''
  if (text !== '') element.style.height = `${element.scrollHeight}px`
}

/** Which options are open, and which of them is meant. */
function useCompleter({
  text,
  caret,
  sessionId,
  mentions,
}: Pick<Props, 'text' | 'sessionId' | 'mentions'> & { caret: number }) {
  const t = useTexts(composerTexts)
  const announce = useAnnounce()
  const listId = useId()
  const [active, setActive] = useState(0)
  /** The text in which the list was closed: it opens again when something else is typed. */
  const [closedAt, setClosedAt] = useState<string>()
  const trigger = useMemo(
    () => (closedAt === text ? undefined : findTrigger(text, caret)),
    [text, caret, closedAt],
  )
  const options = useCompletion(trigger, sessionId, mentions)
  const [shown, setShown] = useState(options)
  if (shown !== options) {
    setShown(options)
    setActive(0)
  }
  useEffect(() => {
    if (options.length > 0) announce(t.suggestionCount(options.length))
  }, [options.length, announce, t])
  return {
    listId,
    options,
    trigger,
    active: Math.min(active, Math.max(0, options.length - 1)),
    move: (by: number) => setActive((active + by + options.length) % options.length),
    close: () => setClosedAt(text),
    isTyped: ({ insert }: Option) => trigger && insert.trim() === text.slice(trigger.start, trigger.end),
  }
}

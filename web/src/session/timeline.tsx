import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { clsx } from 'clsx'
import { ArrowDown } from 'lucide-react'
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
  type UIEvent,
} from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { sessionTexts } from './texts.ts'

interface Props<Item extends { id: string }> {
  messages: readonly Item[]
  hasEarlier: boolean
  loadEarlier(): Promise<void>
  /** The message to go to, once it is there. */
  goTo?: string
  /** The message that is being edited; it may be asked for from afar. */
  editedId?: string
  children(message: Item, isLast: boolean): ReactNode
}

// nearer to the end than this, somebody reads the newest words and wants to see the next ones
const endPx = 60
const estimatedPx = 140
const earlierWithin = 8
// after a change of size what moves is not the reader, until the messages have their new heights
const settleMs = 250

/**
 * The log, of which only what is seen is drawn. Opens at its end and stays there while words come, unless the reader has
 * gone elsewhere; what is added before does not move what is read.
 */
export function Timeline<Item extends { id: string }>({
  messages,
  hasEarlier,
  loadEarlier,
  goTo,
  editedId,
  children,
}: Props<Item>) {
  const t = useTexts(sessionTexts)
  const scroller = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  // oxlint-disable-next-line react/incompatible-library -- nothing here is compiled to remember what it returns
  const list = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => messages[index]!.id,
    estimateSize: () => estimatedPx,
    overscan: 6,
    // what is far above is not drawn first, only to be left at once
    initialOffset: () => (goTo === undefined ? messages.length * estimatedPx : 0),
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endPx,
    paddingStart: 12,
    onChange: (instance) => setAtEnd(instance.isAtEnd(endPx)),
  })
  const items = list.getVirtualItems()
  const onScroll = useStayAtEnd(scroller, list, {
    opensAtEnd: goTo === undefined,
    isDrawn: messages.length > 0,
  })

  const isOpened = useRef(false)
  useLayoutEffect(() => {
    if (isOpened.current || messages.length === 0) return
    isOpened.current = true
    if (goTo === undefined) list.scrollToEnd()
  }, [list, messages.length, goTo])

  const indexOf = (wanted: string | undefined) =>
    wanted === undefined ? -1 : messages.findIndex(({ id }) => id === wanted)
  useGoTo(scroller, list, goTo, indexOf(goTo))
  useGoTo(scroller, list, editedId, indexOf(editedId))

  const isNearStart = (items[0]?.index ?? earlierWithin) < earlierWithin
  useEffect(() => {
    if (hasEarlier && isNearStart) void loadEarlier().catch(() => {}) // the connection bar says that nobody answers
  }, [hasEarlier, isNearStart, loadEarlier, messages.length])

  if (messages.length === 0)
    return (
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Empty>{t.nothingYet}</Empty>
      </div>
    )
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scroller}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
        tabIndex={0}
        role="region"
        aria-label={t.conversation}
        data-scroller
        onScroll={onScroll}
        className="h-full overflow-x-hidden overflow-y-auto overscroll-contain contain-strict"
      >
        <div className="relative w-full" style={{ height: list.getTotalSize() }}>
          {items.map(({ key, index, start }) => (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              // not `paddingEnd`: while the last message grows, the browser stops short of what is below it
              className={clsx('absolute top-0 left-0 w-full', index === messages.length - 1 && 'pb-3')}
              style={{ transform: `translateY(${start}px)` }}
            >
              {children(messages[index]!, index === messages.length - 1)}
            </div>
          ))}
        </div>
      </div>
      {hasEarlier && isNearStart && (
        <p className="absolute top-1 left-1/2 -translate-x-1/2 rounded-full bg-raised px-3 text-xs text-muted shadow-popup">
          {t.loadingEarlier}
        </p>
      )}
      {!isAtEnd && (
        <Button
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-popup"
          onClick={() => list.scrollToEnd()}
        >
          <ArrowDown aria-hidden />
          {t.jumpToNewest}
        </Button>
      )}
    </div>
  )
}

// a reader who moves, opens a card or goes on by keys wants to stay there
const readerEvents = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const

/**
 * The end stays in sight while the box below grows and shrinks, and with it what is left for the log; and, until the
 * reader does anything, while what has just been opened gets its heights.
 */
function useStayAtEnd(
  scroller: RefObject<HTMLElement | null>,
  list: Virtualizer<HTMLDivElement, Element>,
  { opensAtEnd, isDrawn }: { opensAtEnd: boolean; isDrawn: boolean },
) {
  const wasAtEnd = useRef(opensAtEnd)
  const isUntouched = useRef(opensAtEnd)
  const lastTop = useRef(0)
  const settlesUntil = useRef(0)
  useEffect(() => {
    if (!isDrawn || !scroller.current) return
    const observer = new ResizeObserver((entries) => {
      const isBox = entries.some(({ target }) => target === scroller.current)
      if (isBox) settlesUntil.current = performance.now() + settleMs
      if (wasAtEnd.current && (isBox || isUntouched.current)) list.scrollToEnd()
    })
    observer.observe(scroller.current)
    observer.observe(scroller.current.firstElementChild!)
    return () => observer.disconnect()
  }, [scroller, list, isDrawn])
  useEffect(() => {
    const onTouched = () => (isUntouched.current = false)
    for (const type of readerEvents)
      window.addEventListener(type, onTouched, { capture: true, passive: true })
    return () => {
      for (const type of readerEvents) window.removeEventListener(type, onTouched, { capture: true })
    }
  }, [])
  return ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLElement>) => {
    const isUpwards = scrollTop < lastTop.current
    lastTop.current = scrollTop
    // what has just been opened moves on by itself, but never back
    if ((isUntouched.current && !isUpwards) || performance.now() < settlesUntil.current) return
    wasAtEnd.current = scrollHeight - scrollTop - clientHeight <= endPx
    if (!wasAtEnd.current) isUntouched.current = false
  }
}

// heights become known on the way, and what is loaded before it moves it
const maxTries = 60

/** Goes to a message once it is there, until it is in sight; after that the reader may leave it. */
function useGoTo(
  scroller: RefObject<HTMLElement | null>,
  list: Virtualizer<HTMLDivElement, Element>,
  goTo: string | undefined,
  index: number,
) {
  const reached = useRef<string>(undefined)
  useEffect(() => {
    if (goTo === undefined) reached.current = undefined
    if (index === -1 || reached.current === goTo) return
    let left = maxTries
    let frame = requestAnimationFrame(function look() {
      if (isInSight(scroller.current, index) || left-- === 0) {
        reached.current = goTo
        return
      }
      list.scrollToIndex(index, { align: 'center' })
      frame = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(frame)
  }, [scroller, list, goTo, index])
}

function isInSight(scroller: HTMLElement | null, index: number): boolean {
  const item = scroller?.querySelector(`[data-index="${index}"]`)
  if (!scroller || !item) return false
  const [inner, outer] = [item.getBoundingClientRect(), scroller.getBoundingClientRect()]
  return inner.top < outer.bottom && inner.bottom > outer.top
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { SessionListItem } from '../../../src/client/index.ts'
import { appTexts } from '../shell/shell-texts.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { useTexts } from '../shell/texts.ts'
import { ConfirmDialog } from '../ui/lazy-panes.tsx'
import { HitRow } from './hit-row.tsx'
import { SessionRow } from './session-row.tsx'
import type { SessionRow as Row } from './session-rows.ts'
import { sidebarTexts } from './texts.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useSessionDeeds } from './use-session-deeds.ts'

interface Props {
  rows: readonly Row[]
  words: string
  hasMore: boolean
  onMore(): void
  onPick?(): void
}

/** Draws what is seen of it. Arrows move, Enter opens; what else a key does is in the menu of a row. */
export function SessionList({ rows, words, hasMore, onMore, onPick }: Props) {
  const t = useTexts(sidebarTexts)
  const { sessions: label, untitled } = useTexts(appTexts)
  const deeds = useSessionDeeds()
  const { sessionId } = useParams({ strict: false })
  const scroller = useRef<HTMLElement>(null)
  const [activeKey, setActiveKey] = useState<string>()
  const [renaming, setRenaming] = useState<string>()
  const [deleting, setDeleting] = useState<SessionListItem>()
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed to what is memoised
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 49,
    getItemKey: (index) => rows[index]!.key,
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const lastDrawn = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastDrawn >= rows.length - 10) onMore()
  }, [hasMore, lastDrawn, rows.length, onMore])

  const active = firstOf(rows, [activeKey, sessionId])
  const focus = useRowFocus(scroller)
  const moveTo = (index: number) => {
    const row = rows[index]
    if (!row) return
    setActiveKey(row.key)
    virtual.scrollToIndex(index)
    focus(row.key)
  }
  const archive = (session: SessionListItem) =>
    void deeds.setArchived(session, session.archivedAt === undefined)

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const index = Number((event.target as HTMLElement).closest('[data-index]')?.getAttribute('data-index'))
    const row = rows[index]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const session = row.type === 'session' ? row.session : undefined
    const inRow = (selector: string) =>
      (event.target as HTMLElement).closest('[data-index]')?.querySelector<HTMLElement>(selector)?.focus()
    const deed = {
      ArrowDown: () => moveTo(nextRow(rows, index, 1)),
      ArrowUp: () => moveTo(nextRow(rows, index, -1)),
      Home: () => moveTo(nextRow(rows, -1, 1)),
      End: () => moveTo(nextRow(rows, rows.length, -1)),
      ArrowRight: () => inRow('[data-row-menu]'),
      ArrowLeft: () => inRow('a'),
      F2: session && (() => setRenaming(session.id)),
      Delete: session && (() => setDeleting(session)),
      a: session && (() => archive(session)),
    }[event.key]
    if (!deed) return
    event.preventDefault()
    deed()
  }

  return (
    <nav ref={scroller} aria-label={label} className="h-full overflow-y-auto">
      <div role="presentation" onKeyDown={onKeyDown} onFocus={({ target }) => setActiveKey(keyAt(target))}>
        <ul data-session-list className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const row = rows[index]!
            return (
              <li
                key={key}
                data-index={index}
                data-key={row.key}
                ref={virtual.measureElement}
                aria-posinset={index + 1}
                aria-setsize={hasMore ? -1 : rows.length}
                className="absolute inset-x-0 top-0 pb-px"
                style={{ transform: `translateY(${start}px)` }}
              >
                {row.type === 'heading' && (
                  <h3 className="px-4 pt-3 pb-1 text-xs font-medium text-muted">{t.elsewhere}</h3>
                )}
                {row.type === 'hit' && (
                  <HitRow
                    hit={row.hit}
                    words={words}
                    hasTitle={row.hasTitle}
                    isActive={row.key === active}
                    onPick={onPick}
                  />
                )}
                {row.type === 'group' && (
                  <Suspense fallback={<div className="h-[49px]" />}>
                    <LazyView
                      load={row.load}
                      id={row.key}
                      name={row.name}
                      sessions={row.sessions}
                      isActive={row.key === active}
                      onPick={onPick}
                    />
                  </Suspense>
                )}
                {row.type === 'session' && (
                  <SessionRow
                    session={row.session}
                    isActive={row.key === active}
                    isRenaming={renaming === row.session.id}
                    onPick={onPick}
                    onRename={() => setRenaming(row.session.id)}
                    onRenamed={(title) => {
                      setRenaming(undefined)
                      focus(row.key)
                      if (title !== undefined) void deeds.rename(row.session.id, title)
                    }}
                    onArchive={() => archive(row.session)}
                    onDelete={() => setDeleting(row.session)}
                  />
                )}
              </li>
            )
          })}
        </ul>
      </div>
      {deleting && (
        <ConfirmDialog
          title={t.deleteTitle(deleting.title || untitled)}
          label={t.delete}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => {
            setDeleting(undefined)
            void deeds.remove(deleting.id)
          }}
        >
          <p>{t.deleteText}</p>
        </ConfirmDialog>
      )}
    </nav>
  )
}

const keyAt = (element: Element) => element.closest<HTMLElement>('[data-key]')?.dataset.key

/** The first of the keys that is in the list, or else its first row: Tab always finds one. */
const firstOf = (rows: readonly Row[], wanted: readonly (string | undefined)[]) =>
  wanted.find((key) => rows.some((row) => row.key === key)) ??
  rows.find(({ type }) => type !== 'heading')?.key

/** The next row that can be opened, or the same when there is none. */
function nextRow(rows: readonly Row[], from: number, step: 1 | -1): number {
  for (let index = from + step; index >= 0 && index < rows.length; index += step)
    if (rows[index]!.type !== 'heading') return index
  return from
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState, type ReactNode } from 'react'
import { useTexts } from '../shell/texts.ts'
import { contextTexts } from './texts.ts'
import { PieceRow } from './piece-row.tsx'
import { shares, type Piece, type Share } from './prompt-pieces.ts'
import { ShareHeading } from './share-heading.tsx'

interface Props {
  sessionId: string
  pieces: readonly Piece[]
  isSent: boolean
  /** Stands before the list and scrolls with it. */
  children: ReactNode
}

type Item = { share: Share; pieces: Piece[] } | { piece: Piece }

/** Everything that the model is given, in order; only what can be seen is drawn, however long the prompt is. */
export function PieceList({ sessionId, pieces, isSent, children }: Props) {
  const t = useTexts(contextTexts)
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  // what tools are called is seldom the question, and there may be a hundred of them
  const [closed, setClosed] = useState<ReadonlySet<Share>>(new Set<Share>(['tools']))
  const items = toItems(pieces, closed)
  const largest = Math.max(1, ...pieces.map(({ tokens }) => tokens))
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const virtualizer = useVirtualizer({
    count: items.length + 1,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (index === 0 ? 240 : 44),
    overscan: 8,
  })

  return (
    <div ref={scroller} className="h-full overflow-y-auto">
      <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const item = items[index - 1]
          return (
            <div
              key={index}
              ref={virtualizer.measureElement}
              data-index={index}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item === undefined ? (
                <div className="flex flex-col gap-3 p-3">{children}</div>
              ) : 'piece' in item ? (
                <PieceRow
                  piece={item.piece}
                  sessionId={sessionId}
                  largest={largest}
                  isOpen={open.has(item.piece.key)}
                  onToggle={() => setOpen(toggled(open, item.piece.key))}
                />
              ) : (
                <ShareHeading
                  {...item}
                  isOpen={!closed.has(item.share)}
                  note={isSent && item.share === 'input' ? t.inputInMessage : undefined}
                  onToggle={() => setClosed(toggled(closed, item.share))}
                />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function toggled<T>(set: ReadonlySet<T>, value: T): Set<T> {
  const after = new Set(set)
  if (!after.delete(value)) after.add(value)
  return after
}

function toItems(pieces: readonly Piece[], closed: ReadonlySet<Share>): Item[] {
  return shares.flatMap((share): Item[] => {
    const own = pieces.filter((piece) => piece.share === share)
    if (own.length === 0) return []
    return [{ share, pieces: own }, ...(closed.has(share) ? [] : own.map((piece) => ({ piece })))]
  })
}

import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, type ReactNode } from 'react'
import { useTexts } from '../shell/texts.ts'
import { TaskCard } from './task-card.tsx'
import { taskTexts } from './texts.ts'
import type { Task, TaskLine } from './task-tree.ts'

interface Props {
  lines: readonly TaskLine[]
  sessionId?: string
  onCancel(task: Task): void
  onRetry(task: Task): void
  /** At the end, where there are more. */
  more: ReactNode
}

/** Draws the cards that are seen, so that only those ask the server for more. */
export function TaskList({ lines, sessionId, onCancel, onRetry, more }: Props) {
  const t = useTexts(taskTexts)
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed to what is memoised
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 90,
    getItemKey: (index) => lines[index]!.task.id,
    overscan: 2,
  })
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto p-3">
      <ul aria-label={t.list} className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const { task, depth } = lines[index]!
          return (
            <li
              key={key}
              data-index={index}
              ref={virtual.measureElement}
              aria-posinset={index + 1}
              aria-setsize={lines.length}
              className="absolute inset-x-0 top-0 pb-2"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TaskCard
                task={task}
                depth={depth}
                sessionId={sessionId}
                onCancel={() => onCancel(task)}
                onRetry={() => onRetry(task)}
              />
            </li>
          )
        })}
      </ul>
      {more && <div className="flex justify-center pt-2">{more}</div>}
    </div>
  )
}

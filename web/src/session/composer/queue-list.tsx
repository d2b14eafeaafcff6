import { useRef } from 'react'
import { useTexts } from '../../shell/texts.ts'
import { composerTexts } from '../texts.ts'
import { QueueItem } from './queue-item.tsx'
import type { Queue, Waiting } from './use-queue.ts'

interface Props {
  queue: Queue
  isRunning: boolean
}

/** What waits above the box, in the order in which it will be taken up. */
export function QueueList({ queue, isRunning }: Props) {
  const t = useTexts(composerTexts)
  const list = useRef<HTMLOListElement>(null)
  const { items, hasFailed } = queue
  if (hasFailed) return <p className="px-1 pb-1.5 text-sm text-danger">{t.queueFailed}</p>
  if (items.length === 0) return null
  const remove = (item: Waiting, index: number) => {
    // the focus must not fall out of the list
    const { children } = list.current!
    const row = children[index + 1] ?? children[index - 1]
    const next = row?.querySelector('button') ?? document.getElementById('composer')
    next?.focus()
    void queue.remove(item)
  }
  return (
    <section aria-label={t.queue} className="mb-1.5 rounded-lg border border-line bg-surface text-sm">
      <h2 className="px-3 pt-1.5 text-xs font-medium text-muted">{t.queueCount(items.length)}</h2>
      <ol ref={list} className="max-h-48 overflow-y-auto p-1">
        {items.map((item, index) => (
          <QueueItem
            key={item.runId}
            item={item}
            place={index + 1}
            count={items.length}
            canSteer={isRunning}
            onEdit={(text) => void queue.edit(item, text)}
            onRemove={() => remove(item, index)}
            onMove={(by) => void queue.move(item, by)}
            onSendNow={() => void queue.sendNow(item)}
          />
        ))}
      </ol>
    </section>
  )
}

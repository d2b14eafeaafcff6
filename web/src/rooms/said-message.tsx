import { clsx } from 'clsx'
import { memo, useId } from 'react'
import type { Message } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { MessageActions } from '../session/message-actions.tsx'
import { MessageBoundary } from '../session/message-boundary.tsx'
import { Answer, Words, type ShownMessage } from '../session/message-view.tsx'
import { ValueView } from '../ui/value-view.tsx'
import { sessionTexts } from '../session/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { roomTexts } from './texts.ts'
import type { RoomDeeds } from './use-room-deeds.ts'

interface Props {
  message: ShownMessage
  /** How the person is called; undefined while there is only one. */
  name?: string
  /** Of the mode: the face of the room itself. */
  icon: string
  deeds: RoomDeeds
  isLast: boolean
  isMarked: boolean
}

/** What a person said, or the room itself. */
export const SaidMessage = memo(function SaidMessage(props: Props) {
  const { message, name, icon, deeds, isLast, isMarked } = props
  const t = useTexts(roomTexts)
  const { you, tasksWoke, tasksReported } = useTexts(sessionTexts)
  const headingId = useId()
  const isPerson = message.role === 'user'
  const isFromTasks = isPerson && message.metadata?.source === 'tasks'
  const heading = isFromTasks ? tasksWoke : isPerson ? (name ?? you) : t.room
  return (
    <article
      aria-labelledby={headingId}
      data-message={message.id}
      data-role={message.role}
      data-room={isPerson ? undefined : true}
      data-last={isLast || undefined}
      className={clsx(
        'group mx-auto flex w-full max-w-3xl min-w-0 flex-col px-4 pt-3',
        isFromTasks ? 'items-center' : isPerson && 'items-end',
        isMarked && 'rounded-lg bg-mark',
      )}
    >
      <h2 id={headingId} className={isPerson && name !== undefined ? 'text-xs text-muted' : 'sr-only'}>
        <bdi>{heading}</bdi>
      </h2>
      <MessageBoundary fallback={<ValueView label={heading} value={message.parts} />}>
        {isFromTasks ? (
          <p className="text-xs text-muted">{tasksReported}</p>
        ) : isPerson ? (
          <Words message={message} />
        ) : (
          <div className="flex min-w-0 gap-2 rounded-lg border-l-4 border-line bg-surface px-3 py-1">
            <span aria-hidden className="leading-6">
              {icon}
            </span>
            <Answer message={message} />
          </div>
        )}
      </MessageBoundary>
      <div className="flex h-8 min-w-0 items-center gap-1">
        {isStored(message) && <MessageActions actions={deeds.actionsOf(message)} />}
        {message.createdAt && (
          <RelativeTime
            time={message.createdAt}
            className="px-1 text-xs whitespace-nowrap text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
          />
        )}
      </div>
    </article>
  )
})

const isStored = (message: ShownMessage): message is Message => 'seq' in message

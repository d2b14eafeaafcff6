import { clsx } from 'clsx'
import { memo, useEffect, useId } from 'react'
import type { Message, Part } from '../../../src/client/index.ts'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import type { MessageNoteProps } from '../shell/define-web.ts'
import { useContributions } from '../shell/features-context.tsx'
import { usePartViews } from '../shell/part-views.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { EditMessage } from './edit-message.tsx'
import { classForLongWords } from '../markdown/long-words.ts'
import { prepareStreaming } from '../markdown/markdown.tsx'
import { MessageActions } from './message-actions.tsx'
import { MessageBoundary } from './message-boundary.tsx'
import { FilePart } from './parts/file-part.tsx'
import { MessagePart } from './parts/message-part.tsx'
import { groupParts } from './parts/part-groups.ts'
import { ToolGroup } from './parts/tool-group.tsx'
import { ValueView } from '../ui/value-view.tsx'
import { sessionTexts } from './texts.ts'
import { TokenUsage } from './token-usage.tsx'
import { TurnProblem } from './turn-problem.tsx'
import type { MessageDeeds } from './use-message-deeds.tsx'
import { VariantPager } from './variant-pager.tsx'
import type { Alternatives } from './variants.ts'

/** A message of the log, or the answer that is coming, which is about to be one. */
export interface ShownMessage {
  id: string
  role: 'user' | 'assistant' | 'system'
  parts: readonly Part[]
  metadata?: Record<string, unknown>
  createdAt?: string
  retry?: { message: string; waitMs: number }
  isResuming?: boolean
  isComing?: boolean
}

interface Props {
  message: ShownMessage
  deeds: MessageDeeds
  alternatives?: Alternatives
  isLast: boolean
  /** It is what the link led to. */
  isMarked: boolean
  isEdited: boolean
  onOpenVariant(sessionId: string): void
}

export const MessageView = memo(function MessageView(props: Props) {
  const { message, deeds, alternatives, isLast, isMarked, isEdited } = props
  const { isComing, isResuming } = message
  const t = useTexts(sessionTexts)
  const headingId = useId()
  const isUser = message.role === 'user'
  const isFromTasks = isUser && message.metadata?.source === 'tasks'
  const name = isFromTasks ? t.tasksWoke : isUser ? t.you : message.role === 'system' ? t.system : t.assistant
  return (
    <article
      aria-labelledby={headingId}
      aria-busy={isComing}
      data-message={message.id}
      data-role={message.role}
      data-last={isLast || undefined}
      className={clsx(
        'group mx-auto flex w-full max-w-3xl min-w-0 flex-col px-4 pt-3',
        isFromTasks ? 'items-center' : isUser && 'items-end',
        isMarked && 'rounded-lg bg-mark',
      )}
    >
      <h2 id={headingId} className="sr-only">
        {name}
      </h2>
      <MessageBoundary fallback={<ValueView label={name} value={message.parts} />}>
        {isEdited && isStored(message) ? (
          <EditMessage
            text={messageText(message)}
            onSend={(text) => deeds.sendEdit(message, text)}
            onClose={(opener) => {
              deeds.closeEdit()
              requestAnimationFrame(() => focusBack(opener, message.id))
            }}
          />
        ) : isFromTasks ? (
          // its words are for the model; what was reported is in the answer
          <p className="text-xs text-muted">{t.tasksReported}</p>
        ) : isUser || message.role === 'system' ? (
          <Words message={message} />
        ) : (
          <Answer message={message} />
        )}
      </MessageBoundary>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <div className="flex h-8 min-w-0 items-center gap-1">
          {isComing && <Resuming isResuming={isResuming} />}
          {alternatives && <VariantPager alternatives={alternatives} onOpen={props.onOpenVariant} />}
          {isStored(message) && !isEdited && <MessageActions actions={deeds.actionsOf(message)} />}
          <span className="flex items-center gap-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            {message.createdAt && (
              <RelativeTime time={message.createdAt} className="px-1 text-xs whitespace-nowrap text-muted" />
            )}
            <TokenUsage usage={message.metadata?.usage} />
          </span>
        </div>
        {isStored(message) && message.role === 'assistant' && (
          <MessageNotes messageId={message.id} metadata={message.metadata} />
        )}
      </div>
    </article>
  )
})

/** What features say of an answer. */
function MessageNotes(props: MessageNoteProps) {
  return useContributions('messageNotes').map((Note, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- the list stays as it is
    <Note key={index} {...props} />
  ))
}

/** To where the person came from: the box below, or the button that gave way to the editor and is drawn again. */
function focusBack(opener: Element | null, messageId: string): void {
  const button = document.querySelector<HTMLElement>(`[data-message="${messageId}"] [data-action="edit"]`)
  const isBox = opener instanceof HTMLTextAreaElement && opener.isConnected
  const target = isBox ? opener : button
  target?.focus()
}

const isStored = (message: ShownMessage): message is Message => 'seq' in message

/** What a person wrote, letter for letter. */
export function Words({ message }: { message: ShownMessage }) {
  const files = message.parts.filter(({ type }) => type === 'file')
  const text = messageText(message)
  return (
    <div className="max-w-[85%] min-w-0 rounded-xl bg-selected px-3.5 py-2">
      {text !== '' && (
        <p dir="auto" className={clsx('whitespace-pre-wrap', classForLongWords(text))}>
          {text}
        </p>
      )}
      {files.length > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {files.map((part, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- the same file may be there twice
            <FilePart key={index} part={part} />
          ))}
        </div>
      )}
    </div>
  )
}

/** What was answered, with what was done for it and how it ended. */
export function Answer({ message: { parts, metadata, retry, isComing } }: { message: ShownMessage }) {
  const t = useTexts(sessionTexts)
  const groups = groupParts(parts, usePartViews())
  const error = metadata?.error
  return (
    <div className="w-full min-w-0">
      {groups.map(({ index, kind, parts: grouped }) =>
        kind === 'tools' ? (
          <ToolGroup key={index} parts={grouped} />
        ) : (
          <MessagePart key={index} part={grouped[0]!} />
        ),
      )}
      {isComing && groups.length === 0 && !retry && <Waiting />}
      {retry && <p className="my-2 text-sm text-warning">{t.retrying(Math.ceil(retry.waitMs / 1_000))}</p>}
      {metadata?.stopped === true && <p className="my-2 text-sm text-muted">■ {t.stopped}</p>}
      {typeof error === 'object' && error !== null && <TurnProblem error={error} />}
    </div>
  )
}

/**
 * Says that an answer which was cut off is being resumed. It stands where the actions will be, so that nothing moves, and
 * before it has anything to say: what comes into a region is read out, a region that comes is not.
 */
export function Resuming({ isResuming }: { isResuming?: boolean }) {
  const t = useTexts(sessionTexts)
  return (
    <p role="status" className="text-sm text-muted">
      {isResuming && t.resuming}
    </p>
  )
}

/** Three dots, until there are words. */
function Waiting() {
  useEffect(prepareStreaming, [])
  return (
    <p aria-hidden className="flex h-6 items-center gap-1">
      {[0, 150, 300].map((delay) => (
        <span
          key={delay}
          className="size-1.5 animate-pulse rounded-full bg-muted"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </p>
  )
}

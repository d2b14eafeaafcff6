import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Suspense, useMemo, useState } from 'react'
import { ParleyError, type AnswerDraft, type Message } from '../../../src/client/index.ts'
import { useClient } from '../api/api.tsx'
import { sessionQuery } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { DeadEnd } from '../shell/not-found.tsx'
import { useEmbeddedSession } from '../shell/open-session.ts'
import { LazyView } from '../shell/lazy-view.tsx'
import { SessionSlot, useSessionSlot } from '../shell/session-slots.tsx'
import type { ShellSearch } from '../shell/shell-search.ts'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { BackgroundBar } from './background-bar.tsx'
import { CheckpointMarker } from './checkpoint-marker.tsx'
import { Composer } from './composer/composer.tsx'
import { MessageView, type ShownMessage } from './message-view.tsx'
import { SessionTopbar } from './session-topbar.tsx'
import { sessionTexts } from './texts.ts'
import { Timeline } from './timeline.tsx'
import { useAnnouncements } from './use-announcements.ts'
import { useConversation, type OpenConversation } from './use-conversation.ts'
import { isQuestion, useMessageDeeds } from './use-message-deeds.tsx'
import { useOpenSession } from './use-open-session.ts'
import { useRollback } from './use-rollback.ts'
import { useSearchForMessage } from './use-search-for-message.ts'
import { useVariants } from './use-variants.ts'

interface Props {
  sessionId: string
  /** Inside of another page, which has a name and buttons of its own. */
  isEmbedded?: boolean
}

/** One session: what was said, what is being said, and the box to say more. */
export function SessionView({ sessionId, isEmbedded = false }: Props) {
  const t = useTexts(sessionTexts)
  const client = useClient()
  const scope = useScope()
  const conversation = useConversation(sessionId)
  const { data: session, error, refetch } = useQuery(sessionQuery(client, sessionId, scope))
  const [editedId, setEditedId] = useState<string>()
  useAnnouncements(conversation)
  useEmbeddedSession(isEmbedded ? sessionId : undefined)
  const loadComposer = useSessionSlot('composers', session)
  const failure = error ?? (conversation.status === 'failed' ? conversation.error : undefined)
  if (failure instanceof ParleyError && failure.code === 'not_found' && !session)
    return <DeadEnd title={t.missing} text={t.missingText} />
  if (failure && !session)
    return (
      <Failure
        error={failure}
        onRetry={() => {
          conversation.refresh()
          void refetch()
        }}
      />
    )
  if (!session || conversation.status !== 'ready') return <Loading />
  return (
    <div className="flex h-full min-h-0 flex-col">
      {!isEmbedded && <SessionTopbar session={session} />}
      {!isEmbedded && <SessionSlot name="sessionBars" session={session} />}
      <BackgroundBar session={session} />
      <Messages
        sessionId={sessionId}
        title={session.title}
        conversation={conversation}
        editedId={editedId}
        onEdit={setEditedId}
      />
      {loadComposer ? (
        <Suspense>
          <LazyView load={loadComposer} session={session} />
        </Suspense>
      ) : (
        <Composer
          session={session}
          conversation={conversation}
          onEditLast={() => setEditedId(conversation.messages.findLast(isQuestion)?.id)}
        />
      )}
    </div>
  )
}

interface MessagesProps {
  sessionId: string
  title: string
  conversation: OpenConversation
  editedId?: string
  onEdit(messageId: string | undefined): void
}

function Messages({ sessionId, title, conversation, editedId, onEdit }: MessagesProps) {
  const { messages, draft, hasEarlier, loadEarlier } = conversation
  const goTo = useSearch({ strict: false, select: ({ message }: ShellSearch) => message })
  const openSession = useOpenSession()
  const variants = useVariants(sessionId, messages)
  const { canRollBack, marks, undone, onRollBack, onClose } = useRollback(sessionId, messages)
  const deeds = useMessageDeeds({ sessionId, title, messages, variants, onEdit, canRollBack, onRollBack })
  const shown = useMemo(() => withDraft(messages, draft), [messages, draft])
  useSearchForMessage(goTo, conversation)
  return (
    <>
      <Timeline
        messages={shown}
        hasEarlier={hasEarlier}
        loadEarlier={loadEarlier}
        goTo={goTo}
        editedId={editedId}
      >
        {(message, isLast) => (
          <>
            {marks.has(message.id) && (
              <CheckpointMarker {...marks.get(message.id)!} onRollBack={onRollBack} />
            )}
            <MessageView
              message={message}
              deeds={deeds}
              alternatives={variants.alternatives.get(message.id)}
              isLast={isLast}
              isMarked={message.id === goTo}
              isEdited={message.id === editedId}
              onOpenVariant={openSession}
            />
          </>
        )}
      </Timeline>
      {undone && (
        <Suspense>
          <LazyView
            load={loadRollbackDialog}
            sessionId={sessionId}
            {...undone}
            onDone={conversation.refresh}
            onClose={onClose}
          />
        </Suspense>
      )}
    </>
  )
}

const loadRollbackDialog = async () => (await import('./rollback-dialog.tsx')).RollbackDialog

/** The answer that is coming, as the message that it will be. */
function withDraft(messages: readonly Message[], draft: AnswerDraft | undefined): readonly ShownMessage[] {
  if (!draft) return messages
  const id = draft.messageId ?? draft.runId
  // stored a moment ago, and told of a moment later
  if (messages.some((message) => message.id === id)) return messages
  const { parts, metadata, retry, isResuming } = draft
  return [...messages, { id, role: 'assistant', parts, metadata, retry, isResuming, isComing: true }]
}

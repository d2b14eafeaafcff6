import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Session } from '../../../src/client/index.ts'
import type { RoomRecord } from '../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../api/api.tsx'
import { sessionKeys } from '../api/session-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { TaskAsks } from '../approvals/task-asks.tsx'
import { composerTexts } from '../session/texts.ts'
import { MessageBox } from '../session/composer/message-box.tsx'
import { NotSent } from '../session/composer/not-sent.tsx'
import { toBody, type Outgoing } from '../session/composer/outgoing.ts'
import { QueueList } from '../session/composer/queue-list.tsx'
import { SendButton, StopButton } from '../session/composer/send-button.tsx'
import { ThinkingToggle } from '../session/composer/thinking-toggle.tsx'
import { isEmpty } from '../session/composer/unsent.ts'
import { useOutbox } from '../session/composer/use-outbox.ts'
import { useQueue } from '../session/composer/use-queue.ts'
import { WaitingResults } from '../session/composer/waiting-results.tsx'
import { useStop } from '../session/composer/use-stop.ts'
import type { UnsentControl } from '../session/composer/use-unsent.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { AskForm } from './mode/ask-form.tsx'
import { toMentionOptions } from './mentions.ts'
import { roomTexts } from './texts.ts'
import type { OpenRoom } from './use-room.ts'

interface Props {
  session: Session
  room: RoomRecord
  conversation: OpenRoom
  control: UnsentControl
  /** The person who speaks. */
  human: string
  isRunning: boolean
  nameOf(name: string): string
  onSpeakAs(human: string): void
  /** Does what the person is asked for. */
  act(action: Record<string, unknown>): Promise<unknown>
}

/** Where people speak in a room, and are asked. What is said while agents answer waits its turn. */
export function RoomComposer({ session, room, conversation, control, human, isRunning, ...props }: Props) {
  const { nameOf, onSpeakAs, act } = props
  const t = useTexts(composerTexts)
  const words = useTexts(roomTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const queue = useQueue(session.id)
  const stopping = useStop(session.id, isRunning, conversation.draft?.runId)
  const outbox = useOutbox(control, async (message: Outgoing) => {
    await sessions.send(
      session.id,
      { ...toBody(message, scope), from: human },
      { idempotencyKey: message.key },
    )
    stopping.forget()
    announce(isRunning ? t.enqueued : t.sent)
    conversation.refresh()
    void queries.invalidateQueries({ queryKey: sessionKeys.session(session.id) })
  })
  const submit = () => void outbox.send('enqueue')
  const isTyping = useRouterState({ select: ({ location }) => 'isTyping' in location.state })
  const { agents } = room
  const mentions = useCallback(
    (query: string) =>
      toMentionOptions(agents, query, { agent: words.agentBadge, everybody: words.everybody }),
    [agents, words],
  )
  const humans = room.settings.humans ?? []
  const ask = room.asks.find((one) => one.human === human)

  return (
    <div className="mx-auto w-full max-w-3xl px-3 pb-3">
      <TaskAsks sessionId={session.id} />
      <QueueList queue={queue} isRunning={isRunning} />
      <WaitingResults sessionId={session.id} isRunning={isRunning} />
      {stopping.hasStopped && queue.items.length > 0 && (
        <p className="px-1 pb-1.5 text-sm text-muted">{t.stoppedWithQueue}</p>
      )}
      {ask && !isRunning && <AskForm key={JSON.stringify(ask)} ask={ask} nameOf={nameOf} act={act} />}
      {outbox.error !== undefined && <NotSent error={outbox.error} onRetry={submit} />}
      <MessageBox
        control={control}
        sessionId={session.id}
        mentions={mentions}
        placeholder={words.placeholder}
        takesFocus={isTyping}
        onSubmit={submit}
        onEscape={stopping.stop}
        tools={
          <>
            {humans.length > 1 && (
              <label className="flex min-w-0 items-center gap-1 text-sm text-muted">
                <span className="max-sm:sr-only">{words.speakAs}</span>
                <select
                  value={human}
                  onChange={({ target }) => onSpeakAs(target.value)}
                  className="h-7 min-w-0 rounded-md border border-line bg-page px-1 text-text"
                >
                  {humans.map(({ name }) => (
                    <option key={name} value={name}>
                      {nameOf(name)}
                    </option>
                  ))}
                </select>
              </label>
            )}
            <ThinkingToggle control={control} />
          </>
        }
        actions={
          <>
            {isRunning && <StopButton isStopping={stopping.isStopping} onStop={stopping.stop} />}
            <SendButton
              policy={isRunning ? 'enqueue' : undefined}
              disabled={outbox.isSending || isEmpty(control.unsent)}
              onSend={submit}
            />
          </>
        }
      />
    </div>
  )
}

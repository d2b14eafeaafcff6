import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import type { Session } from '../../../../src/client/index.ts'
import { useClient } from '../../api/api.tsx'
import { sessionKeys } from '../../api/session-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useContributions } from '../../shell/features-context.tsx'
import { usePreferences } from '../../shell/preferences.ts'
import { SessionSlot } from '../../shell/session-slots.tsx'
import { useTexts } from '../../shell/texts.ts'
import { TaskAsks } from '../../approvals/task-asks.tsx'
import { useAnnounce } from '../../ui/announcer.tsx'
import type { OpenConversation } from '../use-conversation.ts'
import { composerTexts } from '../texts.ts'
import { ContextRing } from './context-ring.tsx'
import { MessageBox } from './message-box.tsx'
import { ModelPicker } from './model-picker.tsx'
import { NotSent } from './not-sent.tsx'
import { otherPolicy, toBody, type Outgoing } from './outgoing.ts'
import { QueueList } from './queue-list.tsx'
import { SendButton, StopButton } from './send-button.tsx'
import { ThinkingToggle } from './thinking-toggle.tsx'
import { useOutbox } from './use-outbox.ts'
import { useQueue } from './use-queue.ts'
import { useSetModel } from './use-set-model.ts'
import { useSteering } from './use-steering.ts'
import { useStop } from './use-stop.ts'
import { useUnsent } from './use-unsent.ts'
import { isEmpty } from './unsent.ts'
import { WaitingResults } from './waiting-results.tsx'
import { WhileRunning } from './while-running.tsx'

interface Props {
  session: Session
  conversation: OpenConversation
  /** ↑ in the empty box. */
  onEditLast?(): void
}

/** Where messages are written: sends them, or hands them to the turn that goes on, and shows what waits. */
export function Composer({ session, conversation, onEditLast }: Props) {
  const t = useTexts(composerTexts)
  const { sessions } = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const announce = useAnnounce()
  const whileRunning = usePreferences((preferences) => preferences.whileRunning)
  const tools = useContributions('composerTools')
  const control = useUnsent(session.id)
  const queue = useQueue(session.id)
  const { draft } = conversation
  const isRunning = draft ? !draft.isFinished : session.chatStatus === 'chatting'
  const stopping = useStop(session.id, isRunning, draft?.runId)
  const steering = useSteering(conversation, queue.items, isRunning)

  const outbox = useOutbox(control, async (message: Outgoing) => {
    await sessions.send(session.id, toBody(message, scope), { idempotencyKey: message.key })
    stopping.forget()
    if (isRunning && message.policy === 'steer') steering.add(message)
    announce(!isRunning ? t.sent : message.policy === 'steer' ? t.steered : t.enqueued)
    conversation.refresh()
    void queries.invalidateQueries({ queryKey: sessionKeys.session(session.id) })
  })
  const submit = (isOther: boolean) => void outbox.send(isOther ? otherPolicy[whileRunning] : whileRunning)
  const setModel = useSetModel(session)
  // the start page leads here with somebody who is typing
  const isTyping = useRouterState({ select: ({ location }) => 'isTyping' in location.state })

  return (
    <div className="mx-auto w-full max-w-3xl px-3 pb-3">
      <SessionSlot name="composerBars" session={session} />
      <TaskAsks sessionId={session.id} />
      <QueueList queue={queue} isRunning={isRunning} />
      <WaitingResults sessionId={session.id} isRunning={isRunning} />
      {stopping.hasStopped && queue.items.length > 0 && (
        <p className="px-1 pb-1.5 text-sm text-muted">{t.stoppedWithQueue}</p>
      )}
      {steering.pending.map(({ messageId, text }) => (
        <p key={messageId} className="mb-1.5 flex gap-2 rounded-lg bg-selected px-3 py-1 text-sm">
          <span className="shrink-0 font-medium">{t.steering}</span>
          <span dir="auto" className="truncate">
            {text}
          </span>
        </p>
      ))}
      {outbox.error !== undefined && <NotSent error={outbox.error} onRetry={() => submit(false)} />}
      <MessageBox
        control={control}
        sessionId={session.id}
        takesFocus={isTyping}
        onSubmit={submit}
        onEscape={stopping.stop}
        onEditLast={onEditLast}
        tools={
          <>
            <ModelPicker model={session.model} onChange={(model) => void setModel(model)} />
            <ThinkingToggle control={control} />
            {tools.map((Tool, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- the list stays as it is
              <Tool key={index} session={session} />
            ))}
          </>
        }
        actions={
          <>
            <ContextRing sessionId={session.id} />
            {isRunning && <StopButton isStopping={stopping.isStopping} onStop={stopping.stop} />}
            <SendButton
              policy={isRunning ? whileRunning : undefined}
              disabled={outbox.isSending || isEmpty(control.unsent)}
              onSend={() => submit(false)}
            />
          </>
        }
      />
      {isRunning && <WhileRunning policy={whileRunning} />}
    </div>
  )
}

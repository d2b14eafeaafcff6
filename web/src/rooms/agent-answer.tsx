import { clsx } from 'clsx'
import { LoaderCircle } from 'lucide-react'
import { memo, useId } from 'react'
import type { Message } from '../../../src/client/index.ts'
import type { Agent } from '../../../src/extensions/agents/protocol/agent.ts'
import { useTexts } from '../shell/texts.ts'
import { MessageActions } from '../session/message-actions.tsx'
import { MessageBoundary } from '../session/message-boundary.tsx'
import { Answer, Resuming, type ShownMessage } from '../session/message-view.tsx'
import { ValueView } from '../ui/value-view.tsx'
import { TokenUsage } from '../session/token-usage.tsx'
import { Button } from '../ui/button.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Avatar, NameChip } from './avatar.tsx'
import type { ShownTurn } from './room-items.ts'
import { roomTexts } from './texts.ts'
import type { RoomDeeds } from './use-room-deeds.ts'

interface Props {
  turn: ShownTurn
  agent: Pick<Agent, 'name' | 'displayName' | 'avatar' | 'color'>
  deeds: RoomDeeds
  isLast: boolean
  isMarked: boolean
}

/** What one agent says, with its face and name. */
export const AgentAnswer = memo(function AgentAnswer({ turn, agent, deeds, isLast, isMarked }: Props) {
  const t = useTexts(roomTexts)
  const headingId = useId()
  const message = turn.message!
  const isComing = turn.status === 'asked'
  return (
    <article
      aria-labelledby={headingId}
      aria-busy={isComing}
      data-message={message.id}
      data-agent={turn.agent}
      data-last={isLast || undefined}
      className={clsx(
        'group flex min-w-0 flex-col rounded-lg border border-line bg-surface/50 px-3 pt-2',
        isMarked && 'bg-mark!',
      )}
    >
      <div className="flex min-w-0 items-center gap-2">
        <Avatar agent={agent} />
        <h2 id={headingId} className="flex min-w-0">
          <NameChip agent={agent} />
        </h2>
        {isComing && (
          <LoaderCircle aria-label={t.status.asked} className="size-4 shrink-0 animate-spin text-muted" />
        )}
        {message.createdAt && (
          <RelativeTime
            time={message.createdAt}
            className="ml-auto shrink-0 text-xs whitespace-nowrap text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
          />
        )}
      </div>
      <MessageBoundary fallback={<ValueView label={agent.name} value={message.parts} />}>
        <Answer message={message} />
      </MessageBoundary>
      <div className="mt-auto flex min-h-8 min-w-0 flex-wrap items-center gap-1">
        {isComing && <Resuming isResuming={message.isResuming} />}
        {turn.status === 'failed' && (
          <Button
            size="small"
            aria-label={t.askAgainOf(agent.displayName || agent.name)}
            onClick={() => deeds.askAgain(turn.agent)}
          >
            {t.askAgain}
          </Button>
        )}
        {isStored(message) && <MessageActions actions={deeds.actionsOf(message, turn)} />}
        <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          <TokenUsage usage={message.metadata?.usage} />
        </span>
      </div>
    </article>
  )
})

const isStored = (message: ShownMessage): message is Message => 'seq' in message

import { clsx } from 'clsx'
import { Lock, MicOff } from 'lucide-react'
import { memo } from 'react'
import { messageText } from '../../../src/core/protocol/message-text.ts'
import { usePreferences } from '../shell/preferences.ts'
import { useTexts } from '../shell/texts.ts'
import { AgentAnswer } from './agent-answer.tsx'
import type { ShownRound, ShownTurn } from './room-items.ts'
import { roomTexts } from './texts.ts'
import { RoutingLine } from './routing-line.tsx'
import type { RoomDeeds } from './use-room-deeds.ts'
import type { FindAgent } from './use-room-names.ts'
import { Whisper } from './whisper.tsx'

interface Props {
  round: ShownRound
  agentOf: FindAgent
  deeds: RoomDeeds
  isLast: boolean
  markedId?: string
}

/** All who were asked at once: side by side where there is room for it. */
export const RoundView = memo(function RoundView({ round, agentOf, deeds, isLast, markedId }: Props) {
  const t = useTexts(roomTexts)
  const layout = usePreferences(({ roomLayout = 'columns' }) => roomLayout)
  const nameOf = (name: string) => {
    const { displayName } = agentOf(name)
    return displayName || name
  }
  const { turns, routing } = round
  const namesOf = (some: ShownRound['turns']) => some.map(({ agent }) => nameOf(agent))
  const spoken = turns.filter(({ isPrivate, message }) => !isPrivate && message !== undefined)
  const whispers = turns.filter((turn) => turn.isPrivate && isHeard(turn) && !isRepeated(turn, spoken))
  const hidden = turns.filter(
    ({ isPrivate, message, whisper, status }) =>
      isPrivate && !message && whisper === undefined && status !== 'skipped',
  )
  const silent = turns.filter(({ status, message }) => status === 'skipped' && !message)
  const inColumns = layout === 'columns' && spoken.length > 1
  return (
    <section
      aria-label={t.routing}
      data-round
      className={clsx('mx-auto w-full min-w-0 px-4 pt-3', inColumns ? 'max-w-6xl' : 'max-w-3xl')}
    >
      {routing && <RoutingLine routing={routing} turns={turns} nameOf={nameOf} />}
      <div
        className={clsx(
          'mt-1 grid min-w-0 gap-3',
          inColumns ? 'grid-cols-[repeat(auto-fit,minmax(min(100%,17rem),1fr))]' : 'grid-cols-1',
        )}
      >
        {spoken.map((turn) => (
          <AgentAnswer
            key={turn.agent}
            turn={turn}
            agent={agentOf(turn.agent)}
            deeds={deeds}
            isLast={isLast}
            isMarked={turn.message!.id === markedId}
          />
        ))}
      </div>
      {whispers.map((turn) => (
        <Whisper key={turn.agent} turn={turn} agent={agentOf(turn.agent)} deeds={deeds} />
      ))}
      {hidden.length > 0 && <Aside icon={Lock}>{t.actsHidden(namesOf(hidden))}</Aside>}
      {silent.length > 0 && <Aside icon={MicOff}>{t.staysSilent(namesOf(silent))}</Aside>}
    </section>
  )
})

const isHeard = ({ message, whisper }: ShownTurn) => message !== undefined || whisper !== undefined

/** What was private became public with the end of the round. */
const isRepeated = ({ agent, whisper }: ShownTurn, spoken: readonly ShownTurn[]) =>
  whisper !== undefined &&
  spoken.some(({ agent: speaker, message }) => speaker === agent && messageText(message!).includes(whisper))

function Aside({ icon: Icon, children }: { icon: typeof Lock; children: string }) {
  return (
    <p className="mt-1 flex items-center gap-1.5 px-1 text-sm text-muted">
      <Icon aria-hidden className="size-3.5 shrink-0" />
      <bdi className="min-w-0 wrap-anywhere">{children}</bdi>
    </p>
  )
}

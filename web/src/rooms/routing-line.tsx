import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { Routing } from '../../../src/extensions/room/protocol/room.ts'
import { useTexts } from '../shell/texts.ts'
import { roomFormTexts, roomTexts } from './texts.ts'
import type { ShownTurn } from './room-items.ts'

interface Props {
  routing: Routing
  turns: readonly ShownTurn[]
  nameOf(agent: string): string
}

/** Who was asked, in a line; why, and who was not, when it is opened. */
export function RoutingLine({ routing, turns, nameOf }: Props) {
  const t = useTexts(roomTexts)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const asked = turns.map(({ agent }) => nameOf(agent))
  // who acts in secret is not told: then nobody is named, and not said that nobody was asked
  const who = asked.length > 0 ? t.asked(asked) : routing.reason === 'nobody' ? t.nobodyAsked : undefined
  const summary = [who, routing.text].filter(Boolean).join(' · ')
  return (
    <div data-routing={routing.reason} className="text-xs text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full min-w-0 items-center gap-1 rounded-md px-1 py-0.5 text-start hover:bg-hover hover:text-text"
      >
        <span className="sr-only">{t.routing}: </span>
        <bdi className="min-w-0 truncate">{summary}</bdi>
        <ChevronRight aria-hidden className={`size-3.5 shrink-0 ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && (
        <div id={id}>
          <Details routing={routing} turns={turns} nameOf={nameOf} />
        </div>
      )}
    </div>
  )
}

function Details({ routing, turns, nameOf }: Props) {
  const t = useTexts(roomTexts)
  const { policies } = useTexts(roomFormTexts)
  const { mentions, policy, phase, left = [], stopped, reason } = routing
  const names = (agents: readonly string[]) => agents.map(nameOf).join(', ')
  const facts: [string, string][] = [
    [t.why, t.reasons[reason]],
    ...(turns.length > 0
      ? turns.map(({ agent, status }): [string, string] => [nameOf(agent), t.status[status]])
      : []),
    ...(mentions.length > 0 ? [[t.mentioned, names(mentions)] as [string, string]] : []),
    ...(policy ? [[t.policy, policies[policy].label] as [string, string]] : []),
    ...(phase ? [[t.phase, phase] as [string, string]] : []),
    ...(stopped ? [[t.stoppedBy, t.stops[stopped]] as [string, string]] : []),
  ]
  return (
    <div className="mt-1 mb-1 ml-2 border-l-2 border-line pl-3">
      <p className="wrap-anywhere">{routing.text}</p>
      <dl className="mt-1 grid grid-cols-[max-content_1fr] gap-x-3 gap-y-0.5">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="max-w-40 truncate font-medium">
              <bdi>{name}</bdi>
            </dt>
            <dd className="min-w-0 wrap-anywhere">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {left.length > 0 && (
        <>
          <p className="mt-1 font-medium">{t.leftOut}</p>
          <ul>
            {left.map((one) => (
              <li key={one.agent} className="wrap-anywhere">
                <bdi>{nameOf(one.agent)}</bdi>: {leftReason(one.reason, t.leftReasons)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** In our words where the server names a reason that we know; otherwise in its own. */
const leftReason = (reason: string, known: Record<string, string>) =>
  Object.hasOwn(known, reason) ? known[reason]! : reason

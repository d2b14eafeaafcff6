import { Moon, Skull, Sun, Trophy } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import { Tag } from '../../ui/tag.tsx'
import { Avatar } from '../avatar.tsx'
import { modeTexts } from '../texts.ts'
import type { StandingProps } from './standing-props.ts'
import { readWerewolf, type Ballots } from './read-state.ts'

/** Night or day, who lives, and who has won. */
export function WerewolfBar({ state, agentOf, nameOf }: StandingProps) {
  const t = useTexts(modeTexts)
  const { phase, round, aliveCount, players, winner } = readWerewolf(state)
  const Sky = phase.startsWith('night') ? Moon : Sun
  return (
    <>
      <span className="flex items-center gap-1.5 text-sm font-medium" data-phase={phase}>
        <Sky aria-hidden className="size-4 shrink-0" />
        {t.gamePhases[phase] ?? phase}
      </span>
      {round > 0 && <span className="text-sm text-muted">{t.round(round)}</span>}
      {players.length > 0 && <span className="text-sm text-muted">{t.alive(aliveCount)}</span>}
      {winner !== undefined && (
        <Tag state="completed">
          <Trophy aria-hidden className="size-3.5" />
          {t.winners[winner] ?? winner}
        </Tag>
      )}
      <ul aria-label={t.players} className="order-last flex w-full min-w-0 flex-wrap gap-1">
        {players.map(({ name, death, role }) => (
          <li
            key={name}
            data-player={name}
            data-dead={death ? true : undefined}
            className="flex min-w-0 items-center gap-1 rounded-full border border-line bg-raised py-0.5 pr-2 pl-0.5 text-xs"
          >
            {death ? (
              <span className="flex size-6 shrink-0 items-center justify-center">
                <Skull aria-hidden className="size-4 text-muted" />
              </span>
            ) : (
              <Avatar agent={agentOf(name)} size="small" />
            )}
            <bdi className={`min-w-0 truncate ${death ? 'text-muted line-through' : ''}`}>{nameOf(name)}</bdi>
            {role !== undefined && <span className="text-muted">{t.roles[role] ?? role}</span>}
            {death && (
              <span className="sr-only">
                {t.isDead(death.round)} {t.deadBy[death.cause] ?? death.cause}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

/** How was voted, the last time first. */
export function WerewolfDetails({ state, nameOf }: StandingProps) {
  const { votes } = readWerewolf(state)
  return votes
    .toReversed()
    .map((vote) => <Vote key={`${vote.round}-${vote.attempt}`} vote={vote} nameOf={nameOf} />)
}

function Vote({ vote, nameOf }: { vote: Ballots; nameOf(name: string): string }) {
  const t = useTexts(modeTexts)
  const { round, attempt, ballots, out, isTied } = vote
  return (
    <section aria-label={t.vote(round, attempt)} className="text-sm">
      <h3 className="flex flex-wrap items-center gap-2 font-medium">
        {t.vote(round, attempt)}
        {out !== undefined && <Tag>{t.voteOut(nameOf(out))}</Tag>}
        {isTied && <Tag state="degraded">{t.voteTied}</Tag>}
      </h3>
      <ul className="flex flex-wrap gap-x-3 text-muted">
        {ballots.map(({ player, target }) => (
          <li key={player} className="min-w-0 wrap-anywhere">
            <bdi>
              {target === undefined ? t.abstains(nameOf(player)) : t.votesFor(nameOf(player), nameOf(target))}
            </bdi>
          </li>
        ))}
      </ul>
    </section>
  )
}

import { clsx } from 'clsx'
import type { Agent } from '../../../src/extensions/agents/protocol/agent.ts'
import { colourOf, textOn } from './colour.ts'

interface Props {
  agent: Pick<Agent, 'name' | 'displayName' | 'avatar' | 'color'>
  size?: 'small' | 'normal'
  className?: string
}

/** The face of an agent, in a ring of its colour; whoever shows it says the name beside it. */
export function Avatar({ agent, size = 'normal', className }: Props) {
  return (
    <span
      aria-hidden
      className={clsx(
        'inline-flex shrink-0 items-center justify-center overflow-hidden rounded-full border-2 bg-raised leading-none font-semibold select-none',
        size === 'small' ? 'size-6 text-xs' : 'size-8 text-base',
        className,
      )}
      style={{ borderColor: colourOf(agent) }}
    >
      {agent.avatar || firstLetter(agent.displayName || agent.name)}
    </span>
  )
}

const firstLetter = (name: string) => String.fromCodePoint(name.codePointAt(0) ?? 63).toUpperCase()

/** The name of an agent on its colour. */
export function NameChip({ agent }: { agent: Pick<Agent, 'name' | 'displayName' | 'color'> }) {
  const colour = colourOf(agent)
  return (
    <span
      className="inline-block max-w-full truncate rounded-full px-2 text-sm leading-6 font-medium"
      style={{ backgroundColor: colour, color: textOn(colour) }}
    >
      <bdi>{agent.displayName || agent.name}</bdi>
    </span>
  )
}

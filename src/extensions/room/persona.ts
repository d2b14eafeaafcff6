import type { Agent } from '../agents/protocol/agent.ts'
import type { RoomFacts } from './modes/mode.ts'
import { displayNameOf } from './name-lookup.ts'

/** The persona of an agent as the agent sees it. */
export function describeSelf(agent: Agent): string {
  const name = displayNameOf(agent)
  const called = agent.name === name ? '' : ` (@${agent.name})`
  const intro = `You are ${name}${called}, one of several in a room. Answer in the language of the person you talk with.`
  return agent.persona ? `${intro}\n\n${agent.persona.trim()}` : intro
}

/** Who else is there: the same text for as long as nobody comes or goes. */
export function describePeers({ agents, humans }: RoomFacts, self: Agent): string {
  const others = agents.filter(({ name }) => name !== self.name)
  const lines = [
    ...others.map((agent) => `- ${displayNameOf(agent)}, called @${agent.name}${aboutOf(agent)}`),
    ...humans.map((human) => `- ${displayNameOf(human)}, a person`),
  ]
  return `Also in the room:\n${lines.join('\n')}`
}

const aboutOf = ({ description }: Agent) =>
  description === undefined ? '' : `: ${description.replace(/\s+/g, ' ').slice(0, 200)}`

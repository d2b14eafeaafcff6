import { agentNameSchema, createAgentSchema, type CreateAgent } from '../../agents/protocol/agent.ts'
import { isReserved } from '../../agents/protocol/reserved-names.ts'
import { foldName } from '../../../core/shared/fold-name.ts'
import type { Draft } from '../../../core/sessions/formats/foreign/conversation.ts'
import { asText } from '../../../core/sessions/formats/foreign/fields.ts'
import type { RoleConfig } from './role-config.ts'

export type NewAgent = Omit<CreateAgent, 'scope'>

// the most that a room has
const maxAgents = 50

/** The name of an agent for one that is called so elsewhere; undefined where nothing of it can be kept. */
export function toAgentName(called: string | undefined): string | undefined {
  const word = called
    ?.trim()
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^\p{L}\p{N}_-]/gu, '')
    .replace(/^[_-]+/, '')
  const name = Array.from(word ?? '')
    .slice(0, 50)
    .join('')
  // somebody else is called so in every room
  return agentNameSchema.safeParse(isReserved(name) ? `${name}-agent` : name).data
}

/** Participants of a conversation: those that the roles name, and everyone who spoke. */
export function agentsOf(messages: readonly Draft[], roles: RoleConfig): NewAgent[] {
  const agents = new Map(roles.agents.map((agent) => [foldName(agent.name), agent]))
  for (const { metadata = {} } of messages) {
    const name = asText(metadata.agent)
    if (name !== undefined && !agents.has(foldName(name)))
      agents.set(foldName(name), { name, ...shownAs(name, asText(metadata.sender)) })
  }
  return [...agents.values()].slice(0, maxAgents)
}

function shownAs(name: string, sender: string | undefined): Pick<NewAgent, 'displayName'> {
  const { data: displayName } = createAgentSchema.shape.displayName.safeParse(sender?.trim())
  return displayName && displayName !== name && !isReserved(displayName) ? { displayName } : {}
}

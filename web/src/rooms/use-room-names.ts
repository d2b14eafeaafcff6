import { useMemo } from 'react'
import type { Agent } from '../../../src/extensions/agents/protocol/agent.ts'
import type { RoomRecord } from '../../../src/extensions/room/protocol/room.ts'
import { useTexts } from '../shell/texts.ts'
import { defaultHuman } from './forms/room-draft.ts'
import { roomTexts } from './texts.ts'

/** How somebody in the room is shown, also when nobody knows more than the name. */
export type FindAgent = (name: string) => Pick<Agent, 'name' | 'displayName' | 'avatar' | 'color'>

export interface RoomNames {
  agentOf: FindAgent
  nameOf(name: string): string
}

/** How those in the room are called and look, people too. */
export function useRoomNames({ agents, settings }: RoomRecord): RoomNames {
  const t = useTexts(roomTexts)
  const { humans } = settings
  return useMemo(() => {
    const known = new Map<string, ReturnType<FindAgent>>([
      [defaultHuman, { name: defaultHuman, displayName: t.operator, avatar: '🧑' }],
      ...(humans ?? []).map((human) => [human.name, { avatar: '🧑', ...human }] as const),
      ...agents.map((agent) => [agent.name, agent] as const),
    ])
    const agentOf: FindAgent = (name) => known.get(name) ?? { name }
    return { agentOf, nameOf: (name) => agentOf(name).displayName || name }
  }, [agents, humans, t])
}

import { useQuery } from '@tanstack/react-query'
import type { AgentPage } from '../../../src/extensions/agents/protocol/agent.ts'
import type { RoomMode } from '../../../src/extensions/room/protocol/room.ts'
import { useClient } from '../api/api.tsx'
import { roomKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'

// more agents than this are files of a mistake
const maxAgents = 200

/** All agents of the scope, wherever they come from. */
export function useAgents() {
  const { agents } = useClient()
  const scope = useScope()
  return useQuery({
    queryKey: roomKeys.agents({ scope }),
    queryFn: (): Promise<AgentPage> => agents.list({ scope, limit: maxAgents }),
  })
}

export function useModes() {
  const { rooms } = useClient()
  const scope = useScope()
  return useQuery({
    queryKey: roomKeys.modes(),
    queryFn: async (): Promise<readonly RoomMode[]> => (await rooms.modes({ scope })).items,
    // they come with the server
    staleTime: Infinity,
  })
}

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ScanText } from 'lucide-react'
import type { Session } from '../../../src/client/index.ts'
import type { Agent } from '../../../src/extensions/agents/protocol/agent.ts'
import { roomKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Empty, Failure, Loading } from '../ui/states.tsx'
import { useClient } from '../api/api.tsx'
import { Avatar } from './avatar.tsx'
import { latestTurns } from './latest-turns.ts'
import { roomTexts } from './texts.ts'
import { useAgents } from './use-agents.ts'

// who has not spoken for longer is found in the conversation
const maxRounds = 50

/** A room has no prompt of its own: leads to what each of its agents was sent last. */
export function RoomContext({ session: { id: sessionId } }: { session: Session }) {
  const t = useTexts(roomTexts)
  const { rooms } = useClient()
  const scope = useScope()
  const navigate = useNavigate()
  const { data: agents } = useAgents()
  const { data, error, refetch } = useQuery({
    queryKey: [...roomKeys.rounds(sessionId), 'latest'],
    queryFn: () => rooms.rounds(sessionId, { scope, limit: maxRounds }),
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const turns = latestTurns(data.items)
  if (turns.length === 0) return <Empty>{t.nothingSentYet}</Empty>
  return (
    <div className="p-3">
      <p className="pb-2 text-sm text-muted">{t.contextHint}</p>
      <ul className="divide-y divide-line rounded-lg border border-line bg-page">
        {turns.map(({ agent, runId, sessionId: seat }) => {
          const known: Pick<Agent, 'name' | 'displayName' | 'avatar' | 'color'> = agents?.items.find(
            ({ name }) => name === agent,
          ) ?? { name: agent }
          return (
            <li key={agent}>
              <button
                type="button"
                onClick={() =>
                  void navigate({
                    to: '/sessions/$sessionId',
                    params: { sessionId: seat },
                    search: { scope, dock: 'context', run: runId },
                  })
                }
                className="flex w-full min-w-0 items-center gap-2 px-3 py-2 text-start hover:bg-hover"
              >
                <Avatar agent={known} size="small" />
                <bdi className="min-w-0 flex-1 truncate">{known.displayName || agent}</bdi>
                <ScanText aria-hidden className="size-4 shrink-0 text-muted" />
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

import type { Round } from '../../../src/extensions/room/protocol/room.ts'

/** The last turn of each agent that can be looked into, whoever spoke last first; rounds come newest first. */
export function latestTurns(
  rounds: readonly Round[],
): readonly { agent: string; runId: string; sessionId: string }[] {
  const latest = new Map<string, { agent: string; runId: string; sessionId: string }>()
  for (const { turns } of rounds)
    for (const { agent, runId, sessionId } of turns)
      if (runId !== undefined && sessionId !== undefined && !latest.has(agent))
        latest.set(agent, { agent, runId, sessionId })
  return [...latest.values()]
}

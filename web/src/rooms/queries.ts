import type { StaleQueries } from '../api/stale-queries.ts'

export const roomKeys = {
  room: (id: string, as?: string) => ['session', id, 'room', as] as const,
  rounds: (id: string) => ['session', id, 'rounds'] as const,
  modes: () => ['room-modes'] as const,
  agents: (filter: object = {}) => ['agents', filter] as const,
  threads: (filter: object = {}) => ['threads', filter] as const,
}

export const roomQueries: StaleQueries = {
  agents: { events: ['agent-*'] },
  // a thread counts its sessions
  threads: { events: ['thread-*', 'session-*'] },
}

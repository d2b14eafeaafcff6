import type { Session } from '../../../src/client/index.ts'

/** As the server has it: sessions in which several agents answer. */
export const isRoom = ({ kind, mode, agents }: Pick<Session, 'kind' | 'mode' | 'agents'>): boolean =>
  kind === 'interactive' && mode !== undefined && mode !== 'plan' && agents !== undefined

/** A room as one of its agents sees it. */
export const isSeat = ({ kind, toolMeta }: Pick<Session, 'kind' | 'toolMeta'>): boolean =>
  kind === 'tool' && toolMeta?.source === 'room-seat'

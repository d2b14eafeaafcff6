import { notFound } from '../../protocol/error.ts'
import type { ScopeSettings } from '../../protocol/settings.ts'
import type { Session } from '../../protocol/session.ts'
import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'
import type { StoreSlice } from '../store-slice.ts'
import type { SessionRow } from '../tables/sessions.ts'
import { toEpoch, type Epoch, type EpochRow } from './epochs.ts'
import { createFacets } from './session-facets.ts'
import { toSession } from './sessions.ts'
import { scopeSettingsKey } from './settings.ts'

/** What a turn begins with, as of one moment. */
export interface TurnStart {
  session: Session
  /** What is set for its scope. */
  settings: ScopeSettings
  /** The folder of its scope. */
  root?: string
  /** The newest one. */
  epoch?: Epoch
  /** Whether it has a run that has not ended. */
  isBusy: boolean
  /** Whether something waits in its inbox. */
  hasInbox: boolean
  /** The extensions that have something in its scope, of those that say how to see it (`isInScope`). */
  inScope: readonly string[]
}

export interface TurnStartQueries {
  /** One statement; throws `not_found` when the scope has no such session. */
  requireTurnStart(scope: string, sessionId: string): Promise<TurnStart>
}

interface StartRow extends SessionRow {
  scope_root: string | null
  scope_settings: string | null
  is_busy: unknown
  has_inbox: unknown
  epoch: number | null
  epoch_window_start: number
}

export function turnStartQueries(context: QueryContext, slices: readonly StoreSlice[]): TurnStartQueries {
  const facets = createFacets(context.facets.names)
  const selectStart = selectFor(slices)
  return {
    async requireTurnStart(scope, sessionId) {
      const [row] = await selectStart(context, [sessionId, scope])
      if (!row) throw notFound('session', sessionId)
      const flags = row as unknown as Record<string, unknown>
      return {
        session: toSession(row, facets),
        settings: row.scope_settings === null ? {} : (JSON.parse(row.scope_settings) as ScopeSettings),
        ...(row.scope_root !== null && { root: row.scope_root }),
        ...(row.epoch !== null && {
          epoch: toEpoch({ ...(row as unknown as EpochRow), window_start: row.epoch_window_start }),
        }),
        isBusy: Boolean(row.is_busy),
        hasInbox: Boolean(row.has_inbox),
        inScope: slices.flatMap(({ name }, index) => (flags[`in_scope_${index}`] ? name : [])),
      }
    },
  }
}

type Select = ReturnType<typeof statement<StartRow>>
const selects = new WeakMap<readonly StoreSlice[], Select>()

function selectFor(slices: readonly StoreSlice[]): Select {
  const known = selects.get(slices)
  if (known) return known
  const inScope = slices.flatMap(({ isInScope }, index) =>
    isInScope === undefined ? [] : `, (${isInScope}) as in_scope_${index}`,
  )
  const select = statement<StartRow>(`
    select sessions.*, scopes.root as scope_root,
      (select value from settings where scope = sessions.scope and key = '${scopeSettingsKey}') as scope_settings,
      exists (select 1 from runs where session_id = sessions.id and status in ('queued', 'running')) as is_busy,
      exists (select 1 from inbox where session_id = sessions.id and taken_at is null) as has_inbox,
      epochs.epoch, epochs.system, epochs.fragments, epochs.sources, epochs.sent,
      epochs.window_start as epoch_window_start
      ${inScope.join('')}
    from sessions join scopes on scopes.name = sessions.scope
      left join prompt_epochs as epochs on epochs.session_id = sessions.id and epochs.epoch =
        (select max(epoch) from prompt_epochs where session_id = sessions.id)
    where sessions.id = ? and sessions.scope = ?
  `)
  selects.set(slices, select)
  return select
}

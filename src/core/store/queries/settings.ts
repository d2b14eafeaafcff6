import type { QueryContext } from '../query-context.ts'
import { statement } from '../statement.ts'

/** The key of what is set for the sessions of a scope: one row, which a turn reads with its start. */
export const scopeSettingsKey = 'sessions'

/** Small JSON values by scope and key. */
export interface SettingQueries {
  getSetting(scope: string, key: string): Promise<unknown>
  /** `undefined` takes the setting away. */
  putSetting(scope: string, key: string, value: unknown): Promise<void>
}

export function settingQueries(context: QueryContext): SettingQueries {
  const { db, clock } = context
  return {
    async getSetting(scope, key) {
      const [row] = await selectOne(context, [scope, key])
      return row && JSON.parse(row.value)
    },
    async putSetting(scope, key, value) {
      if (value === undefined) {
        await db.deleteFrom('settings').where('scope', '=', scope).where('key', '=', key).execute()
        return
      }
      const columns = { value: JSON.stringify(value), updated_at: clock.now() }
      await db
        .insertInto('settings')
        .values({ scope, key, ...columns })
        .onConflict((oc) => oc.columns(['scope', 'key']).doUpdateSet(columns))
        .execute()
    },
  }
}

const selectOne = statement<{ value: string }>(`select value from settings where scope = ? and key = ?`)

import pg from 'pg'

/** What can be read of a database without changing it. */
export interface PostgresFacts {
  /** Undefined where Parley has not been yet. */
  schema?: number
  /** Whether the user may make tables, which the first start of a version does. */
  canCreate: boolean
  /** How far its clock is ahead of ours, give or take the way there. */
  aheadMs: number
}

/** Throws what `pg` throws. */
export async function probePostgres(url: string): Promise<PostgresFacts> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the query that it breaks reports it
  await client.connect()
  try {
    const ask = async <T>(query: string) => (await client.query<{ value: T }>(query)).rows[0]!.value
    const isKnown = await ask<boolean>(`select to_regclass('schema_versions') is not null as value`)
    const schema = isKnown
      ? await ask<number | null>('select max(number)::int as value from schema_versions')
      : null
    const canCreate = await ask<boolean>(
      `select coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as value`,
    )
    const sentAt = Date.now()
    const now = await ask<number>('select extract(epoch from clock_timestamp())::float8 * 1000 as value')
    const aheadMs = Math.round(now - (sentAt + Date.now()) / 2)
    return { ...(schema !== null && { schema }), canCreate, aheadMs }
  } finally {
    await client.end()
  }
}

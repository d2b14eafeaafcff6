import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { readMigrations } from '../core/store/migrate.ts'
import { probePostgres, type PostgresFacts } from '../core/store/postgres/probe.ts'
import { checkDatabase } from '../core/store/sqlite/database-file.ts'
import { findingOf, Trouble, type Finding } from './doctor-finding.ts'

// leases are measured by the database, but times in messages and logs by the node
const skewMs = 5_000

export async function checkStore({ databaseUrl, dataDir }: Config): Promise<Finding[]> {
  if (databaseUrl === undefined) return [await findingOf('store', async () => checkSqlite(dataDir))]
  let facts: PostgresFacts | undefined
  const store = await findingOf('store', async () => {
    facts = await probe(databaseUrl)
    return judgePostgres(facts, new URL(databaseUrl))
  })
  return facts ? [store, checkClock(facts)] : [store]
}

function checkSqlite(dataDir: string): string | Pick<Finding, 'detail' | 'next'> {
  const file = join(dataDir, 'parley.db')
  if (!existsSync(file)) return 'sqlite, no database yet: the first start makes one'
  const schema = readable(file)
  return judgeSchema('sqlite', schema, 'parley backup <folder>')
}

function readable(file: string): number {
  try {
    return checkDatabase(file)
  } catch (error) {
    throw new Trouble(
      (error as Error).message,
      'stop the server and put a backup in its place: parley restore <folder> --force',
    )
  }
}

function judgePostgres(
  { schema, canCreate }: PostgresFacts,
  { username, pathname }: URL,
): string | Pick<Finding, 'detail' | 'next'> {
  if (!canCreate)
    throw new Trouble(
      `postgres: ${username} may not make tables in the database ${pathname.slice(1)}`,
      `as its owner: grant create on schema public to "${username}"`,
    )
  if (schema === undefined) return 'postgres, no tables yet: the first start makes them'
  return judgeSchema('postgres', schema, 'pg_dump --format=custom --file=parley.dump "$DATABASE_URL"')
}

function judgeSchema(
  backend: 'sqlite' | 'postgres',
  schema: number,
  backup: string,
): string | Pick<Finding, 'detail' | 'next'> {
  const newest = readMigrations(backend).at(-1)!.number
  const detail = `${backend}, schema version ${schema}`
  if (schema > newest)
    throw new Trouble(
      `${detail}, but this Parley knows versions up to ${newest}`,
      'start the newer Parley that made it, or restore a backup from before (docs/upgrading.md)',
    )
  if (schema === newest) return detail
  return {
    detail: `${detail}; the next start brings it to ${newest}`,
    next: `make a backup first: ${backup}`,
  }
}

export function checkClock({ aheadMs }: Pick<PostgresFacts, 'aheadMs'>): Finding {
  const seconds = Math.abs(aheadMs / 1_000).toFixed(1)
  const ok = Math.abs(aheadMs) <= skewMs
  return {
    check: 'clock',
    ok: true,
    detail: ok
      ? 'that of the database agrees'
      : `that of the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`,
    ...(!ok && { next: 'turn time synchronisation (NTP) on, or messages have wrong times' }),
  }
}

async function probe(databaseUrl: string): Promise<PostgresFacts> {
  try {
    return await probePostgres(databaseUrl)
  } catch (error) {
    const { hostname, port, username, pathname } = new URL(databaseUrl)
    const [at, database] = [`${hostname}:${port || 5432}`, pathname.slice(1)]
    const [what, next] = explain(codeOf(error), { at, username, database }) ?? [
      (error as Error).message || `no answer from ${at}`,
      'correct DATABASE_URL: postgres://user:password@host:5432/database',
    ]
    throw new Trouble(`postgres: ${what}`, next)
  }
}

/** When several addresses of a name refuse, the error has a list of errors and no code itself. */
function codeOf(error: unknown): string | undefined {
  const { code, errors, message } = error as AggregateError & { code?: string }
  if (/timeout expired/.test(message)) return 'ETIMEDOUT'
  return code ?? (errors?.[0] as { code?: string } | undefined)?.code
}

function explain(
  code: string | undefined,
  { at, username, database }: { at: string; username: string; database: string },
): [what: string, next: string] | undefined {
  switch (code) {
    case 'ECONNREFUSED':
      return [`nothing listens at ${at}`, 'start PostgreSQL there, or correct DATABASE_URL']
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return [`there is no host of that name: ${at}`, 'correct the host in DATABASE_URL, or see to the DNS']
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
      return [`${at} does not answer`, 'see to the network and the firewall, or correct DATABASE_URL']
    case '28P01':
    case '28000':
      return [
        `${at} does not let ${username} in (${code})`,
        'correct user and password in DATABASE_URL; pg_hba.conf must let this machine in',
      ]
    case '3D000':
      return [`${at} has no database ${database}`, `make it: createdb ${database}; or correct DATABASE_URL`]
    case '53300':
      return [
        `${at} has no connection left`,
        'raise max_connections, or lower postgres.poolSize (it counts for every node)',
      ]
    default:
      return undefined
  }
}

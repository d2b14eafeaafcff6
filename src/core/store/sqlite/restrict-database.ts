import { DatabaseSync } from 'node:sqlite'
import { isAbsolute, relative, sep } from 'node:path'
import type { Clock } from '../../shared/clock.ts'
import { createIds } from '../../shared/ids.ts'
import type { StoreSlice } from '../store-slice.ts'
import { hasTable } from './foreign-schema.ts'

/**
 * What a database that came from elsewhere may not bring along: everything that would start something by itself, or do
 * something without asking. It is taken back in one transaction, with a line of the audit for each thing that was changed.
 * What was said: sessions, messages, rules that refuse or ask, modes that do less, stays.
 */

export interface Restrictions {
  /** What extensions would have started by itself, and was active. */
  triggers: string[]
  /** Scopes whose mode, rules or groups allowed more than the default. */
  scopes: string[]
  /** The same of sessions, and folders that they had been granted. */
  sessions: string[]
  /** Scopes that named a folder of the machine; the configuration names it again. */
  roots: string[]
  /** Asks of unfinished runs that were answered with yes, or would have been after a while: they are asked again. */
  approvals: string[]
}

export interface RestrictOptions {
  clock: Clock
  /** Where folders of sessions are after the restore. */
  workspacesDir: string
  slices: readonly StoreSlice[]
}

export const restoredReason = 'Paused after a restore: look at it, and resume it if it is to go on.'

export function restrictDatabase(file: string, options: RestrictOptions): Restrictions {
  using database = new DatabaseSync(file, { enableForeignKeyConstraints: true })
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA synchronous = FULL; BEGIN IMMEDIATE')
  const work = { database, ...options, audit: auditor(database, options.clock) }
  const restrictions: Restrictions = {
    triggers: options.slices.flatMap(
      ({ restrict }) =>
        restrict?.({
          database,
          reason: restoredReason,
          hasTable: (name) => hasTable(database, name),
          pauseActive: (table, resourceType) => pauseActive(work, table, resourceType),
        }) ?? [],
    ),
    scopes: restrictScopes(work),
    sessions: restrictSessions(work),
    roots: forgetRoots(work),
    approvals: forgetAnswers(work),
  }
  database.exec('COMMIT')
  return restrictions
}

interface Work extends RestrictOptions {
  database: DatabaseSync
  audit: ReturnType<typeof auditor>
}

function auditor(database: DatabaseSync, clock: Clock) {
  const ids = createIds(clock)
  const insert = database.prepare(`
    insert into audit (id, scope, actor_type, actor_id, action, resource_type, resource_id, session_id, result, detail, created_at)
    values (?, ?, 'system', 'restore', 'restrict', ?, ?, ?, 'success', ?, ?)`)
  return (scope: string, type: string, id: string, detail: object, sessionId?: string): void =>
    void insert.run(ids.next('aud'), scope, type, id, sessionId ?? null, JSON.stringify(detail), clock.now())
}

function pauseActive({ database, audit }: Work, table: string, resourceType: string): string[] {
  if (!hasTable(database, table)) return []
  const rows = database.prepare(`select id, scope, name from ${table} where status = 'active'`).all() as {
    id: string
    scope: string
    name: string
  }[]
  database
    .prepare(`update ${table} set status = 'paused', reason = ? where status = 'active'`)
    .run(restoredReason)
  for (const { id, scope, name } of rows) audit(scope, resourceType, id, { name, status: 'paused' })
  return rows.map(({ id }) => id)
}

function restrictScopes({ database, audit }: Work): string[] {
  const rows = database.prepare(`select scope, key, value from settings`).all() as {
    scope: string
    key: string
    value: string
  }[]
  const update = database.prepare(`update settings set value = ? where scope = ? and key = ?`)
  return rows.flatMap(({ scope, key, value }) => {
    const { fields, restricted } = restrictAuthority(parseObject(value))
    if (restricted.length === 0) return []
    update.run(JSON.stringify(fields), scope, key)
    audit(scope, 'settings', scope, { fields: restricted })
    return [scope]
  })
}

function restrictSessions({ database, audit, workspacesDir }: Work): string[] {
  const update = database.prepare(`update sessions set facets = ? where id = ?`)
  // ids first: rows are changed while they are gone through, and all facets at once may be much
  const ids = database.prepare(`select id from sessions where facets <> '{}' order by id`).all() as {
    id: string
  }[]
  const select = database.prepare(`select scope, facets from sessions where id = ?`)
  return ids.flatMap(({ id }) => {
    const row = select.get(id) as { scope: string; facets: string }
    const { fields, restricted } = restrictAuthority(parseObject(row.facets))
    for (const meta of ['bgMeta', 'toolMeta']) restricted.push(...dropFolders(fields, meta, workspacesDir))
    if (restricted.length === 0) return []
    update.run(JSON.stringify(fields), id)
    audit(row.scope, 'session', id, { fields: restricted }, id)
    return [id]
  })
}

// these do no more than the default, whatever the configuration
const lesserModes: unknown[] = ['default', 'plan', 'dontAsk']

/** Keeps what refuses, asks or switches off; nothing else is known to be harmless. */
function restrictAuthority(before: Record<string, unknown>) {
  const { permissionMode, permissionRules, toolGroups, grantedPaths, ...fields } = before
  const restricted: string[] = []
  const keep = (name: string, value: unknown, kept: unknown): void => {
    if (kept !== undefined) fields[name] = kept
    if (JSON.stringify(kept) !== JSON.stringify(value)) restricted.push(name)
  }
  if (permissionMode !== undefined)
    keep('permissionMode', permissionMode, lesserModes.includes(permissionMode) ? permissionMode : 'default')
  if (permissionRules !== undefined)
    keep('permissionRules', permissionRules, asList(permissionRules).filter(isLimit))
  if (toolGroups !== undefined)
    keep(
      'toolGroups',
      toolGroups,
      pick(toolGroups, (value) => value === false),
    )
  if (grantedPaths !== undefined && asList(grantedPaths).length > 0) restricted.push('grantedPaths')
  return { fields, restricted }
}

const isLimit = (rule: unknown) =>
  ['deny', 'ask'].includes(String((rule as { decision?: unknown } | null)?.decision))

/** Folders elsewhere on the machine, which a session would work in without asking. */
function dropFolders(fields: Record<string, unknown>, meta: string, workspacesDir: string): string[] {
  const before = fields[meta]
  if (typeof before !== 'object' || before === null) return []
  const isOurs = (path: unknown) =>
    typeof path === 'string' && isAbsolute(path) && isBelow(workspacesDir, path)
  const kept = pick(before, (value, key) => !/workspaceDir$/i.test(key) || isOurs(value))
  if (Object.keys(kept).length === Object.keys(before).length) return []
  fields[meta] = kept
  return [`${meta}.workspaceDir`]
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function forgetRoots({ database, audit }: Work): string[] {
  const rows = database.prepare(`select name, root from scopes where root is not null`).all() as {
    name: string
    root: string
  }[]
  database.exec('update scopes set root = null')
  for (const { name, root } of rows) audit(name, 'scope', name, { root })
  return rows.map(({ name }) => name)
}

/** Without the row, the run asks again. */
function forgetAnswers({ database, audit }: Work): string[] {
  if (!hasTable(database, 'approvals')) return []
  const rows = database
    .prepare(
      `select approvals.id, approvals.scope, approvals.session_id from approvals join runs on runs.id = approvals.run_id
       where runs.status in ('queued', 'running')
         and (approvals.status = 'approved' or (approvals.fallback = 'allow' and approvals.status in ('pending', 'expired')))`,
    )
    .all() as { id: string; scope: string; session_id: string }[]
  const remove = database.prepare('delete from approvals where id = ?')
  for (const { id, scope, session_id } of rows) {
    remove.run(id)
    audit(scope, 'approval', id, { status: 'asked again' }, session_id)
  }
  return rows.map(({ id }) => id)
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const pick = (value: unknown, keeps: (value: unknown, key: string) => boolean): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([key, inner]) => keeps(inner, key)))

/** A text that is none has no rights either: it is read as damaged. */
function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/**
 * Databases of tests on one PostgreSQL. To make one and to drop it takes many times as long as to empty it, so they are
 * taken again. The name says whether one is free: renaming is atomic, and refused while somebody is connected.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

/** What the databases are made from. With it they all go. */
export interface Template {
  name: string
  /** A digest of its tables. */
  shape: string
}

export interface TakenDatabase {
  url: string
  giveBack(): Promise<void>
}

export async function createTemplate(
  server: string,
  migrate: (url: string) => Promise<void>,
): Promise<Template> {
  const name = `parley_${crypto.randomUUID().replaceAll('-', '')}`
  await withClient(server, (admin) => admin.query(`create database ${name}`))
  const url = urlOf(server, name)
  await migrate(url)
  return { name, shape: await withClient(url, readShape) }
}

export const dropTemplate = (server: string, { name }: Template) =>
  withClient(server, async (admin) => {
    for (const database of await listDatabases(admin, name))
      await admin.query(`drop database ${database} with (force)`)
  })

/** One with our tables and nothing in them, or without any when it is to be `isEmpty`. */
export async function takeDatabase(
  server: string,
  template: Template,
  { isEmpty }: { isEmpty: boolean },
): Promise<TakenDatabase> {
  const id = crypto.randomUUID().slice(0, 8)
  const name = `${template.name}_${id}`
  const admin = new Client({ connectionString: server })
  await admin.connect()
  const isTaken = !isEmpty && (await takeFree(admin, template, name))
  if (!isTaken) await admin.query(`create database ${name} template ${isEmpty ? 'template1' : template.name}`)
  const url = urlOf(server, name)
  return {
    url,
    async giveBack() {
      const isClean =
        !isEmpty &&
        (await areGone(admin, name)) &&
        (await withClient(url, (client) => empty(client, template))) &&
        (await areGone(admin, name))
      if (isClean) await admin.query(`alter database ${name} rename to ${freePrefix(template)}${id}`)
      else await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

const urlOf = (server: string, database: string) =>
  Object.assign(new URL(server), { pathname: `/${database}` }).href
const freePrefix = (template: Template) => `${template.name}_free_`

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

async function listDatabases(admin: Client, prefix: string): Promise<string[]> {
  const query = 'select datname as name from pg_database where starts_with(datname, $1)'
  const { rows } = await admin.query<{ name: string }>(query, [prefix])
  return rows.map(({ name }) => name)
}

async function takeFree(admin: Client, template: Template, name: string): Promise<boolean> {
  for (const free of await listDatabases(admin, freePrefix(template))) {
    const isTaken = await admin.query(`alter database ${free} rename to ${name}`).then(
      () => true,
      // somebody else was quicker
      () => false,
    )
    if (isTaken) return true
  }
  return false
}

/** Whether all that were connected have left; PostgreSQL itself would look only every 100 ms. */
async function areGone(admin: Client, database: string): Promise<boolean> {
  const query = 'select count(*)::int from pg_stat_activity where datname = $1'
  for (let tries = 0; tries < 20; tries++) {
    const { rows } = await admin.query<{ count: number }>(query, [database])
    if (rows[0]!.count === 0) return true
    await sleep(2)
  }
  return false
}

const maxBytes = 64 * 1_024 * 1_024

/** Answers whether nobody can tell it from a new one. */
async function empty(client: Client, { shape }: Template): Promise<boolean> {
  // one that has grown would be slower than a new one
  const { rows } = await client.query<{ size: string }>(
    'select pg_database_size(current_database())::text as size',
  )
  if (Number(rows[0]!.size) > maxBytes || (await readShape(client).catch(() => '')) !== shape) return false
  const isEmptied = await client.query(emptyAll).then(
    () => true,
    // only a superuser may leave out the checks of what refers to what
    () => false,
  )
  return isEmptied
}

const emptyAll = `do $$
  declare
    name text;
    is_filled boolean;
  begin
    set local session_replication_role = replica;
    for name in select tablename from pg_tables where schemaname = 'public' and tablename not in ('schema_versions', 'extension_versions') loop
      execute format('select exists (select from %I)', name) into is_filled;
      if is_filled then execute format('delete from %I', name); end if;
    end loop;
    for name in select sequencename from pg_sequences where schemaname = 'public' loop
      execute format('alter sequence %I restart', name);
    end loop;
  end
$$`

/** Tables, indexes, columns, constraints, triggers and functions, and which migrations made them. */
async function readShape(client: Client): Promise<string> {
  const { rows } = await client.query<{ shape: string }>(`
    select md5(string_agg(line, ' ' order by line)) as shape from (
      select concat_ws(' ', relname, relkind, attname, atttypid, attnotnull, atthasdef) as line
        from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = 'public'::regnamespace and attnum > 0
      union all
      select concat_ws(' ', conname, conrelid::regclass) from pg_constraint where connamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', tgname, tgrelid::regclass, tgenabled) from pg_trigger where not tgisinternal
      union all
      select proname || prosrc from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', number, name) from schema_versions
      union all
      select concat_ws(' ', extension, number, name) from extension_versions
    ) lines`)
  return rows[0]!.shape
}

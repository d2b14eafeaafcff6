import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { systemClock } from '../src/shared/clock.ts'
import { createIds } from '../src/shared/ids.ts'
import { openPostgres as openBackend } from '../src/store/postgres/open.ts'
import { createStore } from '../src/store/store.ts'
import type { PostgresReport, Shutdown } from './postgres-server.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Admin URL of a PostgreSQL that lives as long as the test run; a test makes its own database in it. */
    postgresUrl: string
    /** Name of a database there that has our tables and nothing in them; what is made from it need not make them again. */
    postgresTemplate: string
  }
}

interface Postgres {
  url: string
  stop(): Promise<void>
}

/** One that can be down for a while. */
interface OwnPostgres extends Postgres {
  pause(how: Shutdown): Promise<void>
  resume(): Promise<void>
}

/** Global set-up of the integration tests: one PostgreSQL per run, or the one PARLEY_TEST_POSTGRES_URL names. */
export default async function setup(project: TestProject) {
  try {
    const server = await openPostgres(process.env.PARLEY_TEST_POSTGRES_URL)
    const template = await createTemplate(server.url)
    project.provide('postgresUrl', server.url)
    project.provide('postgresTemplate', template.name)
    return async () => {
      await template.drop()
      await server.stop()
    }
  } catch (error) {
    // thrown, it would come with a stack and a claim that there are no tests
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    return process.exit(1)
  }
}

async function openPostgres(url: string | undefined): Promise<Postgres> {
  if (!url) return startPostgres()
  await requireConnection(url)
  return { url, stop: async () => {} }
}

async function createTemplate(url: string) {
  const name = `parley_template_${crypto.randomUUID().replaceAll('-', '')}`
  const admin = async (query: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(query).finally(() => client.end())
  }
  await admin(`create database ${name}`)
  const backend = openBackend({
    url: Object.assign(new URL(url), { pathname: `/${name}` }).href,
    poolSize: 1,
  })
  await (await createStore(backend, { clock: systemClock, ids: createIds(systemClock) })).close()
  return { name, drop: () => admin(`drop database ${name} with (force)`) }
}

/** Starts a PostgreSQL of our own. It ends with `stop`, or with this process, however that ends. */
export async function startPostgres(): Promise<OwnPostgres> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('postgres-server.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // out of the terminal's reach: Ctrl-C ends us, and our end of the pipe ends it
    detached: true,
  })
  const closed = once(child, 'close')
  const lines = createInterface(child.stdout)
  const answer = async () => {
    const [line] = await Promise.race([
      once(lines, 'line'),
      closed.then(() => ['{"error":"its starter died"}']),
    ])
    const report = JSON.parse(line) as PostgresReport
    if ('url' in report) return report.url
    throw new Error(
      `Cannot start PostgreSQL for the tests (${report.error}); set PARLEY_TEST_POSTGRES_URL to use another.`,
    )
  }
  const command = async (line: Shutdown | 'start') => {
    child.stdin.write(`${line}\n`)
    await answer()
  }
  return {
    url: await answer(),
    pause: command,
    resume: () => command('start'),
    async stop() {
      child.stdin.end()
      await closed
    },
  }
}

async function requireConnection(url: string) {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.end()
  } catch (cause) {
    const { message, code } = cause as Error & { code?: string }
    // refused at both addresses of localhost, the message is empty
    const reason = message || code
    throw new Error(
      `Cannot connect to the PostgreSQL that PARLEY_TEST_POSTGRES_URL names (${reason}); correct or unset it.`,
      { cause },
    )
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import type { PostgresReport, Shutdown } from './postgres-server.ts'

interface Postgres {
  url: string
  stop(): Promise<void>
}

/** One that can be down for a while. */
interface OwnPostgres extends Postgres {
  pause(how: Shutdown): Promise<void>
  resume(): Promise<void>
}

/** The one of this run, or the one that `url` names. */
export async function openPostgres(url: string | undefined): Promise<Postgres> {
  if (!url) return startPostgres()
  await requireConnection(url)
  return { url, stop: async () => {} }
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

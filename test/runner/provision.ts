/**
 * What test files share and most do not need: PostgreSQL, the built program, the bundled nodes, the workbench. Each is
 * made when the first test file asks for it, once per run, so that a run of one file waits for nothing it does not use.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inject } from 'vitest'
import type { Template } from '../postgres-pool.ts'

export interface Provisions {
  /** Admin URL of a PostgreSQL that lives as long as the run, and a database there with our tables and no rows. */
  postgres: { url: string; template: Template }
  /** Path of `dist/cli/parley.js`. */
  program: string
  /** Path of the script that starts a bundled node. */
  nodes: string
  /** Folder with the built workbench. */
  workbench: string
  /** Path of a program or library from Debian's packages. */
  [program: `programs/${string}`]: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    provisionsUrl: string
    /** A SQLite file that has our tables and nothing in them. */
    sqliteTemplate: string
  }
}

/** Runs in the process of the runner and makes what is asked for once; answers where to ask. */
export async function serveProvisions(make: (name: keyof Provisions) => Promise<unknown>) {
  const made = new Map<string, Promise<unknown>>()
  const server = createServer((request, response) => {
    // a connection that is kept may be closed here in the moment in which a busy process uses it again
    response.setHeader('connection', 'close')
    const name = request.url!.slice(1)
    const making = made.get(name) ?? make(name as keyof Provisions)
    made.set(name, making)
    making.then(
      (value) => response.end(JSON.stringify({ value })),
      (error: Error) => response.end(JSON.stringify({ error: error.message })),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const provided = new Map<string, Promise<unknown>>()

/** Runs in the process of a test file. */
export const needProgram = (name: string): Promise<string> => need(`programs/${name}`)

export function need<Name extends keyof Provisions>(name: Name): Promise<Provisions[Name]> {
  const asked = provided.get(name) ?? ask(name)
  provided.set(name, asked)
  return asked as Promise<Provisions[Name]>
}

async function ask(name: string): Promise<unknown> {
  const response = await fetch(`${inject('provisionsUrl')}/${name}`)
  const answer = (await response.json()) as { value?: unknown; error?: string }
  if (answer.error !== undefined) throw new Error(answer.error)
  return answer.value
}

import { startServer, type ServerProcess, type StartOptions } from './server-process.ts'

/** A server on a port that stays its own while it is down: systems hand out higher ones. */
export async function startOnOwnPort({ args = [], ...options }: StartOptions): Promise<ServerProcess> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 6_000)
    try {
      return await startServer({ ...options, args: [...args, '--port', String(port)] })
    } catch (error) {
      if (!String(error).includes('is in use')) throw error
    }
  }
}

import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port for a server that is started later, or is down for a while: below those that systems give to whoever asks for
 * any, which would have it meanwhile, and not one of the databases (postgres-server.ts).
 */
export async function findOwnPort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 6_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    probe.close()
    if (isFree) return port
  }
}

import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port for a server that is started later, or is down for a while: below those that systems give to outgoing
 * connections. One of these would have the port meanwhile, and a client that tries to reach the server might even get
 * connected to itself.
 */
export async function findOwnPort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 22_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    probe.close()
    if (isFree) return port
  }
  throw new Error('no free port')
}

import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createParley } from '../../src/parley.ts'
import { temporaryFolder } from '../harness.ts'

/** What a receiver is really sent when a task that is called "nightly report" fails. */
export async function receiveFailure(): Promise<string> {
  using folder = temporaryFolder()
  const receiver = createServer().listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  try {
    await using parley = await createParley({
      dataDir: folder.path,
      webhooks: { allowPrivate: ['127.0.0.1'] },
      chat: { maxAttempts: 1 },
    })
    await parley.webhooks.create({ event: 'bg:session.failed', url, filter: { label: 'nightly report' } })
    const called = once(receiver, 'request')
    await parley.sessions.create({ kind: 'background', prompt: 'fail', label: 'nightly report' })
    const [request, response] = await called
    const body = await text(request)
    response.end()
    return body
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}

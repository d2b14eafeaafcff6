import { expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { ParleyError } from '../../src/core/protocol/error.ts'
import { temporaryFolder } from '../harness.ts'
import { createRandom } from '../seed.ts'
import { startServer } from '../server-process.ts'

it('ends with code 0 on SIGTERM under load, and answers no request it took with a server error', async () => {
  using folder = temporaryFolder()
  const random = createRandom()
  const acknowledged: string[] = []
  for (let round = 0; round < 8; round++) {
    const server = await startServer({ env: { PARLEY_DATA_DIR: folder.path } })
    const { sessions } = createClient({ baseUrl: server.url })
    const errors: ParleyError[] = []
    const enough = acknowledged.length + 1 + random() * 100
    const writers = Array.from({ length: 8 }, async () => {
      for (;;)
        try {
          acknowledged.push((await sessions.create()).id)
        } catch (error) {
          return void errors.push(error as ParleyError)
        }
    })
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(enough)
    expect(await server.kill('SIGTERM')).toEqual({ code: 0, signal: null })
    await Promise.all(writers)
    // the client says so when nobody answers; what the server itself says has a request id
    expect(errors.filter(({ requestId }) => requestId !== undefined)).toEqual([])
    expect(server.log()).toBe('')
  }
  const server = await startServer({ env: { PARLEY_DATA_DIR: folder.path } })
  const { sessions } = createClient({ baseUrl: server.url })
  for (const id of acknowledged) expect((await sessions.get(id)).id).toBe(id)
  await server.kill('SIGTERM')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/shared/clock.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { post, startProvider, toolCall } from './nodes.ts'
import { need } from '../runner/provision.ts'

describe.each(databases)('a run that takes its process down each time on %s', (_name, openDatabase) => {
  it('is given up after three times, and others come to their end', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const permit = join(folder.path, 'permit')
    // the good run is in flight at the first death, and finishes before the next: at three deaths it is given up too
    const died = Promise.withResolvers<void>()
    await using provider = await startProvider(async (messages) => {
      if (JSON.stringify(messages).includes('poison'))
        return { toolCalls: [toolCall('call_1', 'poison', {})] }
      await died.promise
      return { text: 'fine' }
    })
    const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
    await using store = await database.open(systemClock)
    const node = await start(provider.url, storage, permit)
    const begin = async (content: string) => {
      const { id } = (await (await post(`${node.url}/api/sessions`, {})).json()) as { id: string }
      const response = await post(`${node.url}/api/sessions/${id}/chat`, { content })
      return { id, runId: response.headers.get('x-parley-run')! }
    }
    const good = await begin('hello')
    const bad = await begin('poison')
    await post(`${node.url}/api/sessions/${bad.id}/chat`, { content: 'hello' })

    writeFileSync(permit, '')
    const isGoodOver = async () => (await store.getRun('default', good.runId))?.status === 'completed'
    let deaths = 0
    let current = node
    const goOn = async () => {
      if (current.child.signalCode !== null) {
        if (deaths++ === 0) rmSync(permit)
        died.resolve()
        current = await start(provider.url, storage, permit)
      }
      if (deaths > 0 && (await isGoodOver())) writeFileSync(permit, '')
      return (await store.getRun('default', bad.runId))?.status
    }
    await expect.poll(goOn, { timeout: 200_000, interval: 50 }).toBe('failed')
    expect(deaths).toBe(3)
    const run = await store.getRun('default', bad.runId)
    expect(run).toMatchObject({ status: 'failed', attempt: 4, outcome: { code: 'crash_loop' } })
    expect(await store.getRun('default', good.runId)).toMatchObject({ status: 'completed' })
  }, 240_000)
})

async function start(providerUrl: string, storage: string, permit: string) {
  const program = await need('nodes')
  const child = spawn(process.execPath, [program, 'poison-node.ts', providerUrl, storage, permit], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    // it may die of what it finds before it says anything
    exited.then(() => ['']),
  ])) as [string]
  return { url, child }
}

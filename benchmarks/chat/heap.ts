/** Uses sessions once each through the library; prints the heap in use after each thousand. Needs --expose-gc. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createParley } from '../../src/parley.ts'

const [providerUrl, folder] = process.argv.slice(2) as [string, string]
const atOnce = 16
const perSample = 1_000

await using parley = await createParley({
  dataDir: folder,
  models: { model: 'openai/bench-50', openai: { apiKey: 'bench-key', baseUrl: providerUrl } },
})
const heaps: number[] = []
while (heaps.length < 3) {
  let left = perSample
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) {
        const { id } = await parley.sessions.create()
        await parley.sessions.chat(id, 'Tell me something.')
      }
    }),
  )
  // what the turns left to timers, as the search index, is over then
  await sleep(2_000)
  globalThis.gc!()
  await sleep(100)
  globalThis.gc!()
  heaps.push(process.memoryUsage().heapUsed)
}
process.stdout.write(`${JSON.stringify(heaps)}\n`)

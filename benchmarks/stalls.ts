import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Figure } from './bench.ts'
import { serveParley } from './chat/parley.ts'
import { programFile, stallOf, withProcesses, type Program } from './chat/process.ts'
import { attacks, hostileBodies, type Attack } from './stalls/attacks.ts'
import { key, openTarget, scope, type Target } from './stalls/target.ts'
import { routesWithBody } from './stalls/routes.ts'

const goal = { max: 200 }

/** The longest time that one request keeps the event loop, for everything that a key for one scope can send. */
export const stalls: Bench = {
  name: 'stalls',
  run: () =>
    withProcesses(async (start, folder) => {
      const config = join(folder, 'parley.yaml')
      writeFileSync(
        config,
        `apiKey: a-key-for-the-operator\napiKeys: [{ name: guest, key: ${key}, scopes: [${scope}] }]\n`,
      )
      const { program, url } = await serveParley(start, {
        folder,
        name: 'stalls',
        config,
        probe: programFile('../stalls/probe.ts'),
      })
      const target = await openTarget(url)
      const figures: Figure[] = []
      for (const attack of attacks) figures.push(await measure(program, target, attack))
      for (const [what, value] of await worstOfRoutes(program, target))
        figures.push({ what, value, unit: 'ms', goal })
      return figures
    }),
}

async function measure(program: Program, target: Target, attack: Attack): Promise<Figure> {
  await attack.prepare?.(target)
  await settle(program)
  const status = await send(() => attack.run(target))
  const value = await stallAfter(program)
  process.stderr.write(`  ${value} ms  ${attack.name} → ${status}\n`)
  return { what: attack.name, value, unit: 'ms', goal }
}

/** For every hostile body, the longest stall of all the routes that take one. */
async function worstOfRoutes(program: Program, target: Target): Promise<Map<string, number>> {
  const routes = await routesWithBody(target)
  const worst = new Map<string, number>()
  for (const bytes of [1_000_000, 9_900_000])
    for (const [name, body] of hostileBodies(bytes)) {
      await settle(program)
      for (const { method, path } of routes) await send(() => target.send(method, path, body))
      const what = `${name}, ${bytes / 1e6} MB, to each of ${routes.length} routes`
      worst.set(what, await stallAfter(program))
      process.stderr.write(`  ${worst.get(what)} ms  ${what}\n`)
    }
  return worst
}

async function send(work: () => Promise<Response>): Promise<number> {
  const answer = await work()
  for await (const _ of answer.body ?? []) continue
  return answer.status
}

/** What an answer left to be done after it counts too. */
const stallAfter = async (program: Program) => (await sleep(1_500), stallOf(program))

const settle = async (program: Program) => void (await stallAfter(program))

import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { median, type Bench } from './bench.ts'
import { createSession, serveParley } from './chat/parley.ts'
import { programFile, stallOf, withProcesses } from './chat/process.ts'

const imported = 120_000
const searches = 25

/** A search after a large import, beside one when all of it is indexed; and what the index costs others meanwhile. */
export const search: Bench = {
  name: 'search',
  run: () =>
    withProcesses(async (start, folder) => {
      const config = join(folder, 'parley.yaml')
      writeFileSync(config, 'limits: { bodyBytes: 200000000 }\n')
      const probe = programFile('../stalls/probe.ts')
      const { program, url } = await serveParley(start, { folder, name: 'search', config, probe })
      const send = async (path: string, body?: string, type = 'application/json'): Promise<unknown> => {
        const headers = { 'content-type': type }
        const answer = await fetch(`${url}${path}`, { headers, ...(body && { method: 'POST', body }) })
        if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
        return answer.json()
      }
      const find = async () => {
        const began = performance.now()
        const { indexing } = (await send('/api/search?q=word7+word77')) as { indexing?: { messages: number } }
        return { ms: performance.now() - began, left: indexing?.messages ?? 0 }
      }
      const append = async (id: string) => {
        const began = performance.now()
        await send(`/api/sessions/${id}/messages`, '{"role":"user","content":"between"}')
        return performance.now() - began
      }
      const session = await createSession(url)
      // what a process does for the first time is slow for other reasons
      for (let warmUp = 0; warmUp < 5; warmUp++) await append(session).then(find)

      await send('/api/sessions/import', lines(), 'application/jsonl')
      const began = performance.now()
      const first = await find()
      await stallOf(program)
      const during: { search: number; append: number }[] = []
      for (let left = first.left; left > 0; await sleep(100)) {
        const found = await find()
        left = found.left
        if (left > 0) during.push({ search: found.ms, append: await append(session) })
      }
      const seconds = (performance.now() - began) / 1_000
      const stall = await stallOf(program)
      const after: { search: number; append: number }[] = []
      for (let count = 0; count < searches; count++)
        after.push({ append: await append(session), search: (await find()).ms })
      const later = median(after.map((one) => one.search))
      const medianOf = (what: 'search' | 'append', from: typeof after) => median(from.map((one) => one[what]))
      return [
        { what: `messages that the first search after ${imported} did not see`, value: first.left, unit: '' },
        { what: 'the first search', value: first.ms, unit: 'ms' },
        { what: 'a search when all is indexed', value: later, unit: 'ms' },
        { what: 'the first one to that', value: first.ms / later, unit: '×', goal: { max: 5 } },
        { what: 'a search while it is indexed', value: medianOf('search', during), unit: 'ms' },
        { what: 'an append while it is indexed', value: medianOf('append', during), unit: 'ms' },
        { what: 'an append after that', value: medianOf('append', after), unit: 'ms' },
        { what: 'until all is indexed', value: seconds, unit: 's' },
        { what: 'longest stall while it is indexed', value: stall, unit: 'ms', goal: { max: 60 } },
      ]
    }),
}

/** 40 words each, of a few thousand. */
const lines = () =>
  Array.from({ length: imported }, (_, index) => {
    const words = Array.from({ length: 40 }, (__, at) => `word${(index * 31 + at * at * 17) % 5_003}`)
    return JSON.stringify({ role: 'user', content: words.join(' ') })
  }).join('\n')

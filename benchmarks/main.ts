import { cpus } from 'node:os'
import { background } from './background.ts'
import { isMet, type Bench } from './bench.ts'
import { cache } from './cache.ts'
import { chatGrowth } from './chat-growth.ts'
import { chatLongAnswer } from './chat-long-answer.ts'
import { chatMemory } from './chat-memory.ts'
import { chat } from './chat.ts'
import { command } from './command.ts'
import { growth } from './growth.ts'
import { imports } from './import.ts'
import { load } from './load.ts'
import { operations } from './operations.ts'
import { plan } from './plan.ts'
import { knowledge } from './knowledge.ts'
import { roomMentions } from './room-mentions.ts'
import { resume } from './resume.ts'
import { room } from './room.ts'
import { search } from './search.ts'
import { stalls } from './stalls.ts'
import { store } from './store.ts'
import { toTable, writeFigures, type Measured } from './table.ts'
import { window } from './window.ts'
import { workbench } from './workbench.ts'
import { workflow } from './workflow.ts'

const benches: Bench[] = [
  store,
  chat,
  chatGrowth,
  chatLongAnswer,
  chatMemory,
  load,
  operations,
  resume,
  stalls,
  cache,
  window,
  background,
  workflow,
  plan,
  growth,
  search,
  knowledge,
  room,
  roomMentions,
  command,
  imports,
  workbench,
]

const asJson = process.argv.includes('--json')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  const names = benches.map(({ name }) => name).join(', ')
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${names}.\n`)
  process.exit(2)
}
const chosen = benches.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
const results: Measured[] = []
for (const { name, run } of chosen) {
  process.stderr.write(`${name}…\n`)
  for (const figure of await run()) results.push({ bench: name, ...figure, met: isMet(figure) })
}
const machine = `${cpus().length} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`
if (asJson) process.stdout.write(`${JSON.stringify({ machine, results }, undefined, 2)}\n`)
else process.stdout.write(`${machine}\n\n${toTable(results)}\n`)
if (process.argv.includes('--write')) writeFigures(machine, results)
if (results.some(({ met }) => met === false)) process.exitCode = 1

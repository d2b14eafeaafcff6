import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { background } from './background.ts'
import { isMet, type Bench } from './bench.ts'
import { cache } from './cache.ts'
import { chatGrowth } from './chat-growth.ts'
import { chatLongAnswer } from './chat-long-answer.ts'
import { chatMemory } from './chat-memory.ts'
import { chat } from './chat.ts'
import { chunks } from './chunks.ts'
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
import { soak } from './soak.ts'
import { stalls } from './stalls.ts'
import { store } from './store.ts'
import { toTable, writeFigures, type Measured } from './table.ts'
import { window } from './window.ts'
import { workbench } from './workbench.ts'
import { workflow } from './workflow.ts'

const benches: Bench[] = [
  store,
  chat,
  chunks,
  chatGrowth,
  chatLongAnswer,
  chatMemory,
  load,
  soak,
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

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, write: { type: 'boolean' }, turns: { type: 'string' } },
})
const turns = values.turns === undefined ? undefined : Number(values.turns)
if (turns !== undefined && !(Number.isInteger(turns) && turns > 0)) {
  process.stderr.write(`--turns takes a number of turns, not ${values.turns}.\n`)
  process.exit(2)
}
const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  const names = benches.map(({ name }) => name).join(', ')
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${names}.\n`)
  process.exit(2)
}
const chosen = benches.filter(({ name, isLong }) => (wanted.length === 0 ? !isLong : wanted.includes(name)))
const results: Measured[] = []
for (const { name, run } of chosen) {
  process.stderr.write(`${name}…\n`)
  for (const figure of await run({ turns })) results.push({ bench: name, ...figure, met: isMet(figure) })
}
const machine = `${cpus().length} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}`
if (values.json) process.stdout.write(`${JSON.stringify({ machine, results }, undefined, 2)}\n`)
else process.stdout.write(`${machine}\n\n${toTable(results)}\n`)
if (values.write) writeFigures(machine, results)
if (results.some(({ met }) => met === false)) process.exitCode = 1

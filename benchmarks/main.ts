import { cpus } from 'node:os'
import { background } from './background.ts'
import { isMet, type Bench, type Figure } from './bench.ts'
import { chatGrowth } from './chat-growth.ts'
import { chatLongAnswer } from './chat-long-answer.ts'
import { chatMemory } from './chat-memory.ts'
import { chat } from './chat.ts'
import { plan } from './plan.ts'
import { knowledge } from './knowledge.ts'
import { roomMentions } from './room-mentions.ts'
import { room } from './room.ts'
import { store } from './store.ts'
import { window } from './window.ts'
import { workbench } from './workbench.ts'
import { workflow } from './workflow.ts'

const benches: Bench[] = [
  store,
  chat,
  chatGrowth,
  chatLongAnswer,
  chatMemory,
  window,
  background,
  workflow,
  plan,
  knowledge,
  room,
  roomMentions,
  workbench,
]

const asJson = process.argv.includes('--json')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const results: (Figure & { bench: string; met?: boolean })[] = []
for (const bench of benches) {
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue
  process.stderr.write(`${bench.name}…\n`)
  for (const figure of await bench.run()) results.push({ bench: bench.name, ...figure, met: isMet(figure) })
}
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`
if (asJson) process.stdout.write(`${JSON.stringify({ machine, results }, undefined, 2)}\n`)
else process.stdout.write(`${machine}\n\n${toTable()}\n`)
if (results.some(({ met }) => met === false)) process.exitCode = 1

function toTable(): string {
  const rows = results.map(({ bench, what, value, unit, goal, met }) => {
    const bound = goal
      ? [goal.min !== undefined && `≥ ${goal.min}`, goal.max !== undefined && `≤ ${goal.max}`]
          .filter(Boolean)
          .join(', ')
      : ''
    return `| ${bench} | ${what} | ${value >= 100 ? Math.round(value) : value.toFixed(2)} ${unit} | ${bound} | ${met === undefined ? '' : met ? 'yes' : 'NO'} |`
  })
  return ['| bench | what | figure | goal | met |', '|---|---|---|---|---|', ...rows].join('\n')
}

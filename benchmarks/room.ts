import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelAdapter, ModelEvent, ModelRequest } from '../src/core/models/adapter.ts'
import { createParley, type Parley } from '../src/parley.ts'
import { median, type Bench, type Figure } from './bench.ts'
import { commonPrefix } from './common-prefix.ts'

const agents = Array.from({ length: 20 }, (_, index) => `agent${index + 1}`)
const rounds = 20
const pieces = 25
const pieceMs = 20

/** A room of twenty: whether all speak at once, and what of their prompts a provider has seen before. */
export const room: Bench = {
  name: 'room',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    const requests = new Map<string, string[]>()
    const model = createSpeaker(requests)
    try {
      await using parley = await createParley({
        dataDir: folder,
        models: { extra: { bench: () => model }, model: model.id },
      })
      const times = await converse(parley, model)
      return [...toFigures(times), ...toShares(requests)]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

interface Speaker extends ModelAdapter {
  /** How long each call took by itself, since it was last asked for. */
  takeTimes(): number[]
}

/** Speaks for half a second, as fast as most models do. */
function createSpeaker(requests: Map<string, string[]>): Speaker {
  let times: number[] = []
  return {
    id: 'bench/speaker',
    takeTimes() {
      const taken = times
      times = []
      return taken
    },
    async *stream(request): AsyncGenerator<ModelEvent> {
      const begun = performance.now()
      const [, agent = ''] = /You are (\w+)/.exec(request.system) ?? []
      requests.set(agent, [...(requests.get(agent) ?? []), textOf(request)])
      for (let piece = 0; piece < pieces; piece++) {
        await sleep(pieceMs)
        yield { type: 'text-delta', text: `${agent} ` }
      }
      times.push(performance.now() - begun)
      yield { type: 'finish', reason: 'stop', usage: {} }
    },
  }
}

/** In the order in which providers cache. */
const textOf = ({ tools, system, messages }: ModelRequest) =>
  JSON.stringify(tools) + JSON.stringify(system) + JSON.stringify(messages)

async function converse({ agents: stored, sessions }: Parley, model: Speaker) {
  for (const name of agents)
    await stored.create({ name, persona: 'You speak for half a second. '.repeat(10) })
  const { id } = await sessions.create({ agents })
  const times: { total: number; slowest: number; sum: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now()
    await sessions.chat(id, `What do you think of point ${round + 1}?`)
    const alone = model.takeTimes()
    times.push({
      total: performance.now() - begun,
      slowest: Math.max(...alone),
      sum: alone.reduce((sum, time) => sum + time, 0),
    })
  }
  return times
}

function toFigures(times: { total: number; slowest: number; sum: number }[]): Figure[] {
  return [
    {
      what: `${agents.length} agents: until all have answered`,
      value: median(times.map(({ total }) => total)),
      unit: 'ms',
    },
    {
      what: 'to the slowest agent alone',
      value: median(times.map(({ total, slowest }) => total / slowest)),
      unit: '×',
      goal: { max: 1.5 },
    },
    {
      what: 'to one after another',
      value: median(times.map(({ total, sum }) => total / sum)),
      unit: '×',
      goal: { max: 0.1 },
    },
  ]
}

/** Of each agent: how much of its prompts had been sent with the prompt before. */
function toShares(requests: Map<string, string[]>): Figure[] {
  const shares = [...requests.values()].map((texts) => {
    const later = texts.slice(1)
    const known = later.reduce((sum, text, index) => sum + commonPrefix(texts[index]!, text), 0)
    return known / later.reduce((sum, { length }) => sum + length, 0)
  })
  return [
    {
      what: `cached prefix over ${rounds} rounds, the worst agent`,
      value: Math.min(...shares),
      unit: '',
      goal: { min: 0.9 },
    },
  ]
}

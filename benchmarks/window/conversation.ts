import { createParley } from '../../src/parley.ts'
import type { ModelAdapter, ModelRequest } from '../../src/core/models/adapter.ts'
import { commonPrefix } from '../common-prefix.ts'

export interface Conversation {
  turns: number
  /** One entry for each turn. */
  samples: Sample[]
  /** How often the window began elsewhere than before. */
  cuts: number
  /** The turn during or after which each memo was asked for, and how long the request was. */
  memos: { turn: number; length: number }[]
}

export interface Sample {
  ms: number
  /** Of this process, what goes on in the background included; a busy machine changes it less than the time. */
  cpuMs: number
  /** Share of this prompt that it has in common with the one before. */
  prefix: number
  length: number
}

/** One session in memo mode with a limit of 12,000 characters, against a model that answers at once. */
export async function converse(dataDir: string, turns: number): Promise<Conversation> {
  const random = createRandom(7)
  const prompts: ModelRequest[] = []
  const memos: Conversation['memos'] = []
  const model: ModelAdapter = {
    id: 'scripted/bench',
    async *stream(request) {
      const isMemo = request.cacheKey.endsWith(':memo')
      if (isMemo) memos.push({ turn: prompts.length, length: toText(request).length })
      else prompts.push(request)
      const text = isMemo ? writeMemo(memos.length, random) : prose(random(80, 400), random)
      yield { type: 'text-delta', text }
      yield { type: 'finish', reason: 'stop', usage: {} }
    },
  }
  await using parley = await createParley({
    dataDir,
    models: { model: 'scripted/bench', extra: { scripted: () => model } },
    session: { mode: 'memo', limit: { chars: 12_000 } },
  })
  const { id } = await parley.sessions.create()
  const samples: Sample[] = []
  let cuts = 0
  let before = { text: '', oldest: 1 }
  for (let turn = 1; turn <= turns; turn++) {
    const content = `[${turn}] ${prose(random(40, 240), random)}`
    const start = performance.now()
    const startCpu = process.cpuUsage()
    const { run } = await parley.sessions.chat(id, content)
    const ms = performance.now() - start
    const cpu = process.cpuUsage(startCpu)
    if (run.status !== 'completed') throw new Error(`Turn ${turn} ended as ${run.status}`)
    const text = toText(prompts.at(-1)!)
    const oldest = Number(/"text":"\[(\d+)\]/.exec(text)![1])
    if (oldest !== before.oldest) cuts++
    samples.push({
      ms,
      cpuMs: (cpu.user + cpu.system) / 1_000,
      prefix: commonPrefix(before.text, text) / text.length,
      length: text.length,
    })
    before = { text, oldest }
    // what was looked at is not needed any more; five thousand prompts would be in the way of what is measured
    prompts.fill(undefined as never, 0, -1)
  }
  // a cut after the last turn shows in no prompt any more
  await parley.windows.stop(60_000)
  const { startSeq } = (await parley.store.getWindowState(id))!
  if ((startSeq + 1) / 2 !== before.oldest) cuts++
  return { turns, samples, cuts, memos }
}

/** What a provider sees, in the order in which it caches. */
const toText = ({ system, messages }: ModelRequest) => JSON.stringify([system, ...messages])

type Random = (min: number, max: number) => number

/** Whole numbers, the same in every run. */
function createRandom(seed: number): Random {
  let state = seed
  return (min, max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return min + Math.floor((state / 2 ** 32) * (max - min + 1))
  }
}

const words = 'the window of a session begins where turn and answer fit so that what was sent stays'.split(
  ' ',
)

function prose(length: number, random: Random): string {
  let text = ''
  while (text.length < length) text += `${words[random(0, words.length - 1)]} `
  return text.slice(0, length)
}

/** As a model would: a few dozen entries that come and go, and a text about the last turns. */
const writeMemo = (count: number, random: Random) =>
  JSON.stringify({
    preferences: Array.from({ length: 4 }, (_, index) => `preference ${index}: ${prose(40, random)}`),
    facts: Array.from({ length: 16 }, (_, index) => `fact ${count - index}: ${prose(50, random)}`),
    recent_summary: prose(300, random),
  })

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, type Bench, type Figure } from './bench.ts'
import { converse, type Conversation, type Sample } from './window/conversation.ts'

const turns = 5_000
const edge = 500
// a few cuts in each, so that all are alike
const perChunk = 50

/** A conversation of 5,000 turns in memo mode: what its memo costs, what of its prompts is cached, what a turn takes. */
export const window: Bench = {
  name: 'window',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
    try {
      // the first one only warms up
      await converse(join(folder, 'warm'), edge)
      return report(await converse(join(folder, 'long'), turns))
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

function report({ samples, cuts, memos }: Conversation): Figure[] {
  const half = turns / 2
  const firstHalf = memos.filter(({ turn }) => turn <= half)
  const secondHalf = memos.filter(({ turn }) => turn > half)
  const size = (list: typeof memos) => mean(list.map(({ length }) => length))
  const [first, last] = [samples.slice(0, edge), samples.slice(-edge)]
  const growth = (key: 'ms' | 'cpuMs') => perTurn(last, key) / perTurn(first, key)
  return [
    { what: `cuts in ${turns} turns`, value: cuts, unit: '' },
    { what: 'memo calls', value: memos.length, unit: '' },
    { what: 'memo calls to cuts', value: memos.length / cuts, unit: '×', goal: { max: 1 } },
    {
      what: 'memo calls, second half to first',
      value: secondHalf.length / firstHalf.length,
      unit: '×',
      goal: { min: 0.9, max: 1.1 },
    },
    {
      what: 'characters of a memo call, second half to first',
      value: size(secondHalf) / size(firstHalf),
      unit: '×',
      goal: { max: 1.1 },
    },
    {
      what: 'cached prefix of a prompt, on average',
      value: mean(samples.slice(1).map(({ prefix }) => prefix)),
      unit: '',
      goal: { min: 0.85 },
    },
    {
      what: 'characters of a prompt, on average',
      value: mean(samples.map(({ length }) => length)),
      unit: '',
    },
    { what: `CPU of a turn, first ${edge}`, value: perTurn(first, 'cpuMs'), unit: 'ms' },
    { what: `CPU of a turn, last ${edge}`, value: perTurn(last, 'cpuMs'), unit: 'ms' },
    { what: 'CPU, the last turns to the first', value: growth('cpuMs'), unit: '×', goal: { max: 1.15 } },
    { what: `time of a turn, first ${edge}`, value: perTurn(first, 'ms'), unit: 'ms' },
    { what: `time of a turn, last ${edge}`, value: perTurn(last, 'ms'), unit: 'ms' },
    { what: 'time, the last turns to the first', value: growth('ms'), unit: '×' },
  ]
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function perTurn(samples: Sample[], key: 'ms' | 'cpuMs'): number {
  const chunks: number[] = []
  for (let start = 0; start < samples.length; start += perChunk)
    chunks.push(mean(samples.slice(start, start + perChunk).map((sample) => sample[key])))
  return median(chunks)
}

import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../bench.ts'
import type { Program } from './process.ts'
import { usageOf } from './usage.ts'

export interface Sample {
  /** Of the server for each turn, with what the turns left to be done after them. */
  cpuMs: number
  perSecond: number
  /** The median time until the first delta. */
  firstMs: number
  /** To the disk, and how often, for each turn. */
  writtenKiB?: number
  writeCalls?: number
  /** While the turns go on, and after the last. */
  memoryMiB: { median: number; last: number }
}

// the search index, for one, is written after the turn
const settleMs = 1_000

/** Each of those who talk at once takes the next session and has its turns in it, one after the other. */
export async function measureTurns(
  program: Program,
  { urls, atOnce = urls.length, turnsEach }: { urls: string[]; atOnce?: number; turnsEach: number },
): Promise<Sample> {
  const turns = urls.length * turnsEach
  const waiting = urls.values()
  const firsts: number[] = []
  const memory: number[] = []
  const talk = async () => {
    for (const url of waiting)
      for (let count = 0; count < turnsEach; count++) firsts.push((await turn(url)).firstMs)
  }
  const before = usageOf(program)
  const began = performance.now()
  const readings = setInterval(() => memory.push(usageOf(program).memoryMiB), 500)
  try {
    await Promise.all(Array.from({ length: atOnce }, talk))
  } finally {
    clearInterval(readings)
    // the next round of this server is too far away to keep them
    agent.destroy()
  }
  const seconds = (performance.now() - began) / 1_000
  const last = usageOf(program).memoryMiB
  await sleep(settleMs)
  const after = usageOf(program)
  const perTurn = (key: 'cpuMs' | 'writtenBytes' | 'writeCalls') => (after[key]! - before[key]!) / turns
  return {
    cpuMs: perTurn('cpuMs'),
    perSecond: turns / seconds,
    firstMs: median(firsts),
    ...(after.writtenBytes !== undefined && {
      writtenKiB: perTurn('writtenBytes') / 1_024,
      writeCalls: perTurn('writeCalls'),
    }),
    memoryMiB: { median: median([...memory, last]), last },
  }
}

interface Turn {
  /** Until the server said that it has taken the input. */
  takenMs: number
  /** Until the first delta. */
  firstMs: number
  totalMs: number
}

// long before the server would close what is idle: that could meet the next turn on its way
const agent = new Agent({ keepAlive: true, agentKeepAliveTimeoutBuffer: 3_000 })
const body = JSON.stringify({ content: 'Tell me something.' })
const headers = { 'content-type': 'application/json', 'content-length': body.length }

/** Fails when the answer does not come to its last chunk. With `node:http`: it shares its core with the provider. */
export async function turn(url: string, chunks = 50): Promise<Turn> {
  const start = performance.now()
  const sent = request(url, { method: 'POST', agent, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const takenMs = performance.now() - start
  let firstMs = 0
  const received: Buffer[] = []
  response.on('data', (bytes: Buffer) => {
    if (firstMs === 0 && bytes.includes('word')) firstMs = performance.now() - start
    received.push(bytes)
  })
  await once(response, 'end')
  const totalMs = performance.now() - start
  const answer = Buffer.concat(received)
  if (response.statusCode !== 200 || !answer.includes(`word${chunks - 1} `))
    throw new Error(`The answer is incomplete: ${response.statusCode} ${answer.toString().slice(-300)}`)
  return { takenMs, firstMs, totalMs }
}

import { Agent, request, type RequestOptions } from 'node:http'
import { join } from 'node:path'
import type { Bench, Figure } from './bench.ts'
import { withProcesses, type Program } from './chat/process.ts'

const perRound = 100
const rounds = 60
// a server runs for days: what it costs before its code is compiled is not what it costs
const warmUps = 20

/** What a small request costs the server through the routes that are made from operations, beside routes written by hand. */
export const operations: Bench = {
  name: 'operations',
  run: () =>
    withProcesses(async (start, folder) => {
      const program = start([join(import.meta.dirname, 'operations', 'servers.ts'), join(folder, 'data')])
      const [made, byHand, id] = (await program.line()).split(' ') as [string, string, string]
      const get = (url: string) => () => send(`${url}/api/documents/${id}`, { method: 'GET' }, 200)
      const post = (url: string) => (index: number) =>
        send(`${url}/api/documents`, { method: 'POST', body: toBody(index) }, 201)
      return [
        ...(await compareCpu(program, 'GET', [get(made), get(byHand)])),
        ...(await compareCpu(program, 'POST', [post(made), post(byHand)])),
      ]
    }),
}

const toBody = (index: number) =>
  JSON.stringify({ title: `Document ${index}`, content: 'A line of some forty characters.\n' })

type Send = (index: number) => Promise<void>

async function compareCpu(program: Program, method: string, sides: [Send, Send]): Promise<Figure[]> {
  const used: [number[], number[]] = [[], []]
  for (let round = -warmUps; round < rounds; round++)
    // who comes first pays for what the other left behind
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = await cpuOf(program)
      for (let index = 0; index < perRound; index++) await sides[side](round * perRound + index)
      const microseconds = ((await cpuOf(program)) - before) / perRound
      if (round >= 0) used[side].push(microseconds)
    }
  const [made, byHand] = [lowerQuartile(used[0]), lowerQuartile(used[1])]
  return [
    { what: `${method} written by hand: CPU`, value: byHand, unit: 'µs' },
    { what: `${method} made from an operation: CPU`, value: made, unit: 'µs' },
    { what: `${method}, made to written`, value: made / byHand, unit: '×', goal: { max: 1.05 } },
  ]
}

/** Other programs and the collection of garbage only ever add to a round, up to twice what it costs. */
const lowerQuartile = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!

async function cpuOf({ child, line }: Program): Promise<number> {
  const answer = line()
  child.stdin!.write('cpu\n')
  return Number(await answer)
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** One request after the other on one connection: how they overlap would differ from round to round. */
function send(
  url: string,
  { body, ...options }: RequestOptions & { body?: string },
  expected: number,
): Promise<void> {
  const headers =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, agent, headers }, (response) => {
      response.resume()
      if (response.statusCode !== expected)
        reject(new Error(`${options.method} ${url}: ${response.statusCode}`))
      response.on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

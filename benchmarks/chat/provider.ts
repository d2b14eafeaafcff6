/**
 * A provider that answers the model `bench-50` at once with 50 chunks, in the format of Chat Completions; the model
 * `bench-50-paced` with one every 20 ms.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

const paceMs = 20

const frame = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
const framesOf = (count: number) =>
  [
    frame({ role: 'assistant', content: '' }),
    ...Array.from({ length: count }, (_, index) => frame({ content: `word${index} ` })),
    frame({}, 'stop'),
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [], usage: { prompt_tokens: 9, completion_tokens: count, total_tokens: 9 + count } })}\n\n`,
    'data: [DONE]\n\n',
  ].map((line) => Buffer.from(line))
const answers = new Map<string, Buffer[]>()

// a server that waits for its round keeps its connections
const keepAliveTimeout = 600_000
const server = createServer({ keepAliveTimeout }, async (request, response) => {
  const [, count, paced] = /"model":"bench-(\d+)(-paced)?"/.exec(await text(request))!
  const frames = answers.get(count!) ?? framesOf(Number(count))
  answers.set(count!, frames)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // streams that began together would come in step for ever
  if (paced) await sleep(Math.random() * paceMs)
  for (const bytes of frames) {
    response.write(bytes)
    if (paced) await sleep(paceMs)
  }
  response.end()
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`)
})
process.stdin.resume().on('end', () => process.exit())

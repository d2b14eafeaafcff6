/** A provider that answers the model `bench-50` at once with 50 chunks, in the format of Chat Completions. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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

const server = createServer(async (request, response) => {
  const model = /"model":"bench-(\d+)"/.exec(await text(request))![1]!
  const frames = answers.get(model) ?? framesOf(Number(model))
  answers.set(model, frames)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const bytes of frames) response.write(bytes)
  response.end()
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`)
})
process.stdin.on('end', () => process.exit())

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What was sent with a request for vectors. */
interface Asked {
  model: string
  input: string[]
  dimensions?: number
  user?: string
}

/** Knows two meanings: cats and boats. Its vectors have two numbers, and zeros where more are wanted. */
export async function startEmbeddings() {
  const asked: string[][] = []
  const bodies: Asked[] = []
  const headers: IncomingHttpHeaders[] = []
  const keys: (string | undefined)[] = []
  let isDown = false
  let refusal: { status: number; message: string } | undefined
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (isDown || request.url !== '/v1/embeddings') return void response.writeHead(400).end('{}')
      const json = { 'content-type': 'application/json' }
      const given = JSON.parse(body) as Asked
      keys.push(request.headers.authorization)
      headers.push(request.headers)
      bodies.push(given)
      asked.push(given.input)
      if (refusal) {
        const { status, message } = refusal
        return void response.writeHead(status, json).end(JSON.stringify({ error: { message } }))
      }
      const zeros = Array.from({ length: Math.max(0, (given.dimensions ?? 2) - 2) }, () => 0)
      const data = given.input.map((text, index) => ({
        index,
        embedding: [...(/cat|feline|kitten/.test(text) ? [1, 0.1] : [0.1, 1]), ...zeros],
      }))
      const usage = { prompt_tokens: given.input.join(' ').split(' ').length, total_tokens: 0 }
      response.writeHead(200, json).end(JSON.stringify({ data, usage }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    bodies,
    keys,
    headers,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    goDown: () => void (isDown = true),
    refuse: (status: number, message: string) => void (refusal = { status, message }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Knows two meanings: cats and boats. */
export async function startEmbeddings() {
  const asked: string[][] = []
  let isDown = false
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (isDown || request.url !== '/v1/embeddings') return void response.writeHead(400).end('{}')
      const { input } = JSON.parse(body) as { input: string[] }
      asked.push(input)
      const data = input.map((text, index) => ({
        index,
        embedding: /cat|feline|kitten/.test(text) ? [1, 0.1] : [0.1, 1],
      }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    goDown: () => void (isDown = true),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

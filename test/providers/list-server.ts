import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ListServer extends AsyncDisposable {
  readonly url: string
  readonly requests: { path: string; headers: IncomingHttpHeaders }[]
  /** What the next requests get in place of a list; undefined goes back to lists. */
  answerWith(
    answer: { status: number; headers?: Record<string, string>; body?: string } | 'never' | undefined,
  ): void
}

const json = { 'content-type': 'application/json' }

/** Lists models the way each provider does, to those who send its key. */
export async function startListServer(key: string): Promise<ListServer> {
  const requests: ListServer['requests'] = []
  let scripted: Parameters<ListServer['answerWith']>[0]
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    if (scripted === 'never') return
    if (scripted) return void response.writeHead(scripted.status, scripted.headers ?? json).end(scripted.body)
    const found = lists.find((list) => list.path === path)
    if (!found) return void response.writeHead(404, json).end('{}')
    if (found.header && request.headers[found.header] !== `${found.prefix ?? ''}${key}`)
      return void response.writeHead(401, json).end(JSON.stringify({ error: request.headers[found.header] }))
    response.writeHead(200, json).end(JSON.stringify(found.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerWith: (answer) => void (scripted = answer),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const lists: { path: string; header?: string; prefix?: string; body: unknown }[] = [
  {
    path: '/v1/models',
    header: 'authorization',
    prefix: 'Bearer ',
    body: { object: 'list', data: [{ id: 'gpt-list', object: 'model' }, { id: 'org/slashed' }] },
  },
  {
    path: '/anthropic/v1/models?limit=1000',
    header: 'x-api-key',
    body: { data: [{ type: 'model', id: 'claude-list', display_name: 'Claude' }], has_more: false },
  },
  {
    path: '/v1beta/models?pageSize=1000',
    header: 'x-goog-api-key',
    body: {
      models: [
        { name: 'models/gemini-list', supportedGenerationMethods: ['generateContent', 'countTokens'] },
        { name: 'models/embedding-list', supportedGenerationMethods: ['embedContent'] },
      ],
    },
  },
  { path: '/api/tags', body: { models: [{ name: 'qwen-list:8b', size: 1 }] } },
]

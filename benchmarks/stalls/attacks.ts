import type { Target } from './target.ts'

/** One hostile request. `prepare` sends what it needs, and is not measured. */
export interface Attack {
  name: string
  prepare?(target: Target): Promise<unknown>
  run(target: Target): Promise<Response>
}

const mebibyte = 1_024 * 1_024
const lineCount = 170_000
const message = (text: string) => ({ role: 'user', content: text })
const jsonl = (count: number) =>
  Array.from({ length: count }, (_, index) => JSON.stringify(message(`line ${index}`))).join('\n')
const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length))
const list = (piece: string, bytes: number) => `[${fill(`${piece},`, bytes)}${piece}]`
const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`

const post = (name: string, path: string, body: string, type = 'application/json'): Attack => ({
  name,
  run: (target) => target.send('POST', path.replace('{id}', target.sessionId), body, type),
})

const workflowOf = (bytes: number) =>
  JSON.stringify({ text: `name: big\nsteps:\n${fill('  - { type: transform, transform: "a" }\n', bytes)}` })

const plan = (nodes: number) => fill('- [ ] a task of the plan\n', nodes * 25)

const document = (bytes: number, seed: number) =>
  Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `line ${(index * seed) % 9_973}`)
    .join('\n')
    .slice(0, bytes)

/** Bodies that are hostile to every reader of JSON, up to a size. */
export const hostileBodies = (bytes: number): [name: string, body: string][] => [
  ['empty lists', list('[]', bytes)],
  ['empty objects in a field', `{"title":${list('{}', bytes - 20)}}`],
  ['many keys', keys(Math.floor(bytes / 12))],
  ['numbers', list('1', bytes)],
  ['one text', `{"title":"${fill('x', bytes - 20)}"}`],
  ['escapes', `{"title":"${fill('\\u0041', bytes - 20)}"}`],
  ['deep', `${fill('[', bytes / 2)}${fill(']', bytes / 2)}`],
]

export const attacks: Attack[] = [
  {
    name: 'import of 170,000 lines',
    run: async (target) => {
      const answer = await target.send('POST', '/api/sessions/import', jsonl(lineCount), 'application/jsonl')
      target.largeId = await target.newest()
      return answer
    },
  },
  post(
    'import of 170,000 messages as one JSON',
    '/api/sessions/import',
    `{"messages":[${jsonl(lineCount).replaceAll('\n', ',')}]}`,
  ),
  post(
    'import of YAML, 4 MB',
    '/api/sessions/import',
    `format: parley.session\nversion: 1\nsession: {title: a}\nmessages:\n${fill('  - { role: user, content: a text }\n', 2_300_000)}...\n`,
    'application/yaml',
  ),
  post(
    'import of YAML, one text of 3.9 MB',
    '/api/sessions/import',
    `format: parley.session\nversion: 1\nsession: {title: a}\nmessages:\n  - role: user\n    content: |\n${fill('      a line\n', 3_800_000)}...\n`,
    'application/yaml',
  ),
  post('import of 10 MB of []', '/api/sessions/import', list('[]', 9.9 * mebibyte)),
  post(
    'import of a message of 9 MB',
    '/api/sessions/import',
    JSON.stringify({ messages: [message(fill('word ', 9 * mebibyte))] }),
  ),
  { name: 'search index of the imports', run: (target) => target.untilIndexed() },
  ...['json', 'jsonl', 'markdown', 'yaml'].map((format): Attack => ({
    name: `export of 170,000 messages as ${format}`,
    run: (target) => target.send('GET', `/api/sessions/${target.largeId}/export?format=${format}`),
  })),
  {
    name: 'messages, largest page',
    run: (target) => target.send('GET', `/api/sessions/${target.largeId}/messages?limit=200`),
  },
  {
    name: 'window of the large session',
    run: (target) => target.send('GET', `/api/sessions/${target.largeId}/window`),
  },
  {
    name: 'prompt of the large session',
    run: (target) => target.send('GET', `/api/sessions/${target.largeId}/prompt`),
  },
  {
    name: 'usage of the large session',
    run: (target) => target.send('GET', `/api/sessions/${target.largeId}/usage`),
  },
  {
    name: 'memo of the large session',
    run: (target) => target.send('POST', `/api/sessions/${target.largeId}/resize`, '{}'),
  },
  {
    name: 'chat in the large session',
    run: (target) => target.send('POST', `/api/sessions/${target.largeId}/chat`, '{"content":"Hello"}'),
  },
  { name: 'search for a word of all', run: (target) => target.send('GET', '/api/search?q=line') },
  {
    name: 'search with a long pattern',
    run: (target) => target.send('GET', `/api/search?q=${fill('l%20', 200)}`),
  },
  { name: 'sessions with a word of all', run: (target) => target.send('GET', '/api/sessions?q=line') },
  {
    name: 'fork of the large session',
    prepare: async (target) => {
      const page = await target.send('GET', `/api/sessions/${target.largeId}/messages?limit=1`)
      target.note = ((await page.json()) as { items: { id: string }[] }).items[0]!.id
    },
    run: (target) =>
      target.send('POST', `/api/sessions/${target.largeId}/fork`, JSON.stringify({ messageId: target.note })),
  },
  {
    name: 'deletion of the large session',
    run: (target) => target.send('DELETE', `/api/sessions/${target.largeId}`),
  },
  { name: 'the OpenAPI document', run: (target) => target.send('GET', '/openapi.json') },
  {
    name: 'search that finds 20 messages of 900 kB',
    prepare: async (target) => {
      const body = JSON.stringify(message(fill('needle ', 900_000)))
      for (let count = 0; count < 20; count++)
        await target.send('POST', `/api/sessions/${target.sessionId}/messages`, body)
      await target.untilIndexed()
    },
    run: (target) => target.send('GET', '/api/search?q=needle&limit=50'),
  },
  {
    name: 'page of messages of 900 kB',
    run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/messages?limit=200`),
  },
  { name: 'window of them', run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/window`) },
  { name: 'prompt of them', run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/prompt`) },
  {
    name: 'chat after them',
    run: (target) => target.send('POST', `/api/sessions/${target.sessionId}/chat`, '{"content":"Hello"}'),
  },
  {
    name: 'export of them as Markdown',
    run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/export?format=markdown`),
  },
  {
    name: 'export of them as YAML',
    run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/export?format=yaml`),
  },
  post(
    '75,000 keys in a record',
    '/api/sessions/{id}/messages',
    `{"role":"user","content":"a","metadata":${keys(74_000)}}`,
  ),
  {
    name: 'page of messages with 75,000 keys',
    run: (target) => target.send('GET', `/api/sessions/${target.sessionId}/messages?limit=200`),
  },
  {
    name: 'memo of 75,000 keys',
    run: (target) => target.send('PUT', `/api/sessions/${target.sessionId}/memo`, `{"memo":${keys(74_000)}}`),
  },
  post(
    '75,000 wrong items',
    '/api/sessions/{id}/messages',
    `{"role":"user","parts":[${fill('{},', 200_000)}{}]}`,
  ),
  post(
    '70,000 wrong triples',
    '/api/knowledge/import',
    `{"source":"a","triples":[${fill('{},', 200_000)}{}]}`,
  ),
  post('10 MB of []', '/api/sessions', list('[]', 9.9 * mebibyte)),
  post('700,000 keys', '/api/sessions', keys(700_000)),
  post('700,000 keys in a record', '/api/agents', `{"name":"a","metadata":${keys(690_000)}}`),
  post(
    'a chat message of 9 MB',
    '/api/sessions/{id}/chat',
    JSON.stringify({ content: fill('word ', 9 * mebibyte) }),
  ),
  post(
    'a chat message of 1 MB',
    '/api/sessions/{id}/chat',
    JSON.stringify({ content: fill('word ', 0.98 * mebibyte) }),
  ),
  post(
    'a message of 9 MB',
    '/api/sessions/{id}/messages',
    JSON.stringify(message(fill('word ', 9 * mebibyte))),
  ),
  post(
    'a message of 9 MB without blanks',
    '/api/sessions/{id}/messages',
    JSON.stringify(message(fill('人', 3 * mebibyte))),
  ),
  post('workflow of 500 kB', '/api/workflows/validate', workflowOf(500_000)),
  post('workflow of 95 kB', '/api/workflows/validate', workflowOf(95_000)),
  post(
    'workflow of 95 kB of flow lists',
    '/api/workflows/validate',
    JSON.stringify({ text: `name: a\nsteps: ${list('[]', 95_000)}` }),
  ),
  post(
    'workflow of 500 kB of keys',
    '/api/workflows/validate',
    JSON.stringify({ text: `name: a\n${Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`).join('\n')}` }),
  ),
  post(
    'workflow with aliases',
    '/api/workflows/validate',
    JSON.stringify({
      text: `a: &a [${fill('x,', 900)}]\n${Array.from({ length: 90 }, (_, at) => `b${at}: [*a]`).join('\n')}`,
    }),
  ),
  post('plan of 500 kB of Markdown', '/api/plans', JSON.stringify({ title: 'a', markdown: plan(20_000) })),
  {
    name: 'outline of the largest plan',
    prepare: async (target) => {
      for (const nodes of [20_000, 10_000, 5_000, 2_000, 1_000, 500]) {
        const answer = await target.send(
          'POST',
          '/api/plans',
          JSON.stringify({ title: 'large', markdown: plan(nodes) }),
        )
        if (!answer.ok) continue
        target.note = ((await answer.json()) as { id: string }).id
        return
      }
    },
    run: (target) => target.send('GET', `/api/plans/${target.note}/outline`),
  },
  { name: 'tree of the largest plan', run: (target) => target.send('GET', `/api/plans/${target.note}/tree`) },
  {
    name: 'Markdown of the largest plan',
    run: (target) => target.send('GET', `/api/plans/${target.note}/markdown`),
  },
  {
    name: 'diff of two documents of 1 MB',
    prepare: async (target) => {
      const made = await target.send(
        'POST',
        '/api/documents',
        JSON.stringify({ title: 'a', content: document(900_000, 7) }),
      )
      target.note = ((await made.json()) as { id: string }).id
      await target.send(
        'PATCH',
        `/api/documents/${target.note}`,
        JSON.stringify({ content: document(900_000, 11) }),
      )
    },
    run: (target) => target.send('GET', `/api/documents/${target.note}/diff`),
  },
  {
    name: 'knowledge import of as many as are taken',
    run: (target) =>
      target.send(
        'POST',
        '/api/knowledge/import',
        JSON.stringify({
          source: 'a',
          triples: Array.from({ length: 10_000 }, (_, at) => ({
            subject: `thing ${at}`,
            predicate: 'is beside',
            object: `thing ${at + 1}`,
          })),
        }),
      ),
  },
  post('knowledge query', '/api/knowledge/query', JSON.stringify({ query: fill('thing ', 1_900) })),
  {
    name: 'knowledge entities',
    run: (target) => target.send('GET', '/api/knowledge/entities?limit=200&q=thing'),
  },
  {
    name: '/v1 with a history of 9 MB',
    run: (target) =>
      target.send(
        'POST',
        '/v1/chat/completions',
        JSON.stringify({
          model: 'demo/parley',
          messages: Array.from({ length: 2_000 }, (_, at) => ({
            role: at % 2 ? 'assistant' : 'user',
            content: fill('word ', 4_500),
          })).concat(message('Hello')),
        }),
      ),
  },
  post(
    '/v1 with 170,000 messages',
    '/v1/chat/completions',
    `{"model":"demo/parley","messages":[${jsonl(lineCount).replaceAll('\n', ',')}]}`,
  ),
  post(
    '/mcp with 9 MB',
    '/mcp',
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'x', arguments: { text: fill('word ', 9 * mebibyte) } },
    }),
  ),
  post('/mcp with a batch', '/mcp', list('{"jsonrpc":"2.0","id":1,"method":"ping"}', 9 * mebibyte)),
]

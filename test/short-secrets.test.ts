import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer } from './providers/provider-server.ts'
import { startServer } from './server-process.ts'

/** As people give to servers of their own that ask for any key, and one that is a real key. */
const keys = ['x', 'sk', '1', 'e', 'ollama', 'none', '.', 'real-key-0123456789']

it.each(keys)('a provider key %j leaves log, errors and ids readable, and shows nowhere', async (key) => {
  using home = temporaryFolder()
  await using openai = await startProviderServer(openaiChat)
  mkdirSync(join(home.path, '.config', 'parley'), { recursive: true })
  writeFileSync(
    join(home.path, '.config', 'parley', 'config.yaml'),
    stringify({ model: 'openai/extra-1', openai: { apiKey: key, baseUrl: `${openai.url}/v1` } }),
  )
  const server = await startServer({
    env: { HOME: home.path, PARLEY_DATA_DIR: join(home.path, 'data'), PARLEY_LOG_LEVEL: 'trace' },
  })
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    })
    return response.text()
  }
  const session = await post('/api/sessions', { title: 'An example' })
  const { id } = JSON.parse(session) as { id: string }
  openai.script({
    status: 400,
    body: openaiChat.errorBody({
      type: 'invalid_request_error',
      message: `The next example is too complex. Authorization: Bearer ${key}`,
    }),
  })
  const answer = await post(`/api/sessions/${id}/chat`, { content: 'An extra example' })
  await server.kill('SIGTERM')

  expect(openai.requests[0]!.headers.authorization).toBe(`Bearer ${key}`)
  const lines = server
    .log()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const failure = lines.find(({ msg }) => msg === 'a model did not answer')
  expect(failure).toMatchObject({ sessionId: id, model: 'openai/extra-1' })
  expect(answer).toContain('The next example is too complex')
  for (const text of [answer, server.log()]) expect(text).not.toContain(`Bearer ${key}`)
  for (const { time } of lines) expect(time).toEqual(expect.any(Number))
  const ready = lines.find(({ msg }) => msg === 'ready')
  expect(ready).toMatchObject({ url: server.url, store: 'sqlite' })
})

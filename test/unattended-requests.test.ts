/** Clients of `/v1` and of the MCP server: nobody is there who could be asked, and nothing waits in silence. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import OpenAI from 'openai'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../src/core/shared/clock.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { createParley } from '../src/parley.ts'
import { createApp, createMetrics, serve } from '../src/server/index.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { sqliteDatabase, toOptions, type TestDatabase } from './harness.ts'

async function open(database: TestDatabase) {
  const done: string[] = []
  const paint = defineTool({
    name: 'paint',
    description: 'Paints',
    input: z.strictObject({ colour: z.string() }),
    access: () => ({ action: 'paint', effect: 'write', resources: ['wall:1'] }),
    execute: async ({ colour }) => void done.push(colour),
  })
  const tell = defineTool({ name: 'tell', description: 'Tells', input: z.strictObject({}) })
  const model = createScripted(({ messages }) => {
    const last = messages.at(-1)!
    if (last.role === 'tool') return says(JSON.stringify(last.content))
    return JSON.stringify(last).includes('Tell') ? calls(['tell', {}]) : calls(['paint', { colour: 'red' }])
  })
  const logger = pino({ level: 'silent' })
  const parley = await createParley({
    ...toOptions(database),
    logger,
    models: { model: model.id, extra: { scripted: () => model } },
    tools: [paint, tell],
  })
  const limits = { bodyBytes: 1e6, jsonDepth: 64, pageSize: 200 }
  const app = createApp(
    { ...parley, clock: systemClock, logger, metrics: createMetrics(), version: 'test', limits },
    { apiKeys: [], allowedHosts: [], allowedOrigins: [] },
  )
  const running = await serve(app, { host: '127.0.0.1', port: 0 })
  return {
    parley,
    done,
    url: running.url,
    openai: new OpenAI({ baseURL: `${running.url}/v1`, apiKey: 'x', maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await running.stop(1_000)
      await parley.close()
    },
  }
}

it('of /v1 have a call denied that a person would have to allow, unless they wait for one', async () => {
  await using database = await sqliteDatabase()
  await using test = await open(database)
  const ask = (headers: Record<string, string>) =>
    test.openai.chat.completions.create(
      { model: 'default', messages: [{ role: 'user', content: 'Paint' }] },
      { headers: { 'X-Parley-Tools': 'built-in', ...headers } },
    )
  const { choices } = await ask({})
  expect(choices[0]!.message.content).toContain('Nobody is there to be asked')
  expect(test.done).toEqual([])
  const waits = ask({ 'X-Parley-Approvals': 'wait' })
  const asked = async () => (await test.parley.approvals.list()).items
  await expect.poll(async () => (await asked()).length).toBe(1)
  await test.parley.approvals.decide((await asked())[0]!.id, { decision: 'approve' })
  await waits
  expect(test.done).toEqual(['red'])
})

it('of the MCP server too, and are told what a turn waits for', async () => {
  await using database = await sqliteDatabase()
  await using test = await open(database)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${test.url}/mcp`)))
  const { id } = await test.parley.sessions.create()
  const send = async (content: string, more: object = {}) =>
    JSON.stringify(
      await client.callTool({ name: 'send_message', arguments: { session_id: id, content, ...more } }),
    )
  expect(await send('Paint')).toContain('Nobody is there to be asked')
  const waits = send('Paint', { approvals: 'wait' })
  const asked = async () => (await test.parley.approvals.list()).items
  await expect.poll(async () => (await asked()).length).toBe(1)
  await test.parley.approvals.decide((await asked())[0]!.id, { decision: 'approve' })
  await waits
  expect(test.done).toEqual(['red'])
  const told = await send('Tell')
  expect(told).toContain('waiting_for')
  expect(told).toContain((await test.parley.toolCalls.list()).items[0]!.id)
  await client.close()
})

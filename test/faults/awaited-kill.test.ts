/** What a turn waits for from outside survives the process that asked for it. */
import { describe, expect, it } from 'vitest'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../../src/client/index.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { startServer } from '../server-process.ts'
import { startProvider, toolCall } from './nodes.ts'

const kills = Number(process.env.PARLEY_TEST_OWNER_KILLS ?? 2)

async function arrange(openDatabase: (typeof databases)[number][1]) {
  const database = await openDatabase()
  const folder = temporaryFolder()
  const provider = await startProvider((messages) =>
    messages.at(-1)!.role === 'tool'
      ? { text: `It says ${JSON.stringify(messages.at(-1)!.content)}` }
      : { toolCalls: [toolCall('call_1', 'weather', { city: 'Rome' })] },
  )
  const config = join(folder.path, 'parley.yaml')
  writeFileSync(
    config,
    `model: openai/test\nopenai: {baseUrl: "${provider.url}", apiKey: test-key}\n` +
      'permissions: {rules: [{tool: weather, decision: ask}]}\n',
  )
  const env = { ...database.environment, PARLEY_CONFIG: config }
  return {
    async start() {
      const server = await startServer({ env })
      return { ...createClient({ baseUrl: server.url }), kill: () => server.kill('SIGKILL') }
    },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

describe.each(databases)('a turn that waits on %s', (_name, openDatabase) => {
  it(`outlives its server before the yes and before the result, ${kills} times`, async () => {
    await using test = await arrange(openDatabase)
    let node = await test.start()
    for (let kill = 1; kill <= kills; kill++) {
      const { id } = await node.sessions.create()
      const { runId } = await node.sessions.send(id, {
        content: 'What is the weather in Rome?',
        tools: [{ name: 'weather' }],
      })
      const asked = async () => (await node.approvals.list({ session: id })).items
      await expect.poll(async () => (await asked()).length).toBe(1)
      await node.kill()
      node = await test.start()
      await node.approvals.decide((await asked())[0]!.id, { decision: 'approve' })
      const awaited = async () => (await node.toolCalls.list({ session: id })).items
      await expect.poll(async () => (await awaited()).length).toBe(1)
      await node.kill()
      node = await test.start()
      const [call] = await awaited()
      // whether the turn has let go of its run yet does not matter
      await node.toolCalls.answer(call!.id, { output: `sun ${kill}` })
      if (kill % 2 === 0) {
        await node.kill()
        node = await test.start()
      }
      for await (const _ of node.sessions.observe(id, { run: runId }));
      expect(await node.runs.get(runId)).toMatchObject({ status: 'completed' })
      const { items } = await node.sessions.messages(id)
      expect(items.map(({ role }) => role)).toEqual(['user', 'assistant'])
      expect(items[1]!.parts).toMatchObject([
        { type: 'step-start' },
        { toolName: 'weather', state: 'output-available', output: `sun ${kill}` },
        { type: 'step-start' },
        { type: 'text', text: expect.stringContaining(`sun ${kill}`) },
      ])
    }
    await node.kill()
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/shared/clock.ts'
import { databases, temporaryFolder } from '../harness.ts'
import { openaiChat } from '../providers/openai-chat.ts'

/** 100 kills of both databases take about three minutes; a release runs more of them. */
const kills = Number(process.env.PARLEY_TEST_CHAT_KILLS ?? 100)
const clients = 3

describe.each(databases)('turns with tools, killed at random on %s', (name, openDatabase) => {
  it(
    `lose no acknowledged input, answer none twice and repeat no stored step over ${kills} kills`,
    async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      await using provider = await startProvider()
      const journal = join(folder.path, 'journal')
      writeFileSync(journal, '')
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const acknowledged = new Map<string, string>()
      let count = 0
      for (let round = 0; round < kills; round++) {
        const node = await startNode(provider.url, journal, storage)
        const talking = Array.from({ length: clients }, () =>
          talk(node.url, acknowledged, () => `input ${++count}`),
        )
        // on a slow machine a fixed time would strike before anything was acknowledged
        const before = acknowledged.size
        if (round % 4 > 0)
          for (let waited = 0; acknowledged.size === before && waited < 3_000; waited += 5) await sleep(5)
        await sleep(Math.random() * 200)
        node.child.kill('SIGKILL')
        await Promise.all(talking)
        await node.exited
      }
      const last = await startNode(provider.url, journal, storage)
      await using store = await database.open(systemClock)
      const open = async () =>
        (
          await Promise.all(
            (['queued', 'running'] as const).map((status) =>
              store.listRuns('default', { status, limit: 200 }),
            ),
          )
        ).flatMap(({ items }) => items).length
      await expect.poll(open, { timeout: 120_000, interval: 200 }).toBe(0)
      last.child.kill('SIGKILL')
      await last.exited

      const lines = readFileSync(journal, 'utf8').trim().split('\n')
      const effects = new Map<string, number>()
      for (const line of lines) effects.set(line, (effects.get(line) ?? 0) + 1)
      let answers = 0
      for (const sessionId of new Set(acknowledged.values())) {
        const messages = await store.listMessages('default', sessionId, { limit: 10_000 })
        const texts = messages
          .filter(({ role }) => role === 'user')
          .map(({ parts }) => parts[0]!.text as string)
        expect(new Set(texts).size, 'an input is in the log twice').toBe(texts.length)
        for (const [text, id] of acknowledged)
          if (id === sessionId) expect(texts, 'an acknowledged input is lost').toContain(text)
        // every input has its answer right after it, and no other
        expect(messages.map(({ role }) => role)).toEqual(texts.flatMap(() => ['user', 'assistant']))
        answers += texts.length
        for (const reply of messages.filter(({ role }) => role === 'assistant')) {
          const run = await store.getRun('default', (reply.metadata as { runId: string }).runId)
          expect(run).toMatchObject({ status: 'completed' })
          const steps = await store.listRunSteps(run!.id)
          expect(steps.map(({ step }) => step)).toEqual([1, 2])
          expect(reply.parts.filter(({ type }) => type === 'dynamic-tool')).toHaveLength(1)
        }
      }
      // a tool that cannot be repeated is never run again for a step that was stored
      expect([...effects.values()].filter((times) => times > 1)).toEqual([])
      expect(acknowledged.size).toBeGreaterThan(kills / 2)
      process.stdout.write(
        `${name}: ${kills} kills, ${acknowledged.size} inputs acknowledged, ${answers} answered, 0 lost, 0 twice, ${lines.length} effects\n`,
      )
    },
    180_000 + kills * 4_000,
  )
})

/** Says one thing after another in a session of its own, until the server is gone. */
async function talk(url: string, acknowledged: Map<string, string>, nextText: () => string): Promise<void> {
  try {
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const { id } = (await (await post('/api/sessions', {})).json()) as { id: string }
    for (;;) {
      const content = nextText()
      const response = await post(`/api/sessions/${id}/chat`, { content })
      expect(response.status).toBe(200)
      // the head is the acknowledgement; the rest may never come
      acknowledged.set(content, id)
      await response.text()
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
}

async function startNode(...args: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'chat-node.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => {
      throw new Error('The node ended before it was ready.')
    }),
  ])) as [string]
  return { child, exited, url }
}

/** A provider that asks for a note of what it was told, then says that it is done; it remembers nothing. */
async function startProvider() {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: { role: string; content: unknown }[]
    }
    const isAnswer = messages.at(-1)!.role === 'tool'
    const text = JSON.stringify(messages.findLast(({ role }) => role === 'user')!.content)
    const frames = openaiChat.frames(
      isAnswer
        ? { text: `done with ${text}` }
        : {
            toolCalls: [
              { id: `call_${text.replace(/\D/g, '')}`, name: 'note', input: JSON.stringify({ text }) },
            ],
          },
    )
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const frame of frames) {
      response.write(frame)
      await sleep(Math.random() * 4)
    }
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

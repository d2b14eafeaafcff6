import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../../src/core/store/store.ts'
import { temporaryFolder, type TestDatabase } from '../harness.ts'
import { openaiChat } from '../providers/openai-chat.ts'
import type { WireReply } from '../providers/provider-server.ts'
import { need } from '../runner/provision.ts'

export const parentId = 'parent'

/** What was said so far, as the provider gets it. */
export interface Said {
  role: string
  content: unknown
  tool_calls?: unknown[]
}

/** What a model answers; undefined leaves the request open. */
export interface TaskModel {
  chat(messages: Said[]): WireReply
  task(messages: Said[]): WireReply | undefined
}

/** A node in a process of its own whose chat starts tasks, and a provider that outlives it. */
export async function openTaskNodes(database: TestDatabase, model: TaskModel) {
  const folder = temporaryFolder()
  const provider = await startProvider(model)
  const journal = join(folder.path, 'journal')
  writeFileSync(journal, '')
  const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
  const start = (...more: string[]) => startNode(provider.url, journal, storage, ...more)
  let node = await start(parentId, 'start the tasks')
  const kill = async () => {
    node.child.kill('SIGKILL')
    await node.exited
  }
  return {
    kill,
    async start() {
      node = await start()
    },
    async [Symbol.asyncDispose]() {
      await kill()
      provider.close()
      folder[Symbol.dispose]()
    },
  }
}

/** Background runs, newest first. */
export const listTasks = async (store: Store) =>
  (await store.listRuns('default', { kind: 'background', limit: 200 })).items

async function startNode(...args: string[]) {
  const child = spawn(process.execPath, [await need('nodes'), 'background-node.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => {
      throw new Error('The node ended before it was ready.')
    }),
  ])
  return { child, exited }
}

async function startProvider(model: TaskModel) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: Said[]
      tools?: { function: { name: string } }[]
    }
    const isTask = tools.some(({ function: { name } }) => name === 'set_result')
    await answer(response, isTask ? model.task(messages) : model.chat(messages))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function answer(response: ServerResponse, reply: WireReply | undefined): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const frames = openaiChat.frames(reply ?? { text: 'I am' })
  for (const frame of reply ? frames : frames.slice(0, 2)) {
    response.write(frame)
    await sleep(Math.random() * 20)
  }
  if (reply) response.end()
}

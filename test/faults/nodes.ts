/** What tests share that kill, stop or cut off whole nodes: the nodes, and a provider for their models. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { TaskResult } from '../../src/core/protocol/background.ts'
import type { Store } from '../../src/core/store/store.ts'
import { openaiChat } from '../providers/openai-chat.ts'
import type { WireReply } from '../providers/provider-server.ts'
import { need } from '../runner/provision.ts'
import { createRandom } from '../seed.ts'

/** In ms. A test that waited for it would never end: what goes on does so because its owner is known to be gone. */
export const longLease = '3600000'

export type Node = Awaited<ReturnType<typeof startNode>>

/** A Parley in a process of its own, which does not outlive the test; `line` is what it says when it is ready. */
export async function startNode(
  program: 'chat-node.ts' | 'background-node.ts' | 'journal-node.ts' | 'agent-node.ts',
  ...args: string[]
) {
  const child = spawn(process.execPath, [await need('nodes'), program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => {
      throw new Error('The node ended before it was ready.')
    }),
  ])) as [string]
  return { child, line, kill }
}

export interface Said {
  role: string
  content: unknown
  tool_calls?: unknown[]
}

/** What a request to the provider comes to, one after the other. */
type Stage = 'asked' | 'answering' | 'answered'
const stages: Stage[] = ['asked', 'answering', 'answered']

export type Provider = Awaited<ReturnType<typeof startProvider>>

/** A provider that remembers nothing; `reply` has to find in the messages what comes next. */
export async function startProvider(
  reply: (messages: Said[], isTask: boolean) => WireReply | Promise<WireReply>,
  { frameMs = 4 }: { frameMs?: number } = {},
) {
  const random = createRandom()
  const watchers = new Set<(stage: Stage) => void>()
  const tell = (stage: Stage) => watchers.forEach((watch) => watch(stage))
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks).toString()) as {
      messages: Said[]
      tools?: { function: { name: string } }[]
    }
    const isTask = tools.some(({ function: { name } }) => name === 'set_result')
    tell('asked')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frames = [...openaiChat.frames(await reply(messages, isTask))]
    for (const [index, frame] of frames.entries()) {
      response.write(frame)
      if (index === Math.floor(frames.length / 2)) tell('answering')
      await sleep(random() * frameMs)
    }
    response.end()
    tell('answered')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    random,
    /** Resolves when so many requests from now on have come to a stage. */
    reached: (stage: Stage, count: number) =>
      new Promise<void>((resolve) => {
        const watch = (reached: Stage) => {
          if (reached !== stage || --count > 0) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

// more than nodes are busy with between two of the things that they store for a request
const stepMs = 20
const idleMs = 5_000

/**
 * Waits for a moment to kill nodes at, another one in each round: before, within or after an answer, and after `more` or
 * up to three times as many requests. After an answer its tool is called, and each of the two is stored. Nodes that have
 * nothing left to do are not waited for.
 */
export async function nextMoment(provider: Provider, round: number, more: number): Promise<void> {
  const stage = stages[round % stages.length]!
  const count = more + ((round * 5) % (2 * more + 1))
  const idle = new AbortController()
  await Promise.race([
    provider.reached(stage, count),
    sleep(idleMs, undefined, { signal: idle.signal }).catch(() => {}),
  ])
  idle.abort()
  await sleep(provider.random() * stepMs)
}

export const toolCall = (id: string, name: string, input: object) => ({
  id,
  name,
  input: JSON.stringify(input),
})

/** The input of the turn that goes on; undefined when it was made for something else, such as results of tasks. */
export const inputOf = (messages: Said[]) =>
  /input \d+/.exec(JSON.stringify(messages.findLast(({ role }) => role === 'user')))?.[0]

/** A turn asks for a note of what it was told, then says that it is done. */
export function doTurn(messages: Said[]): WireReply {
  const text = inputOf(messages)
  if (text === undefined || messages.at(-1)!.role === 'tool') return { text: `done with ${text}` }
  return { toolCalls: [toolCall(text.replace('input ', 'call_'), 'note', { text })] }
}

/** A task takes a note and submits its result. */
export function doTask(messages: Said[]): WireReply {
  const number = /task number (\d+)/.exec(JSON.stringify(messages))![1]!
  return messages.some(({ role }) => role === 'tool')
    ? { toolCalls: [toolCall(`result_${number}`, 'set_result', { output: `result ${number}` })] }
    : { toolCalls: [toolCall(`note_${number}`, 'note', { text: number })] }
}

/** What reached the log of the parent of tasks, in its order. */
export async function delivered(store: Store, parentId: string): Promise<TaskResult[]> {
  const messages = await store.listMessages('default', parentId, { limit: 10_000 })
  return messages.flatMap(({ parts }) =>
    parts.filter(({ type }) => type === 'data-task-result').map(({ data }) => data as TaskResult),
  )
}

/** Runs that are not over. */
export async function countOpen(store: Store): Promise<number> {
  const pages = await Promise.all(
    (['queued', 'running'] as const).map((status) => store.listRuns('default', { status, limit: 500 })),
  )
  return pages.flatMap(({ items }) => items).length
}

/** How often each effect took place. */
export function readJournal(journal: string): Map<string, number> {
  const effects = new Map<string, number>()
  for (const line of readFileSync(journal, 'utf8').split('\n'))
    if (line !== '') effects.set(line, (effects.get(line) ?? 0) + 1)
  return effects
}

export const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    // a test that waits for good says nothing about why
    signal: AbortSignal.timeout(300_000),
  })

export interface BegunTurn {
  sessionId: string
  runId: string
  response: Response
}

/** In a session of its own; the response streams what becomes of it. */
export async function beginTurn({ line: url }: Node, content: string): Promise<BegunTurn> {
  const { id } = (await (await post(`${url}/api/sessions`, {})).json()) as { id: string }
  const response = await post(`${url}/api/sessions/${id}/chat`, { content })
  if (response.status !== 200) throw new Error(`The turn was answered with ${response.status}.`)
  return { sessionId: id, runId: response.headers.get('x-parley-run')!, response }
}

/** All background sessions of the default scope. */
export async function listTasks(store: Store) {
  const found = []
  let cursor: string | undefined
  do {
    const page = await store.listSessions('default', { kind: 'background', limit: 200, cursor })
    found.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return found
}

/** A task that takes a note and hands in its name: what is asked is `<word> <id> of <tag>.` */
export function noteAndHandIn(messages: Said[], word: string): { key: string; reply: WireReply } {
  const isAsked = ({ role, content }: Said) => role === 'user' && JSON.stringify(content).includes(`${word} `)
  const asked = JSON.stringify(messages.findLast(isAsked))
  const [, id, tag] = new RegExp(`${word} ([\\w-]+) of (t\\d+)\\.`).exec(asked)!
  const key = `${tag}:${id}`
  const isNoted = messages.some(({ role }) => role === 'tool')
  const call = isNoted
    ? toolCall(`result_${id}`, 'set_result', { output: key })
    : toolCall(`note_${id}`, 'note', { text: key })
  return { key, reply: { toolCalls: [call] } }
}

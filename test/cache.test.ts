import type { Sessions } from '../src/core/chat/session-operations.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../src/client/index.ts'
import { createParley } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { databases, temporaryFolder, toOptions } from './harness.ts'
import { openaiChat } from './providers/openai-chat.ts'
import { startProviderServer, type ProviderServer } from './providers/provider-server.ts'
import { need } from './runner/provision.ts'

const turns = 20

describe.each(databases)(
  'the prompts of a conversation of 20 turns with tools on %s',
  (name, openDatabase) => {
    it('are prefixes of each other, and stay so when the process is killed and another one goes on', async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      await using provider = await startProviderServer(openaiChat)
      const storage = database.environment.DATABASE_URL ?? database.environment.PARLEY_DATA_DIR!
      const start = () => startNode(`${provider.url}/v1`, join(folder.path, 'journal'), storage)

      const before = await start()
      const { id } = await createClient({ baseUrl: before.url }).sessions.create()
      await converse(createClient({ baseUrl: before.url }).sessions, id, provider, 1, turns / 2)
      before.child.kill('SIGKILL')
      await before.exited
      const after = await start()
      try {
        await converse(createClient({ baseUrl: after.url }).sessions, id, provider, turns / 2 + 1, turns)
      } finally {
        after.child.kill('SIGKILL')
        await after.exited
      }

      const prompts = promptsOf(provider)
      expect(prompts).toHaveLength(2 * turns)
      expect(new Set(prompts.map(({ system }) => system)).size, 'the static part changed').toBe(1)
      expect(prompts[0]!.system.length).toBeGreaterThan(0)
      expect(new Set(prompts.map(({ tools }) => tools)).size, 'the tools changed').toBe(1)
      expectGrowth(prompts)
      expectShare(`${name}, killed after ${turns / 2} turns`, prompts)
    })

    it('keep their static part when rules, skills and the name of the session change', async () => {
      await using database = await openDatabase()
      using folder = temporaryFolder()
      await using provider = await startProviderServer(openaiChat)
      const skill = join(folder.path, '.agents', 'skills', 'pack')
      mkdirSync(skill, { recursive: true })
      writeFileSync(join(folder.path, 'AGENTS.md'), 'Answer briefly.\n')
      const open = () =>
        createParley({
          ...toOptions(database),
          models: {
            model: 'openai/test',
            openai: { apiKey: 'test-key', baseUrl: `${provider.url}/v1` },
          },
          scopes: { home: { root: folder.path } },
          tools: [note],
        })
      let id: string
      {
        await using parley = await open()
        id = (await parley.sessions.create({ scope: 'home' })).id
        await converse(parley.sessions, id, provider, 1, 7, 'home')
        writeFileSync(join(folder.path, 'AGENTS.md'), 'Answer at length.\n')
        await converse(parley.sessions, id, provider, 8, 12, 'home')
      }
      writeFileSync(
        join(skill, 'SKILL.md'),
        '---\nname: pack\ndescription: Packs things\n---\nPack everything.\n',
      )
      await using parley = await open()
      await parley.sessions.update(id, { scope: 'home', title: 'another title' })
      await converse(parley.sessions, id, provider, 13, turns, 'home')

      const prompts = promptsOf(provider)
      expect(prompts).toHaveLength(2 * turns)
      expect(new Set(prompts.map(({ system }) => system)).size, 'the static part changed').toBe(1)
      expect(prompts[0]!.system).toContain('Answer briefly.')
      // what changed reaches the model all the same
      expect(prompts.at(-1)!.text).toContain('Answer at length.')
      expect(prompts.at(-1)!.text).toContain('Packs things')
      expectGrowth(prompts)
      expectShare(`${name}, with changed rules`, prompts)
    })
  },
)

const note = defineTool({
  name: 'note',
  description: 'Writes a line',
  input: z.strictObject({ text: z.string() }),
  execute: async ({ text }) => `noted ${text}`,
})

/** In each turn the model asks for a note, then answers; lengths differ from turn to turn. */
async function converse(
  sessions: Sessions,
  id: string,
  provider: ProviderServer,
  from: number,
  to: number,
  scope = 'default',
): Promise<void> {
  for (let turn = from; turn <= to; turn++) {
    provider.script(
      {
        reply: {
          text: `Let me write down ${turn}.`,
          toolCalls: [{ id: `call_${turn}`, name: 'note', input: JSON.stringify({ text: `line ${turn}` }) }],
        },
      },
      { reply: { text: `Done with ${turn}: ${'schöne Grüße '.repeat((turn * 7) % 23)}` } },
    )
    const { run } = await sessions.chat(id, { scope, content: `Note ${turn}, ${'please '.repeat(turn % 5)}` })
    expect(run).toMatchObject({ status: 'completed', outcome: { code: 'stop' } })
  }
}

interface Prompt {
  /** The exact text of the system message, of the tools, and of each message. */
  system: string
  tools: string
  messages: string[]
  /** Tools and messages, as a provider's cache sees them. */
  text: string
}

function promptsOf({ requests }: ProviderServer): Prompt[] {
  return requests.map(({ body }) => {
    const { tools, messages } = JSON.parse(body.toString()) as {
      tools: unknown[]
      messages: { role: string; content: unknown }[]
    }
    expect(messages.filter(({ role }) => role === 'system')).toEqual([messages[0]])
    return {
      system: JSON.stringify(messages[0]),
      tools: JSON.stringify(tools),
      messages: messages.map((message) => JSON.stringify(message)),
      text: JSON.stringify({ tools, messages }),
    }
  })
}

/** Nothing that was sent is ever changed or left out: each request begins with all messages of the one before. */
function expectGrowth(prompts: Prompt[]): void {
  for (const [index, { messages }] of prompts.entries()) {
    const before = prompts[index - 1]?.messages ?? []
    expect(messages.slice(0, before.length), `request ${index + 1}`).toEqual(before)
    if (index > 0) expect(messages.length, `request ${index + 1}`).toBeGreaterThan(before.length)
  }
}

function expectShare(what: string, prompts: Prompt[]): void {
  let shared = 0
  let sent = 0
  for (const [index, { text }] of prompts.entries()) {
    if (index === 0) continue
    shared += commonPrefix(Buffer.from(prompts[index - 1]!.text), Buffer.from(text))
    sent += Buffer.byteLength(text)
  }
  const share = shared / sent
  process.stdout.write(
    `${what}: ${share.toFixed(4)} of ${sent} prompt bytes in ${prompts.length - 1} requests are an unchanged prefix\n`,
  )
  expect(share).toBeGreaterThanOrEqual(0.92)
}

function commonPrefix(a: Buffer, b: Buffer): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index
  return length
}

async function startNode(...args: string[]) {
  const child = spawn(process.execPath, [await need('nodes'), 'chat-node.ts', ...args], {
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

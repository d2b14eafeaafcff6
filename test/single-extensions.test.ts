/** Each extension that comes with Parley, alone with what it needs: it works, and finds its data again after times without it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Extension } from '../src/core/extension.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { loadBuiltIn } from '../src/extensions/built-in.ts'
import { openBare, type BareParley } from './bare-parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

const builtIn = await loadBuiltIn()

function withNeeds(name: string): string[] {
  const { needs = [] } = builtIn.find((one) => one.name === name)!
  return [name, ...needs.flatMap((needed) => withNeeds(needed.name))]
}

/** In the order of the whole list. */
const alone = (name: string): Extension[] => {
  const wanted = withNeeds(name)
  return builtIn.filter((one) => wanted.includes(one.name))
}

interface Opened extends BareParley {
  requests: ModelRequest[]
}

/** Tasks hand in a result; one turn calls the tool that its text names; all others say hello. */
async function open(dataDir: string, extensions: readonly Extension[]): Promise<Opened> {
  const model = createScripted((request) => {
    if (request.tools.some(({ name }) => name === 'set_result'))
      return calls(['set_result', { output: 'done' }])
    const last = JSON.stringify(request.messages.at(-1))
    const [, tool, input] = /CALL (\w+) (.*?) END/.exec(last) ?? []
    return tool === undefined ? says('Hello') : calls([tool, input!.replaceAll('\\', '')])
  })
  const parley = await openBare(
    {
      dataDir,
      models: { model: model.id, extra: { scripted: () => model } },
      permissions: { mode: 'bypassPermissions' },
      // of those that are there
      ...(extensions.some(({ name }) => name === 'memory') && { memory: {} }),
      ...(extensions.some(({ name }) => name === 'webhook') && { webhooks: { allowPrivate: ['127.0.0.1'] } }),
    },
    extensions,
  )
  return { ...parley, requests: model.requests, [Symbol.asyncDispose]: () => parley[Symbol.asyncDispose]() }
}

const toolsOf = ({ requests }: Opened) => requests.at(-1)!.tools.map(({ name }) => name)
const definition = 'name: small\nsteps:\n  - { id: one, type: agent, prompt: Do it }\n'

/** What each does, and how it is found again: `again` gets what `first` answered. */
const scenarios: Record<
  string,
  { first(parley: Opened): Promise<unknown>; again?(parley: Opened, made: never): Promise<void> }
> = {
  agents: {
    async first({ calls: { agents } }) {
      await agents.create({ name: 'mira', description: 'Counts' })
    },
    async again({ calls: { agents } }) {
      expect((await agents.list()).items).toContainEqual(expect.objectContaining({ name: 'mira' }))
    },
  },
  documents: {
    async first({ calls: { documents, todos } }) {
      await todos.create({ title: 'Water' })
      return documents.create({ title: 'Notes', content: 'Tea is green' })
    },
    async again({ calls: { documents } }, { id }: { id: string }) {
      expect(await documents.get(id)).toMatchObject({ content: 'Tea is green' })
    },
  },
  files: {
    async first(parley) {
      const { id } = await parley.sessions.create()
      const input = { action: 'write', path: 'a.md', workspace: 'session', content: 'A' }
      await parley.sessions.chat(id, `CALL file ${JSON.stringify(input)} END`)
      const { items } = await parley.sessions.messages(id, { limit: 10 })
      expect(JSON.stringify(items)).toContain('"output-available"')
    },
  },
  terminal: {
    async first(parley) {
      const { id } = await parley.sessions.create({ toolGroups: { terminal: true } })
      await parley.sessions.chat(id, 'Hello')
      expect(toolsOf(parley)).toEqual(expect.arrayContaining(['terminal']))
    },
  },
  web: {
    async first(parley) {
      const { id } = await parley.sessions.create()
      await parley.sessions.chat(id, 'CALL web_fetch {"url":"http://127.0.0.1:1/"} END')
      expect(toolsOf(parley)).toEqual(expect.arrayContaining(['web_fetch']))
      expect(JSON.stringify(await parley.sessions.messages(id, { limit: 10 }))).toContain(
        'not on the public internet',
      )
    },
  },
  memory: {
    async first(parley) {
      await parley.calls.memories.create({ layer: 'scope', text: 'The teapot is green' })
      const { id } = await parley.sessions.create()
      await parley.sessions.chat(id, 'Which teapot?')
      expect(JSON.stringify(parley.requests.at(-1))).toContain('The teapot is green')
    },
    async again({ calls: { memories } }) {
      expect((await memories.list()).items).toMatchObject([{ text: 'The teapot is green' }])
    },
  },
  knowledge: {
    async first({ calls: { knowledge } }) {
      await knowledge.import({
        source: 'book',
        triples: [{ subject: 'Ann', predicate: 'founded', object: 'Acme' }],
      })
    },
    async again({ calls: { knowledge } }) {
      expect(JSON.stringify(await knowledge.query({ query: 'Who is Ann?' }))).toContain('Acme')
    },
  },
  schedule: {
    async first({ calls: { crons } }) {
      const { id } = await crons.create({ schedule: '@yearly', prompt: 'Report' })
      await crons.trigger(id)
      await expect
        .poll(async () => (await crons.fires(id)).items.map(({ outcome }) => outcome))
        .toEqual(['completed'])
      return id
    },
    async again({ calls: { crons } }, id: string) {
      expect((await crons.fires(id)).items).toHaveLength(1)
    },
  },
  webhook: {
    async first({ calls: { webhooks }, sessions }) {
      const called: string[] = []
      const receiver = createServer((request, response) => {
        called.push(request.url!)
        response.end()
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => receiver.once('listening', resolve))
      try {
        const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/called`
        const { id } = await webhooks.create({ event: 'session-created', url })
        await sessions.create()
        await expect.poll(() => called).toEqual(['/called'])
        await webhooks.update(id, { status: 'paused' })
        return id
      } finally {
        receiver.closeAllConnections()
        receiver.close()
      }
    },
    async again({ calls: { webhooks } }, id: string) {
      expect(await webhooks.get(id)).toMatchObject({ event: 'session-created' })
    },
  },
  workflow: {
    async first({ calls: { workflows } }) {
      const { id } = await workflows.create({ text: definition })
      const run = await workflows.run(id)
      await expect.poll(async () => (await workflows.getRun(run.id)).status).toBe('completed')
      return run.id
    },
    async again({ calls: { workflows } }, id: string) {
      expect(await workflows.getRun(id)).toMatchObject({ status: 'completed' })
    },
  },
  plan: {
    async first({ calls: { plans } }) {
      const { id } = await plans.create({ title: 'Plan', markdown: '- [ ] One' })
      const run = await plans.execute(id)
      await expect.poll(async () => (await plans.getRun(run.id)).status).toBe('completed')
      return id
    },
    async again({ calls: { plans } }, id: string) {
      expect(JSON.stringify(await plans.tree(id))).toContain('"completed"')
    },
  },
  room: {
    async first({ calls: { agents }, sessions }) {
      await agents.create({ name: 'ann' })
      const { id } = await sessions.create({ mode: 'free_chat', agents: ['ann'] })
      const { run } = await sessions.chat(id, '@ann hello')
      expect(run.status).toBe('completed')
      return id
    },
    async again({ sessions }, id: string) {
      const { items } = await sessions.messages(id, { limit: 10 })
      expect(items.map(messageText)).toContain('Hello')
    },
  },
  openai: {
    async first({ composed }) {
      expect(composed.contributions.routes).toHaveLength(1)
    },
  },
  anthropic: {
    async first({ composed }) {
      expect(composed.contributions.routes.map(({ name }) => name)).toEqual(['openai', 'anthropic'])
    },
  },
  mcp: {
    async first({ calls: { mcp } }) {
      expect((await mcp.servers()).items).toEqual([])
    },
  },
}

describe('an extension alone, with what it needs', () => {
  it('is each that comes with Parley', () => {
    expect(Object.keys(scenarios).toSorted()).toEqual(builtIn.map(({ name }) => name).toSorted())
  })

  it.each(Object.keys(scenarios))('%s does what it is for, and finds it again', async (name) => {
    using folder = temporaryFolder()
    const { first, again } = scenarios[name]!
    let made: unknown
    {
      await using parley = await open(folder.path, alone(name))
      made = await first(parley)
    }
    await using parley = await open(folder.path, alone(name))
    await again?.(parley, made as never)
    await expect(parley.store.checkIntegrity()).resolves.not.toThrow()
  })
})

describe('a database that was written with all extensions', () => {
  it('opens with none, with each and with all again: chats continue, and nothing is lost', async () => {
    using folder = temporaryFolder()
    const made = new Map<string, unknown>()
    let plain = ''
    {
      await using whole = await open(folder.path, builtIn)
      plain = (await whole.sessions.create({ title: 'Plain' })).id
      for (const [name, { first }] of Object.entries(scenarios)) {
        // its agents and routes are those of others too
        if (name !== 'openai' && name !== 'anthropic') made.set(name, await first(whole))
      }
    }
    for (const extensions of [[], ...Object.keys(scenarios).map(alone)]) {
      await using parley = await open(folder.path, extensions)
      const { run } = await parley.sessions.chat(plain, 'Hello')
      expect(run.status).toBe('completed')
      const there = new Set(extensions.map(({ name }) => name))
      for (const [name, one] of made)
        if (there.has(name)) await scenarios[name]!.again?.(parley, one as never)
    }
    await using whole = await open(folder.path, builtIn)
    for (const [name, one] of made) await scenarios[name]!.again?.(whole, one as never)
    expect((await whole.sessions.messages(plain, { limit: 100 })).items).toHaveLength(32)
    await whole.store.checkIntegrity()
  })
})

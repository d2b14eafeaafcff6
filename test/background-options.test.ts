import { describe, expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createScripted, says } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { startApp } from './http/app-server.ts'
import { isLearning, item, questionOf } from './memory-harness.ts'
import { createGate, openTasks, submit } from './task-harness.ts'

const isTask = ({ tools }: ModelRequest) => tools.some(({ name }) => name === 'set_result')
const background = (more: object) => ({ kind: 'background' as const, prompt: 'work', ...more })

describe.each(anyDatabase)('what a background session is started with, on %s,', (_name, openDatabase) => {
  /** Learns a note of each document, and hands in. */
  const open = () =>
    openTasks(
      openDatabase,
      (request) => {
        if (!isLearning(request)) return isTask(request) ? submit() : says('Fine.')
        return says(
          questionOf(request) === 'document'
            ? JSON.stringify({ document: [item('The door is red.')] })
            : '{}',
        )
      },
      { memory: { learn: true } },
    )

  it('decides whether it learns from documents, and the record says what counts', async () => {
    await using parley = await open()
    await parley.documents.create({ title: 'Notes', content: 'The door is red.' })
    const learned = async () => (await parley.memories.list({ type: 'document' })).items.length
    const quiet = await parley.sessions.create(background({ memoryPolicy: { skipDocumentExtract: true } }))
    expect(quiet.bgMeta?.memoryPolicy).toEqual({
      skipPerRoundExtract: true,
      skipNarrativeBatchExtract: true,
      skipDocumentExtract: true,
      skipConversationSummary: true,
    })
    await parley.until(quiet.id, 'completed')
    const usual = await parley.sessions.create(background({}))
    await parley.until(usual.id, 'completed')
    await expect.poll(learned).toBe(1)
    const sources = (await parley.memories.list({ type: 'document' })).items.map(({ source }) => source)
    expect(JSON.stringify(sources)).not.toContain(quiet.id)
    expect(parley.model.requests.filter(isLearning)).toHaveLength(1)
  })

  it('learns from its turn where it is asked to', async () => {
    await using parley = await open()
    const policy = { skipPerRoundExtract: false, skipDocumentExtract: true }
    const { id } = await parley.sessions.create(background({ memoryPolicy: policy }))
    await parley.until(id, 'completed')
    await expect.poll(() => parley.model.requests.filter(isLearning).length).toBeGreaterThan(0)
    expect(parley.model.requests.filter(isLearning).map(questionOf)).not.toContain('document')
  })

  it('keeps it from being told what is remembered, also when it is talked to later', async () => {
    await using parley = await open()
    await parley.memories.create({ layer: 'user', text: 'Likes green tea' })
    const told = () =>
      parley.model.requests
        .filter((request) => !isLearning(request))
        .map(({ messages }) => JSON.stringify(messages).includes('green tea'))
    const usual = await parley.sessions.create(background({ memoryPolicy: { skipDocumentExtract: true } }))
    await parley.until(usual.id, 'completed')
    const { id } = await parley.sessions.create(background({ skipMemory: true }))
    await parley.until(id, 'completed')
    await parley.sessions.chat(id, 'What do I like, green or black?')
    expect(told()).toEqual([true, false, false])
    expect((await parley.sessions.get(id)).bgMeta).toMatchObject({ skipMemory: true })
    const copy = await parley.sessions.import(await parley.sessions.export(id), { scope: 'elsewhere' })
    expect(copy.bgMeta).toMatchObject({ skipMemory: true, memoryPolicy: { skipDocumentExtract: false } })
  })

  it('decides whether it gets a title of its words where it has none', async () => {
    await using parley = await open()
    const titleOf = async (more: object) => {
      const { id } = await parley.sessions.create(background({ title: '', ...more }))
      await parley.until(id, 'completed')
      return (await parley.sessions.get(id)).title
    }
    expect(await titleOf({})).toBe('')
    expect(await titleOf({ memoryPolicy: { skipConversationSummary: false } })).toBe('work')
  })

  it('says when it began and when it ended', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, () => [gate.promise, ...submit()])
    const { id, ...created } = await parley.sessions.create(background({}))
    expect(created).not.toHaveProperty('startedAt')
    await parley.until(id, 'running')
    const running = await parley.sessions.get(id)
    expect(running).toMatchObject({ startedAt: expect.any(String) })
    expect(running).not.toHaveProperty('finishedAt')
    gate.open()
    await parley.until(id, 'completed')
    const over = await parley.sessions.get(id)
    expect(over.startedAt).toBe(running.startedAt)
    expect(over.finishedAt! >= over.startedAt!).toBe(true)
    expect((await parley.sessions.list({ kind: 'background' })).items[0]).toMatchObject({
      startedAt: over.startedAt,
      finishedAt: over.finishedAt,
    })
    const copy = await parley.sessions.import(await parley.sessions.export(id), { scope: 'elsewhere' })
    expect(copy).toMatchObject({ startedAt: over.startedAt, finishedAt: over.finishedAt })
  })

  it('switches groups of tools, and with a parent only off', async () => {
    await using parley = await open()
    const names = () => parley.model.requests.at(-1)!.tools.map(({ name }) => name)
    const on = await parley.sessions.create(background({ toolGroups: { web: false, terminal: true } }))
    await parley.until(on.id, 'completed')
    expect(names()).toContain('terminal')
    expect(names()).not.toContain('web_fetch')
    expect(on.toolGroups).toEqual({ web: false, terminal: true })

    const { id: parentSessionId } = await parley.sessions.create({ toolGroups: { document: false } })
    const below = await parley.sessions.create(background({ parentSessionId, toolGroups: { web: false } }))
    await parley.until(below.id, 'completed')
    expect(below.toolGroups).toEqual({ document: false, web: false })
    await expect(
      parley.sessions.create(background({ parentSessionId, toolGroups: { terminal: true } })),
    ).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('"terminal"') })
  })
})

it('over HTTP, a key that is bound to scopes switches no group on that is off there', async () => {
  const apiKeys = [
    { name: 'operator', key: 'operator-0123456789', scopes: undefined },
    { name: 'guest', key: 'guest-0123456789012', scopes: ['red'] },
  ]
  const model = createScripted(() => submit())
  await using server = await startApp({ clock: systemClock, model, background: {}, apiKeys })
  const [operator, guest] = apiKeys.map(({ key }) => createClient({ baseUrl: server.url, apiKey: key }))
  const start = (client: typeof guest, more: object) =>
    client!.sessions.create({ scope: 'red', ...background(more) })
  await expect(start(guest, { toolGroups: { terminal: true } })).rejects.toMatchObject({ code: 'forbidden' })
  expect(await start(guest, { toolGroups: { web: false }, skipMemory: true })).toMatchObject({
    toolGroups: { web: false },
    bgMeta: { skipMemory: true },
  })
  expect(await start(operator, { toolGroups: { terminal: true } })).toMatchObject({
    toolGroups: { terminal: true },
  })
  await expect(start(operator, { memoryPolicy: { skipAll: true } })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('skipAll'),
  })
})

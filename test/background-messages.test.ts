import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { TaskResult } from '../src/core/protocol/background.ts'
import { calls, says, type Script } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { createPaint } from './paint-tool.ts'
import { createGate, openTasks, scope, submit } from './task-harness.ts'

type Opened = Awaited<ReturnType<typeof openTasks>>

const isTask = ({ tools }: ModelRequest) => tools.some(({ name }) => name === 'set_result')
const textOf = (request: ModelRequest) => JSON.stringify(request.messages.at(-1))
const hands = (output: string) => calls(['set_result', { output }])

/** A chat that calls the tool it is told to call, with the input that it is told. */
const obedient: Script = (request) => {
  const { messages } = request
  if (messages.at(-1)!.role === 'tool') return says(textOf(request))
  const news = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  const text = news
    .flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : '')))
    .join('\n')
  const [, name, input] = /(\w+_\w+) (\{.*\})/.exec(text) ?? []
  return name === undefined ? says('I see.') : calls([name, input!])
}

const answerOf = async ({ sessions }: Opened, id: string, content: string) => {
  const { message } = await sessions.chat(id, content)
  return JSON.stringify(message!.parts)
}

describe.each(anyDatabase)('a task that waits for a person, on %s,', (_name, openDatabase) => {
  it('says so in its record, to the model that started it, and in events', async () => {
    const { tool } = createPaint()
    await using parley = await openTasks(
      openDatabase,
      (request, call) => {
        if (!isTask(request)) return obedient(request, call)
        return request.messages.at(-1)!.role === 'tool' ? submit() : calls(['paint', { path: 'door' }])
      },
      { tools: [tool] },
    )
    const { id: chat } = await parley.sessions.create()
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work', parentSessionId: chat })
    await expect.poll(async () => (await parley.sessions.get(id)).progress?.waitsFor).toHaveLength(1)
    const [ask] = (await parley.sessions.get(id)).progress!.waitsFor!
    expect(ask).toMatchObject({ toolName: 'paint', since: expect.any(String) })
    const told = await answerOf(parley, chat, `task_status {"action": "status", "task_id": "${id}"}`)
    expect(told).toContain('"status":"waiting"')
    expect(told).toContain(ask!.approvalId)
    expect(await parley.eventsOf(id)).toContain('bg:session.waiting')
    expect(await parley.eventsOf(id)).not.toContain('bg:session.resumed')

    await parley.approvals.decide(ask!.approvalId, { decision: 'approve' })
    await parley.until(id, 'completed')
    expect(await parley.eventsOf(id)).toContain('bg:session.resumed')
    expect(await parley.sessions.get(id)).not.toHaveProperty('progress')
  })

  it('does not say that it goes on when it is stopped', async () => {
    const { tool } = createPaint()
    await using parley = await openTasks(openDatabase, () => calls(['paint', { path: 'door' }]), {
      tools: [tool],
    })
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work' })
    await expect.poll(async () => (await parley.sessions.get(id)).progress?.waitsFor).toHaveLength(1)
    await parley.sessions.stop(id)
    await parley.until(id, 'cancelled')
    expect(await parley.eventsOf(id)).not.toContain('bg:session.resumed')
  })
})

describe.each(anyDatabase)('a task that is running, on %s,', (_name, openDatabase) => {
  it('shows since when, its steps, its last words and its tokens', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, (request) =>
      request.messages.at(-1)!.role === 'tool'
        ? [gate.promise, ...submit()]
        : [
            { type: 'text-delta', text: 'I look around first.' },
            ...calls(['task_status', { action: 'list' }]),
          ],
    )
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work' })
    await expect.poll(() => parley.model.requests.length).toBe(2)
    expect((await parley.sessions.get(id)).progress).toEqual({
      since: expect.any(String),
      steps: 1,
      lastWords: 'I look around first.',
      inputTokens: 10,
      outputTokens: 5,
    })
    expect((await parley.sessions.list({ kind: 'background' })).items[0]).not.toHaveProperty('progress')
    gate.open()
    await parley.until(id, 'completed')
  })
})

describe.each(anyDatabase)('message_task, on %s,', (_name, openDatabase) => {
  const message = (id: string, text: string) =>
    `message_task ${JSON.stringify({ task_id: id, message: text })}`

  it('reaches a task that is running after its current step', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, (request, call) => {
      if (!isTask(request)) return obedient(request, call)
      const said = JSON.stringify(request.messages)
      if (said.includes('in blue')) return hands('painted in blue')
      return [gate.promise, ...calls(['task_status', { action: 'list' }])]
    })
    const { id: chat } = await parley.sessions.create()
    const { id } = await parley.sessions.create({
      kind: 'background',
      prompt: 'paint',
      parentSessionId: chat,
    })
    await parley.until(id, 'running')
    expect(await answerOf(parley, chat, message(id, 'in blue'))).toContain('delivered')
    gate.open()
    await parley.until(id, 'completed')
    expect(await parley.sessions.result(id)).toMatchObject({ output: 'painted in blue' })
    expect((await parley.store.listRuns(scope, { sessionId: id, limit: 10 })).items).toHaveLength(1)
  })

  it('has a task that is over go on, with what it knows, and report again', async () => {
    await using parley = await openTasks(openDatabase, (request, call) => {
      if (!isTask(request)) return obedient(request, call)
      return hands(JSON.stringify(request.messages).includes('once more') ? 'second' : 'first')
    })
    const { id: chat } = await parley.sessions.create()
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work', parentSessionId: chat })
    await parley.until(id, 'completed')
    const [task] = parley.model.requests
    // the turn that says it takes the first result in on its way
    expect(await answerOf(parley, chat, message(id, 'once more'))).toContain('continued')
    await expect.poll(async () => (await parley.sessions.get(id)).bgResult).toBe('second')
    expect(await parley.sessions.result(id)).toMatchObject({ status: 'success', output: 'second' })
    expect(await parley.eventsOf(id)).toContain('bg:session.continued')

    const again = parley.model.requests.findLast(isTask)!
    expect(again.system).toBe(task!.system)
    expect(again.messages[0]).toEqual(task!.messages[0])
    expect(JSON.stringify(again.messages.at(-1))).toContain('There is work again')
    const results = async () =>
      (await parley.sessions.messages(chat, { limit: 50 })).items
        .flatMap(({ parts }) => parts)
        .filter(({ type }) => type === 'data-task-result')
        .map(({ data }) => (data as TaskResult).output)
    await expect.poll(results).toEqual(['first', 'second'])
  })

  it('is said once, however often it is called for, also when the task has ended in between', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, (request) => {
      const said = JSON.stringify(request.messages)
      if (said.includes('later')) return hands('later')
      return said.includes('sooner')
        ? hands('sooner')
        : [gate.promise, ...calls(['task_status', { action: 'list' }])]
    })
    const { id: chat } = await parley.sessions.create()
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work', parentSessionId: chat })
    await parley.until(id, 'running')
    const say = (text: string) =>
      parley.background.message({ scope, taskId: id, text, fromId: chat, key: `key ${text}` })
    expect(await say('sooner')).toEqual({ status: 'delivered' })
    expect(await say('sooner')).toEqual({ status: 'delivered' })
    gate.open()
    await parley.until(id, 'completed')
    await say('sooner')
    const runs = async () => (await parley.store.listRuns(scope, { sessionId: id, limit: 10 })).items.length
    expect(await runs()).toBe(1)
    expect(await say('later')).toEqual({ status: 'continued' })
    for (let time = 0; time < 3; time++) await say('later')
    await expect.poll(async () => (await parley.sessions.get(id)).bgResult).toBe('later')
    await parley.until(id, 'completed')
    expect(await runs()).toBe(2)
  })

  it('is not lost when the task ends before it reads it', async () => {
    const gate = createGate()
    await using parley = await openTasks(openDatabase, (request) =>
      JSON.stringify(request.messages).includes('and a word')
        ? hands('second')
        : [gate.promise, ...hands('first')],
    )
    const { id: chat } = await parley.sessions.create()
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work', parentSessionId: chat })
    await expect.poll(() => parley.model.requests.length).toBe(1)
    await parley.background.message({ scope, taskId: id, text: 'and a word', fromId: chat, key: 'k' })
    gate.open()
    await expect.poll(async () => (await parley.sessions.get(id)).bgResult).toBe('second')
    expect(await parley.statusOf(id)).toBe('completed')
    expect(
      (await parley.store.listRuns(scope, { sessionId: id, limit: 10 })).items.map(({ kind }) => kind),
    ).toEqual(['background', 'background'])
  })

  it('is for tasks of the session alone, and keeps to the limits', async () => {
    await using parley = await openTasks(openDatabase, (request, call) =>
      isTask(request) ? submit() : obedient(request, call),
    )
    const { id: chat } = await parley.sessions.create()
    const { id: other } = await parley.sessions.create()
    const { id } = await parley.sessions.create({ kind: 'background', prompt: 'work', parentSessionId: chat })
    await parley.until(id, 'completed')
    expect(await answerOf(parley, other, message(id, 'mine now'))).toContain('There is no task')
    expect(await answerOf(parley, chat, message('ses_unknown', 'hello'))).toContain('There is no task')
    expect(await answerOf(parley, chat, message(id, ''))).toContain('message')

    const step = await parley.store.createSession({
      scope,
      parentId: chat,
      kind: 'background',
      bgStatus: 'completed',
      bgMeta: { triggerType: 'workflow', source: 'workflow' },
    })
    expect(await answerOf(parley, chat, message(step.id, 'hello'))).toContain('part of a run')
  })

  it('is refused where no place is free', async () => {
    const gate = createGate()
    await using parley = await openTasks(
      openDatabase,
      (request, call) => {
        if (!isTask(request)) return obedient(request, call)
        return JSON.stringify(request.messages).includes('wait') ? [gate.promise, ...submit()] : submit()
      },
      { background: { maxGlobal: 1 } },
    )
    const { id: chat } = await parley.sessions.create()
    const below = { kind: 'background', parentSessionId: chat } as const
    const { id } = await parley.sessions.create({ ...below, prompt: 'work' })
    await parley.until(id, 'completed')
    const waits = await parley.sessions.create({ ...below, prompt: 'wait' })
    expect(await answerOf(parley, chat, message(id, 'more'))).toContain('background.maxGlobal')
    expect(await parley.statusOf(id)).toBe('completed')
    gate.open()
    await parley.until(waits.id, 'completed')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createParley, type Parley } from '../src/parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { anyDatabase, toOptions, type TestDatabase } from './harness.ts'

const scope = 'default'
const month = 30 * 24 * 3_600

describe.each(anyDatabase)('on %s', (_name, openDatabase) => {
  let database: TestDatabase
  let parley: Parley

  beforeAll(async () => {
    database = await openDatabase()
    // makes the call that it is told to make, and says so
    const model = createScripted(({ messages }) => {
      const last = messages.at(-1)!
      const texts = last.content.map((part) => (part.type === 'text' ? part.text : ''))
      const [, name, input] = /^call (\w+) (.*)$/m.exec(texts.join('\n')) ?? []
      return name ? calls([name, input]) : says('done')
    })
    parley = await createParley({
      ...toOptions(database),
      models: { model: 'scripted/test', extra: { scripted: () => model } },
    })
  })
  afterAll(async () => {
    await parley.close()
    await database[Symbol.asyncDispose]()
  })

  /** Has a model make a call in a session and answers the part that tells what came of it. */
  async function callIn(sessionId: string, name: string, input: object | string) {
    const text = typeof input === 'string' ? input : JSON.stringify(input)
    const { message } = await parley.sessions.chat(sessionId, `call ${name} ${text}`)
    return message!.parts.find(({ toolName }) => toolName === name)!
  }

  it.each([
    ['a time of zero', { task: 'x', timeout_seconds: 0 }, 'timeout_seconds'],
    ['a time below zero', { task: 'x', timeout_seconds: -1 }, 'timeout_seconds'],
    ['half a second', { task: 'x', timeout_seconds: 0.5 }, 'timeout_seconds'],
    ['a time of a month', { task: 'x', timeout_seconds: month }, 'timeout_seconds'],
    ['a time in words', { task: 'x', timeout_seconds: 'an hour' }, 'timeout_seconds'],
    ['a context that is no JSON', { task: 'x', context: '{"a":' }, '"context" must be an object'],
    ['a context that is a list', { task: 'x', context: '[1]' }, '"context" must be an object'],
    ['a context that is a number', { task: 'x', context: 5 }, 'context'],
    ['no task', { mode: 'sync' }, 'task'],
    ['an empty task', { task: '' }, 'task'],
    ['a mode that there is not', { task: 'x', mode: 'later' }, 'mode'],
    ['a field that there is not', { task: 'x', depth: 0 }, 'depth'],
    ['an input that is no JSON', '{"task": "x"', 'not valid JSON'],
    ['a schema that is no object', { task: 'x', output_schema: { type: 'array' } }, 'object'],
    ['a budget of nothing', { task: 'x', budget: { tokens: 0 } }, 'tokens'],
  ])('spawn_task with %s tells the model and starts nothing', async (_what, input, words) => {
    const { id } = await parley.sessions.create()
    const part = await callIn(id, 'spawn_task', input)
    expect(part).toMatchObject({ state: 'output-error', errorText: expect.stringContaining(words) })
    expect((await parley.sessions.list({ parent: id })).items).toEqual([])
  })

  it('task_status of what is unknown, somebody else’s or no task is refused with its id', async () => {
    const chat = await parley.sessions.create()
    const elsewhere = await parley.background.trigger(scope, { prompt: 'x' }, { triggerType: 'api' })
    await elsewhere.promise
    for (const taskId of ['ses_unknown', elsewhere.sessionId, chat.id, '', '../x'])
      for (const action of ['status', 'result', 'cancel'])
        expect(await callIn(chat.id, 'task_status', { action, task_id: taskId })).toMatchObject({
          state: 'output-error',
          errorText: expect.stringContaining(`"${taskId}"`),
        })
    expect(await callIn(chat.id, 'task_status', { action: 'cancel' })).toMatchObject({
      errorText: expect.stringContaining('needs a task_id'),
    })
  })

  it('a task that is over takes no other result, by whatever is said in it', async () => {
    const { background, sessions } = parley
    const order = `call set_result ${JSON.stringify({ output: 'the first' })}`
    const { taskId } = await background.triggerSync(scope, { prompt: order }, { triggerType: 'api' })
    const result = await sessions.result(taskId)
    const part = await callIn(taskId, 'set_result', { output: 'the second' })
    expect(part).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('no tool') })
    expect(await sessions.result(taskId)).toEqual(result)
    expect(await sessions.get(taskId)).toMatchObject({ bgStatus: 'completed', bgResult: 'the first' })
    for (const _ of ['once', 'twice']) expect(await background.cancel(scope, taskId)).toBe(false)
    expect(await sessions.stop(taskId)).toEqual({ stopped: null, tasks: [] })
    expect(await sessions.result(taskId)).toEqual(result)
  })

  it('what is asked of an id that is unknown, or of a chat, is refused with it', async () => {
    const { background, sessions } = parley
    const chat = await sessions.create()
    for (const ask of [
      () => background.cancel(scope, 'ses_unknown'),
      () => background.isRunning(scope, 'ses_unknown'),
      () => background.watch(scope, 'ses_unknown', 'run_unknown'),
      () => sessions.result('ses_unknown'),
      () => sessions.stop('ses_unknown'),
      () => sessions.get(chat.id, { scope: 'elsewhere' }),
      () => sessions.stop(chat.id, { scope: 'elsewhere' }),
    ])
      await expect(ask()).rejects.toMatchObject({ code: 'not_found' })
    await expect(background.cancel(scope, chat.id)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(sessions.result(chat.id)).rejects.toMatchObject({ code: 'conflict' })
    for (const timeoutMs of [0, -1, 0.5, month * 1_000, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(sessions.create({ kind: 'background', prompt: 'x', timeoutMs })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('timeoutMs'),
      })
  })
})

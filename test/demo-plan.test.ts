import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { renderTaskResult } from '../src/core/chat/render-task-result.ts'
import type { ModelEvent, ModelMessage, ModelRequest } from '../src/core/models/adapter.ts'
import { createDemoAdapter } from '../src/core/models/demo.ts'
import type { TaskResult } from '../src/core/protocol/background.ts'
import { readPlanPart } from '../src/extensions/plan/demo-plan.ts'
import { readReply, replySchema, type Reply } from '../src/extensions/plan/read-reply.ts'
import { compileOutputSchema } from '../src/core/tools/tool-schemas.ts'
import { createSetResult } from '../src/core/tools/set-result-tool.ts'

const demo = createDemoAdapter('demo/parley', { delayMs: 0, parts: [readPlanPart] })
const replyFormat = {
  name: 'plan_reply',
  schema: z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>,
}

const user = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] })

const ask = (messages: ModelMessage[], more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> => {
  const request = { system: 'Be kind.', messages, tools: [], cacheKey: 'k', ...more }
  return Array.fromAsync(demo.stream(request, new AbortController().signal))
}
const textOf = (events: ModelEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')

/** What is said in a session that has a plan, which always fits as it is. */
async function reply(text: string): Promise<Reply> {
  const written = textOf(await ask([user(text)], { replyFormat }))
  const parsed = replySchema.parse(JSON.parse(written))
  expect(readReply(written)).toEqual({ reply: parsed })
  return parsed
}
const actionsOf = async (text: string) =>
  (await reply(text)).actions.map(({ kind, name, parameters, order }) => [order, kind, name, parameters])

describe('the demo model where there is a plan', () => {
  it.each<[string, string, string, object]>([
    ['create a plan: Write a paper', 'plan_operation', 'create_plan', { title: 'Write a paper' }],
    ['Create a plan for a week in Rome.', 'plan_operation', 'create_plan', { title: 'a week in Rome' }],
    ['create plan Summarise the news', 'plan_operation', 'create_plan', { title: 'Summarise the news' }],
    ['plan: X', 'plan_operation', 'create_plan', { title: 'X' }],
    ['创建计划：写一篇论文', 'plan_operation', 'create_plan', { title: '写一篇论文' }],
    ['请制定一个计划: 总结报告。', 'plan_operation', 'create_plan', { title: '总结报告' }],
    ['add task Read the sources', 'task_operation', 'create_task', { name: 'Read the sources' }],
    ['添加任务 阅读资料', 'task_operation', 'create_task', { name: '阅读资料' }],
    ['run', 'plan_operation', 'execute_plan', {}],
    ['please execute the plan!', 'plan_operation', 'execute_plan', {}],
    ['执行计划', 'plan_operation', 'execute_plan', {}],
    ['run task 3', 'task_operation', 'rerun_task', { task_id: 3 }],
    ['rerun 12', 'task_operation', 'rerun_task', { task_id: 12 }],
    ['执行任务 3', 'task_operation', 'rerun_task', { task_id: 3 }],
    ['show', 'task_operation', 'show_tasks', {}],
    ['list tasks', 'task_operation', 'show_tasks', {}],
    ['显示任务', 'task_operation', 'show_tasks', {}],
    ['decompose 2', 'task_operation', 'decompose_task', { task_id: 2 }],
    ['decompose the plan', 'task_operation', 'decompose_task', {}],
    ['拆分 2', 'task_operation', 'decompose_task', { task_id: 2 }],
    ['delete task 3', 'task_operation', 'delete_task', { task_id: 3 }],
    ['删除任务3', 'task_operation', 'delete_task', { task_id: 3 }],
    ['list plans', 'plan_operation', 'list_plans', {}],
    ['列出计划', 'plan_operation', 'list_plans', {}],
    ['status', 'task_operation', 'query_status', {}],
    ['状态', 'task_operation', 'query_status', {}],
    ['help', 'system_operation', 'help', {}],
  ])('does what it is told: %s', async (text, kind, name, parameters) => {
    expect(await actionsOf(text)).toEqual([[1, kind, name, parameters]])
  })

  it.each(['add: Read, Write; Check', 'Add tasks Read, Write, Check', '添加任务 Read、Write，Check'])(
    'adds several at once: %s',
    async (text) => {
      expect(await actionsOf(text)).toEqual(
        ['Read', 'Write', 'Check'].map((name, index) => [
          index + 1,
          'task_operation',
          'create_task',
          { name },
        ]),
      )
    },
  )

  it('follows one line after another, up to as many as a reply may have', async () => {
    expect(await actionsOf('Hello!\ncreate a plan: Paper\nadd: A, B\nrun')).toEqual([
      [1, 'plan_operation', 'create_plan', { title: 'Paper' }],
      [2, 'task_operation', 'create_task', { name: 'A' }],
      [3, 'task_operation', 'create_task', { name: 'B' }],
      [4, 'plan_operation', 'execute_plan', {}],
    ])
    expect(
      await actionsOf(`add: ${Array.from({ length: 80 }, (_, index) => `t${index}`).join()}`),
    ).toHaveLength(50)
  })

  it('says what it does, in the language it was spoken to', async () => {
    expect((await reply('create a plan: X')).llm_reply.message).toBe('I create the plan “X”.')
    expect((await reply('添加任务 甲、乙')).llm_reply.message).toBe('我来添加“甲”、“乙”。')
  })

  it.each([
    'What is a plan?',
    'I plan to run home',
    'Do not run it',
    'add, please',
    'add: ,',
    '你好',
    'run 1234567890123',
    '',
    'x'.repeat(199) + '🙂🙂',
  ])('does nothing it is not told: %j', async (text) => {
    const { llm_reply, actions } = await reply(text)
    expect(actions).toEqual([])
    expect(llm_reply.message).toMatch(/demo model|演示模型/)
  })

  it('cuts a name that is too long without tearing a character', async () => {
    const name = `${'x'.repeat(199)}🙂🙂`
    for (const text of [`add: ${name}`, `create a plan: ${name}`])
      expect(JSON.stringify(await actionsOf(text)).length).toBeLessThan(400)
  })

  it.each(['.', ' ', '\n', 'add: ', '\nrun', ',', '<task_result ', '"', '#'])(
    'is not kept busy by a message of nothing but %j',
    async (piece) => {
      const long = piece.repeat(300_000 / piece.length)
      for (const text of [`${long}x`, `A background task has ended. ${long}`]) await reply(text)
      expect((await reply(`run\n${long}`)).actions[0]).toMatchObject({ name: 'execute_plan' })
    },
  )

  it('keeps its other commands', async () => {
    expect(textOf(await ask([user('json {"any": "thing"}')], { replyFormat }))).toBe('{"any": "thing"}')
    expect((await reply('long 30')).llm_reply.message.split(' ')).toHaveLength(30)
    expect((await reply('what did I say?')).llm_reply.message).toContain('not told me anything')
    await expect(ask([user('fail quota')], { replyFormat })).rejects.toMatchObject({ kind: 'quota' })
    const calls = await ask([user('use look {"at": 1}')], { replyFormat })
    expect(calls.find(({ type }) => type === 'tool-call')).toMatchObject({ toolName: 'look' })
  })

  it('is as ever where no such reply is asked for', async () => {
    expect(textOf(await ask([user('run task 3')]))).toContain('“run task 3”')
    const other = { name: 'other', schema: {} }
    expect(textOf(await ask([user('run task 3')], { replyFormat: other }))).toContain('“run task 3”')
  })

  it.each<[string, string, RegExp]>([
    [
      'Paper',
      'create_task: added 3 “Read”\nfail\nrun',
      /“Paper” has ended \(success\): create_task: added 3 “Read”/,
    ],
    ['论文', '执行计划：3 个任务完成', /“论文”已结束（success）：执行计划/],
  ])('answers a report with a sentence and nothing to do: %s', async (label, output, expected) => {
    const result: TaskResult = {
      taskId: 'ses_1',
      runId: 'run_1',
      label,
      status: 'success',
      source: 'tool',
      degraded: false,
      durationMs: 1,
      output,
    }
    const report = renderTaskResult(result)
    const { llm_reply, actions } = await reply(report)
    expect(actions).toEqual([])
    expect(llm_reply.message).toMatch(expected)
    expect((await reply(`${report}\n\n${report}`)).llm_reply.message.split('\n')).toHaveLength(2)
    const long = renderTaskResult({ ...result, status: 'failed', output: 'x'.repeat(9_000) })
    expect((await reply(long)).llm_reply.message.length).toBeLessThan(400)
  })
})

describe('what it hands in', () => {
  const childrenSchema = (required: string[], more: object = {}) => ({
    type: 'object',
    properties: {
      should_stop: { type: 'boolean' },
      reason: { type: 'string' },
      children: {
        type: 'array',
        minItems: 2,
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            instruction: { type: 'string' },
            dependencies: { type: 'array', items: { type: 'integer' } },
          },
          required: ['name', 'instruction'],
        },
        ...more,
      },
    },
    required,
  })
  interface Children {
    should_stop?: boolean
    children: { name: string; instruction: string; dependencies?: number[] }[]
  }

  /** Through the tool, which takes only what fits. */
  async function handIn(schema: Record<string, unknown>, said: string): Promise<Children> {
    const tool = createSetResult().forTurn!({ isTask: true, outputSchema: schema } as never)!
    const system = 'When you are done, call set_result.'
    const tools = [{ name: 'set_result', description: '', inputSchema: tool.inputSchema! }]
    const events = await ask([user(said)], { system, tools })
    const call = events.find((event) => event.type === 'tool-call')!
    const data: unknown = JSON.parse(call.input)
    expect(tool.input.safeParse(data).success, call.input).toBe(true)
    expect(compileOutputSchema(schema).safeParse(data).success, call.input).toBe(true)
    return data as Children
  }

  it('are steps of the task that was asked about', async () => {
    const { children, should_stop } = await handIn(
      childrenSchema(['children']),
      'Break this task down.\n\nTask: Write a paper on bees\nInstruction: about 10 pages',
    )
    expect(children.map(({ name }) => name)).toEqual([
      'Prepare: Write a paper on bees',
      'Carry out: Write a paper on bees',
      'Check: Write a paper on bees',
    ])
    expect(children[0]!.instruction).toBe('Collect what is needed for “Write a paper on bees”.')
    expect(should_stop).not.toBe(true)
  })

  it.each([
    ['把任务“写一篇论文”拆分成更小的任务。', '准备：写一篇论文'],
    ['Break “Paint the house” down into steps.', 'Prepare: Paint the house'],
    ['[7] Paint the house\nwith a brush', 'Prepare: Paint the house'],
    ['## Task: [7] "Paint the house"', 'Prepare: Paint the house'],
    ['Task: Prepare: Paint the house', 'Prepare: Paint the house, part 1'],
  ])('are named after it: %s', async (said, name) => {
    const { children } = await handIn(childrenSchema(['children']), said)
    expect(children[0]!.name).toBe(name)
    expect(new Set(children.map((child) => child.name)).size).toBe(children.length)
  })

  it('are as many as there must be, and no more than there may', async () => {
    const count = async (more: object) =>
      (await handIn(childrenSchema(['children'], more), 'Task: X')).children.length
    expect(await count({ minItems: 7 })).toBe(7)
    expect(await count({ minItems: 0, maxItems: 2 })).toBe(2)
    expect(await count({ minItems: 1, maxItems: 1 })).toBe(1)
  })

  it('do not stop there, whatever else is asked for', async () => {
    const schema = childrenSchema(['should_stop', 'reason', 'children'])
    schema.properties.children.items.required.push('dependencies')
    const { should_stop, children } = await handIn(schema, 'Task: X')
    expect(should_stop).toBe(false)
    expect(children.map(({ dependencies }) => dependencies)).toEqual([[], [], []])
  })

  it.each([
    { files: { type: 'array', items: { type: 'string' } } },
    { n: { type: 'integer', minimum: 3 }, kind: { const: 'x' } },
    { tags: { type: 'array', minItems: 4, items: { type: 'string', maxLength: 10 } } },
    { either: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    { at: { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] } },
  ])('fit other shapes as well: %j', async (properties) => {
    const required = Object.keys(properties)
    const data = await handIn({ type: 'object', properties, required }, 'Task: X')
    expect(Object.keys(data)).toEqual(required)
  })
})

import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createAgent,
  createParley,
  type ModelAdapter,
  type ParleyOptions,
  type ToolDefinition,
} from '../src/index.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

async function ask(options: Omit<ParleyOptions, 'dataDir'>, text = 'hello') {
  using folder = temporaryFolder()
  await using parley = await createParley({ dataDir: folder.path, ...options })
  const { id } = await parley.sessions.create()
  const events: { type: string; errorText?: string }[] = []
  const turn = parley.sessions.chat(id, text)
  for await (const { chunk } of turn) events.push(chunk)
  const { run, message } = await turn
  return { run, message, events }
}

const using = (adapter: unknown): Pick<ParleyOptions, 'models'> => ({
  models: { model: 'mine/one', extra: { mine: () => adapter as ModelAdapter } },
})

const adapters: [string, object, string][] = [
  [
    'that throws before its first word',
    {
      id: 'mine/one',
      stream() {
        throw new TypeError('fetch is not a funtion')
      },
    },
    'The adapter "mine/one" failed: fetch is not a funtion',
  ],
  [
    'that throws in the middle',
    createScripted(() => [{ type: 'text-delta', text: 'half' }, new RangeError('Invalid array length')]),
    'The adapter "scripted/test" failed: Invalid array length',
  ],
  [
    'that throws what is no error',
    {
      id: 'mine/one',
      // oxlint-disable-next-line require-yield -- it does not get that far
      async *stream() {
        throw 'out of cheese'
      },
    },
    'The adapter "mine/one" failed: out of cheese',
  ],
  [
    'that streams nothing',
    { id: 'mine/one', stream: () => undefined },
    'The adapter "mine/one" failed: Cannot read properties of undefined',
  ],
  [
    'with events that there are not',
    createScripted(() => [{ type: 'text', text: 'hi' } as never]),
    'The adapter "scripted/test" sent an event of the unknown type "text". Types: text-delta,',
  ],
  [
    'with a delta that has no text',
    createScripted(() => [{ type: 'text-delta', delta: 'hi' } as never]),
    'The adapter "scripted/test" sent a "text-delta" whose "text" is no text.',
  ],
]

describe('an adapter of the program', () => {
  it.each(adapters)(
    '%s is named, with its words, in what is stored and told',
    async (_, adapter, message) => {
      const { run, events } = await ask(using(adapter))
      expect(run).toMatchObject({
        status: 'failed',
        outcome: { code: 'internal', message: expect.stringContaining(message) },
      })
      expect(events).toContainEqual({ type: 'error', errorText: expect.stringContaining(message) })
    },
  )

  it.each(adapters)('%s is named to the program that asks an agent', async (_, adapter, message) => {
    await using agent = createAgent({ model: adapter as ModelAdapter })
    await expect(agent.ask('hello')).rejects.toMatchObject({
      code: 'turn_failed',
      message: expect.stringContaining(message),
    })
  })

  it('that cannot be made says why', async () => {
    const models: ParleyOptions['models'] = {
      model: 'mine/one',
      extra: {
        mine() {
          throw new Error('no GPU')
        },
      },
    }
    const { run } = await ask({ models })
    expect(run.outcome).toMatchObject({
      code: 'adapter_unavailable',
      message: 'The adapter "mine" could not be made: no GPU',
    })
  })

  it('that is none is said to be none', async () => {
    const { run } = await ask(using({ id: 'mine/one' }))
    expect(run.outcome).toMatchObject({
      message: 'The adapter "mine" must be an object with an id and a stream function.',
    })
  })

  it('that repeats a key tells it to nobody', async () => {
    const words = 'the key hunter2-hunter2 and sk-abcdefgh12345 were refused, Bearer abc.def'
    const { run, events } = await ask({
      models: {
        model: 'mine/one',
        openai: { apiKey: 'hunter2-hunter2' },
        extra: { mine: () => createScripted(() => [new Error(words)]) },
      },
    })
    expect(run.outcome).toMatchObject({
      message: 'The adapter "scripted/test" failed: the key [key] and [key] were refused, [key]',
    })
    expect(JSON.stringify(events)).not.toMatch(/hunter2|abcdefgh|abc\.def/)
  })
})

describe('a tool of the program', () => {
  const tool = (changes: Partial<ToolDefinition>): ToolDefinition => ({
    name: 'mine',
    description: 'Mine',
    input: z.strictObject({}),
    execute: async () => 1,
    ...changes,
  })

  it.each<[string, unknown, string]>([
    ['an error', new Error('no such order'), 'no such order'],
    ['an error without words', new Error(''), 'The tool "mine" failed: no reason given'],
    ['a text', 'no such order', 'The tool "mine" failed: no such order'],
    ['nothing', undefined, 'The tool "mine" failed: undefined'],
    ['null', null, 'The tool "mine" failed: null'],
    ['an object', { code: 17 }, 'The tool "mine" failed: {"code":17}'],
  ])('that throws %s is an error of the call, and the turn goes on', async (_, thrown, errorText) => {
    const { run, message } = await ask(
      {
        tools: [
          tool({
            execute: async () => {
              throw thrown
            },
          }),
        ],
      },
      'use mine',
    )
    expect(run.status).toBe('completed')
    expect(message?.parts).toContainEqual(
      expect.objectContaining({ toolName: 'mine', state: 'output-error', errorText }),
    )
  })

  it('whose forTurn throws is named', async () => {
    const { run } = await ask({
      tools: [
        tool({
          forTurn() {
            throw new Error('which turn?')
          },
        }),
      ],
    })
    expect(run.outcome).toMatchObject({
      code: 'internal',
      message: 'forTurn of the tool "mine" failed: which turn?',
    })
  })
})

describe('other code of the program', () => {
  it('a hook that nothing is done without says what it was', async () => {
    const { message } = await ask(
      {
        tools: [{ name: 'mine', description: 'Mine', input: z.strictObject({}), execute: async () => 1 }],
        hooks: [
          {
            event: 'PreToolUse',
            id: 'gate',
            onFailure: 'deny',
            run() {
              throw new Error('the list of rules is gone')
            },
          },
        ],
      },
      'use mine',
    )
    expect(message?.parts).toContainEqual(
      expect.objectContaining({
        errorText: expect.stringContaining(
          'The hook gate failed, and nothing is done without it: the list of rules is gone',
        ),
      }),
    )
  })

  it('a record handler and onAsk are named', async () => {
    const model = createScripted((_request, call) => (call === 1 ? calls(['mine', {}]) : says('done')))
    await using agent = createAgent({
      model,
      tools: [{ name: 'mine', description: 'Mine', input: z.strictObject({}), execute: async () => 1 }],
      permissions: {
        rules: [{ tool: 'mine', decision: 'ask' }],
        onAsk() {
          throw new Error('nobody is here')
        },
      },
    })
    const { parts } = await agent.ask('go')
    expect(parts).toContainEqual(
      expect.objectContaining({ errorText: expect.stringContaining('onAsk failed: nobody is here') }),
    )
    agent.attachSession()
    agent.setRecordHandler(() => {
      throw new Error('disk is full of cats')
    })
    await expect(agent.ask('go')).rejects.toThrow('The record handler failed: disk is full of cats')
  })
})

import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as zod3 } from 'zod3'
import { z as zod3next } from 'zod3/v4'
import { createAgent, createParley, defineTool, type ToolDefinition } from '../src/index.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

const about = { name: 'add', description: 'Adds one to a number' }
const jsonSchema = {
  type: 'object',
  properties: { a: { type: 'number', minimum: 1 }, by: { type: 'number' } },
  required: ['a'],
}
const execute = async ({ a, by }: { a: number; by: number }) => ({ sum: a + by })

const libraries: Record<string, ToolDefinition> = {
  'zod 4': defineTool({
    ...about,
    input: z.object({ a: z.number().min(1), by: z.number().default(1) }),
    execute,
  }),
  'zod 4 mini': defineTool({
    ...about,
    input: mini.object({ a: mini.number().check(mini.minimum(1)), by: mini._default(mini.number(), 1) }),
    execute,
  }),
  'zod 4 of the package of zod 3': defineTool({
    ...about,
    input: zod3next.object({ a: zod3next.number().min(1), by: zod3next.number().default(1) }),
    execute,
  }),
  'zod 3': defineTool({
    ...about,
    input: zod3.object({ a: zod3.number().min(1), by: zod3.number().default(1) }),
    inputSchema: jsonSchema,
    execute,
  }),
  Valibot: defineTool({
    ...about,
    input: v.object({ a: v.pipe(v.number(), v.minValue(1)), by: v.optional(v.number(), 1) }),
    inputSchema: jsonSchema,
    execute,
  }),
  'Valibot with its JSON Schema': defineTool({
    ...about,
    input: toStandardJsonSchema(
      v.object({ a: v.pipe(v.number(), v.minValue(1)), by: v.optional(v.number(), 1) }),
    ),
    execute,
  }),
}

describe.each(Object.entries(libraries))('a tool whose input is in %s', (_, tool) => {
  it('is told to the model, checked, given its defaults and done', async () => {
    const model = createScripted((_request, call) =>
      call === 1 ? calls(['add', { a: 41 }]) : call === 2 ? calls(['add', { a: 0 }]) : says('done'),
    )
    await using agent = createAgent({ model, tools: [tool] })
    const { parts } = await agent.ask('add')
    const [request] = model.requests
    expect(request!.tools.find(({ name }) => name === 'add')!.inputSchema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'number', minimum: 1 } },
      required: ['a'],
    })
    const made = parts.filter(({ toolName }) => toolName === 'add')
    expect(made[0]).toMatchObject({ state: 'output-available', output: { sum: 42 } })
    expect(made[1]).toMatchObject({
      state: 'output-error',
      errorText: expect.stringMatching(/^The input does not fit: At "a": .*1.*; got 0\.$/i),
    })
  })

  it('has the same in a Parley, and its arguments are asked about', async () => {
    using folder = temporaryFolder()
    const asked: unknown[] = []
    await using parley = await createParley({
      dataDir: folder.path,
      tools: [
        { ...tool, access: (input) => (asked.push(input), { action: 'add', effect: 'read', resources: [] }) },
      ],
    })
    const { id } = await parley.sessions.create()
    const { message } = await parley.sessions.chat(id, 'use add {"a": 41}')
    expect(message?.parts).toContainEqual(expect.objectContaining({ output: { sum: 42 } }))
    expect(asked).toContainEqual({ a: 41, by: 1 })
  })
})

it('says nothing to the model that every schema says, and names the limits that it may reach', async () => {
  const input = z.strictObject({
    title: z.string().min(1).max(60),
    text: z.string().min(1).max(100_000),
    count: z.int().positive(),
    labels: z.record(z.string(), z.unknown()).default({ minLength: 1, $schema: 'x' }),
    maxLength: z.number().max(500).optional(),
    mail: z.email().optional(),
    code: z.string().regex(/^a+$/).optional(),
  })
  const model = createScripted(() => says('done'))
  await using agent = createAgent({ model, tools: [defineTool({ ...about, input, execute: async () => 1 })] })
  await agent.ask('go')
  expect(model.requests[0]!.tools.find(({ name }) => name === 'add')!.inputSchema).toEqual({
    type: 'object',
    properties: {
      title: { type: 'string', maxLength: 60 },
      text: { type: 'string' },
      count: { type: 'integer', exclusiveMinimum: 0 },
      labels: { type: 'object', default: { minLength: 1, $schema: 'x' } },
      maxLength: { type: 'number', maximum: 500 },
      mail: { type: 'string', format: 'email' },
      code: { type: 'string', pattern: '^a+$' },
    },
    required: ['title', 'text', 'count'],
    additionalProperties: false,
  })
})

it('infers what execute is given from any of them', () => {
  const given = <Input>(_: Pick<ToolDefinition<Input>, 'input'>) => undefined as Input
  expectTypeOf(given({ input: z.object({ a: z.number() }) })).toEqualTypeOf<{ a: number }>()
  expectTypeOf(given({ input: zod3.object({ a: zod3.number().default(1) }) })).toEqualTypeOf<{ a: number }>()
  expectTypeOf(given({ input: v.object({ a: v.optional(v.number(), 1) }) })).toEqualTypeOf<{ a: number }>()
})

describe('a schema that no model could be told of is refused by name', () => {
  it.each([
    [
      'zod 3',
      zod3.object({ a: zod3.number() }),
      'is a schema of zod without a JSON Schema for the model. Use zod 4, which has one, or give it as "inputSchema".',
    ],
    [
      'Valibot',
      v.object({ a: v.number() }),
      'is a schema of valibot without a JSON Schema for the model. Put toStandardJsonSchema of @valibot/to-json-schema around it, or give it as "inputSchema".',
    ],
    ['Valibot with a date', toStandardJsonSchema(v.object({ a: v.date() })), 'cannot become JSON Schema: '],
    [
      'zod 4 with a function',
      z.object({ a: z.custom(() => true) }),
      'cannot become JSON Schema: Custom types cannot be represented in JSON Schema',
    ],
  ])('%s', (_, input, message) => {
    const make = () => createAgent({ tools: [{ ...about, input, execute: async () => 1 }] })
    expect(make).toThrow(`The input of the tool "add" ${message}`)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

it('says which tool could not check its input, and the turn goes on', async () => {
  const tools: ToolDefinition[] = [
    {
      name: 'later',
      description: 'Answers later',
      input: v.pipeAsync(
        v.objectAsync({}),
        v.checkAsync(async () => true),
      ),
      inputSchema: { type: 'object' },
      execute: async () => 1,
    },
    {
      name: 'broken',
      description: 'Throws',
      input: z.object({}).transform(() => {
        throw new Error('no such table: prices')
      }),
      execute: async () => 1,
    },
  ]
  const model = createScripted((_request, call) =>
    call === 1 ? calls(['later', {}], ['broken', {}]) : says('done'),
  )
  await using agent = createAgent({ model, tools })
  const { text, parts } = await agent.ask('go')
  expect(text).toBe('done')
  expect(parts.flatMap(({ errorText }) => errorText ?? [])).toEqual([
    'The tool "later" could not check its input: the input schema of later answers later, and a call is checked at once',
    'The tool "broken" could not check its input: no such table: prices',
  ])
})

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, createParley, defineTool, type AgentOptions, type ParleyOptions } from '../src/index.ts'
import { temporaryFolder } from './harness.ts'

const tool = (changes: object = {}) => ({
  name: 'weather',
  description: 'The weather',
  input: z.strictObject({ city: z.string() }),
  execute: async () => 'sunny',
  ...changes,
})

const parleyMistakes: [string, object, string][] = [
  [
    'a slip at the top',
    { toolGroup: {} },
    'createParley has no option "toolGroup"; did you mean "toolGroups"?',
  ],
  [
    'nothing like it',
    { colour: 'red' },
    'createParley has no option "colour". Its options: dataDir, databaseUrl',
  ],
  [
    'two at once',
    { modls: {}, hook: [] },
    'has no option "modls"; did you mean "models"? It has no option "hook"; did you mean "hooks"?',
  ],
  [
    'a slip in a group',
    { chat: { maxStep: 3 } },
    'createParley: chat has no option "maxStep"; did you mean "maxSteps"?',
  ],
  [
    'background',
    { background: { maxPerParrent: 1 } },
    'background has no option "maxPerParrent"; did you mean "maxPerParent"?',
  ],
  ['plans', { plans: { maxParalel: 1 } }, 'plans has no option "maxParalel"; did you mean "maxParallel"?'],
  ['rooms', { rooms: { hopLimits: 1 } }, 'rooms has no option "hopLimits"; did you mean "hopLimit"?'],
  [
    'workflows',
    { workflows: { maxdepths: 1 } },
    'workflows has no option "maxdepths"; did you mean "maxDepth"?',
  ],
  [
    'web',
    { web: { search: { braveKye: 'x' } } },
    'web.search has no option "braveKye"; did you mean "braveKey"?',
  ],
  [
    'webhooks',
    { webhooks: { allowPrivates: [] } },
    'webhooks has no option "allowPrivates"; did you mean "allowPrivate"?',
  ],
  ['terminal', { terminal: { sandBox: 'off' } }, 'terminal has no option "sandBox"; did you mean "sandbox"?'],
  [
    'permissions',
    { permissions: { modes: 'plan' } },
    'permissions has no option "modes"; did you mean "mode"?',
  ],
  [
    'approvals',
    { approvals: { fallBack: 'deny' } },
    'approvals has no option "fallBack"; did you mean "fallback"?',
  ],
  ['memory', { memory: { learns: true } }, 'memory has no option "learns"; did you mean "learn"?'],
  [
    'sqlite',
    { sqlite: { busyTimeout: 5 } },
    'sqlite has no option "busyTimeout"; did you mean "busyTimeoutMs"?',
  ],
  [
    'postgres',
    { postgres: { poolsize_: 5 } },
    'postgres has no option "poolsize_"; did you mean "poolSize"?',
  ],
  ['models', { models: { openAI: {} } }, 'models has no option "openAI"; did you mean "openai"?'],
  [
    'a provider',
    { models: { openai: { key: 'x' } } },
    'models.openai has no option "key". Its options: apiKey, baseUrl.',
  ],
  ['limits', { limits: { shutdownMs: 5 } }, 'limits has no option "shutdownMs". Its options: pageSize.'],
  ['events', { events: { kept: 5 } }, 'events has no option "kept". Its options: keptDays.'],
  ['audit', { audit: { keepDays: 5 } }, 'audit has no option "keepDays"; did you mean "keptDays"?'],
  ['documents', { documents: { maxByte: 5 } }, 'documents has no option "maxByte"; did you mean "maxBytes"?'],
  ['locks', { locks: { ttl: 5 } }, 'locks has no option "ttl"; did you mean "ttlMs"?'],
  ['telemetry', { telemetry: { enabled: true } }, 'telemetry has no option "enabled". Its options:'],
  [
    'an unknown group of tools',
    { toolGroups: { termnal: true } },
    'toolGroups has no option "termnal"; did you mean "terminal"?',
  ],
  [
    'an unknown mode',
    { permissions: { mode: 'acceptEdit' } },
    'permissions.mode must be one of "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions" (did you mean "acceptEdits"?), not "acceptEdit".',
  ],
  [
    'a rule that is none',
    { permissions: { rules: [{ tool: 'file' }] } },
    'createParley: At "permissions.rules.0.decision"',
  ],
  [
    'a hook of no event',
    { hooks: [{ event: 'PreToolUsed', run() {} }] },
    'hooks[0].event must be one of "PreToolUse"',
  ],
  [
    'a hook with a slip',
    { hooks: [{ event: 'PreToolUse', run() {}, onFailur: 'deny' }] },
    'hooks[0] has no option "onFailur"; did you mean "onFailure"?',
  ],
  [
    'a program as hook without one',
    { hooks: [{ event: 'PreToolUse', command: [] }] },
    'hooks[0].command must be a program and its arguments, not a list.',
  ],
  [
    'a server of MCP with a slip',
    { mcpServers: { here: { command: 'x', arg: [] } } },
    'mcpServers.here has no option "arg"; did you mean "args"?',
  ],
  [
    'a server of MCP without its type',
    { mcpServers: { there: { url: 'http://x' } } },
    'mcpServers.there.type must be "http", not undefined.',
  ],
  ['a scope without a folder', { scopes: { notes: {} } }, 'scopes.notes.root must be a text, not undefined.'],
  [
    'a price without one',
    { prices: { 'a/b': { input: 1 } } },
    'prices.a/b.output must be a number from 0, not undefined.',
  ],
  [
    'a number as text',
    { chat: { maxSteps: '5' } },
    'createParley: chat.maxSteps must be a whole number from 1, not "5".',
  ],
  ['half a step', { chat: { maxSteps: 1.5 } }, 'chat.maxSteps must be a whole number from 1, not 1.5.'],
  [
    'less than nothing',
    { approvals: { timeoutMs: -1 } },
    'approvals.timeoutMs must be a whole number from 0, not -1.',
  ],
  ['a text as group', { background: 'many' }, 'background must be an object of options, not "many".'],
  ['a text as switch', { takesUpRuns: 'no' }, 'takesUpRuns must be true or false, not "no".'],
  ['no clock', { clock: { time: 1 } }, 'clock must be a clock with now(), not an object.'],
  ['no logger', { logger: 'info' }, 'logger must be a logger of pino, not "info".'],
  [
    'a choice that is none',
    { sqlite: { synchronous: 'OFF' } },
    'sqlite.synchronous must be one of "FULL", "NORMAL", not "OFF".',
  ],
  [
    'adapters that are no functions',
    { models: { extra: { mine: {} } } },
    'models.extra.mine must be a function, not an object.',
  ],
  ['a window that is none', { session: { mode: 'long' } }, '"mode"'],
  [
    'a handler that is none',
    { windowHandlers: { policy() {} } },
    'There is no handler "policy" of the window.',
  ],
  ['tools that are no list', { tools: {} }, 'createParley: tools must be a list of tools, not an object.'],
]

const toolMistakes: [string, unknown[], string][] = [
  [
    'two of one name',
    [tool(), tool()],
    'the tool "weather" is there twice; give each tool a name of its own.',
  ],
  [
    'a name with a space',
    [tool({ name: 'the weather' })],
    'the tool "the weather" has a name that providers refuse',
  ],
  ['a name that is too long', [tool({ name: 'x'.repeat(65) })], 'has a name that providers refuse'],
  ['no name', [tool({ name: undefined })], 'tools[0]: name must be a text, not undefined.'],
  ['no description', [tool({ description: undefined })], 'the tool "weather": description must be a text'],
  ['nothing that it does', [tool({ execute: 'later' })], 'the tool "weather": execute must be a function'],
  ['a name of MCP', [tool({ name: 'mcp__a__b' })], 'do not begin it with "mcp__"'],
  [
    'a slip',
    [tool({ isIdempotant: true })],
    'the tool "weather" has no option "isIdempotant"; did you mean "isIdempotent"?',
  ],
  [
    'no schema',
    [tool({ input: { city: 'string' } })],
    'the tool "weather": input must be a schema of zod, Valibot or another library',
  ],
  [
    'a schema without JSON Schema',
    [tool({ input: z.object({ on: z.date() }) })],
    'The input of the tool "weather" cannot become JSON Schema: Date cannot be represented in JSON Schema',
  ],
  [
    'an input that is no object',
    [tool({ input: z.string() })],
    'the tool "weather" takes a value of the type "string"; the input of a tool is an object.',
  ],
  [
    'a group that is nearly one',
    [tool({ group: 'terminl' })],
    'the tool "weather" is in the unknown group "terminl"; did you mean "terminal"?',
  ],
  ['no tool at all', ['weather'], 'tools[0] must be an object of options, not "weather".'],
]

describe('createParley', () => {
  it.each(parleyMistakes)('refuses %s at once', async (_, options, message) => {
    using folder = temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const opened = createParley({ dataDir, ...options } as ParleyOptions)
    await expect(opened).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    })
    expect(existsSync(dataDir), 'nothing was made').toBe(false)
  })

  it.each(toolMistakes)('refuses a tool with %s', async (_, tools, message) => {
    using folder = temporaryFolder()
    await expect(createParley({ dataDir: folder.path, tools } as ParleyOptions)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message),
    })
  })

  it('refuses no options at all', async () => {
    await expect(createParley(undefined as never)).rejects.toThrow(
      'createParley must be an object of options',
    )
  })

  it.each([
    { models: { openai: { apiKey: 4711_0815 } } },
    { models: { openai: { apiKey: 'sk-very-secret', baseUrl: 5 } } },
    { mcpServers: { here: { command: 'x', env: { TOKEN: 47110815 } } } },
    { databaseUrl: ['postgres://me:sk-very-secret@here'] },
    { telemetry: { headers: 'sk-very-secret' } },
    { web: { search: { braveKey: ['sk-very-secret'] } } },
    { terminal: { environment: 'sk-very-secret' } },
  ])('repeats no secret: %j', async (options) => {
    using folder = temporaryFolder()
    const error = await createParley({ dataDir: folder.path, ...options } as never).then(
      () => undefined,
      (thrown: Error) => thrown.message,
    )
    expect(error).toMatch(/must be/)
    expect(error).not.toMatch(/47110815|very-secret/)
  })

  it('refuses a tool with the name of a built-in one, and knows all of those', async () => {
    using folder = temporaryFolder()
    await expect(createParley({ dataDir: folder.path, tools: [tool({ name: 'file' })] })).rejects.toThrow(
      'the tool "file" has the name of a built-in tool; give it another.',
    )
    await using parley = await createParley({
      dataDir: folder.path,
      memory: {},
      web: { search: { searxngUrl: 'http://127.0.0.1:1' } },
    })
    const { items } = await parley.catalogue.tools()
    expect(items.length).toBeGreaterThan(15)
    for (const name of [...items.map((item) => item.name), 'use_tool'])
      await expect(createParley({ dataDir: folder.path, tools: [tool({ name })] }), name).rejects.toThrow(
        `the tool "${name}" has the name of a built-in tool; give it another.`,
      )
  })

  it('takes options that are set to undefined, and objects of classes as tools', async () => {
    class Counter {
      readonly name = 'counter'
      readonly description = 'Counts'
      readonly input = z.strictObject({})
      readonly more = 'its own'
      #count = 0
      async execute() {
        return ++this.#count
      }
    }
    using folder = temporaryFolder()
    await using parley = await createParley({
      dataDir: folder.path,
      databaseUrl: undefined,
      chat: { tokenBudget: undefined },
      tools: [new Counter()],
    })
    const { id } = await parley.sessions.create()
    const { message } = await parley.sessions.chat(id, 'use counter')
    expect(message?.parts).toContainEqual(expect.objectContaining({ toolName: 'counter', output: 1 }))
  })
})

describe('createAgent', () => {
  it.each<[string, object, string]>([
    [
      'a slip',
      { instruction: 'Be brief.' },
      'createAgent has no option "instruction"; did you mean "instructions"?',
    ],
    [
      'a slip in limits',
      { limits: { maxStep: 1 } },
      'createAgent: limits has no option "maxStep"; did you mean "maxSteps"?',
    ],
    [
      'a slip in permissions',
      { permissions: { onask() {} } },
      'permissions has no option "onask"; did you mean "onAsk"?',
    ],
    ['an unknown mode', { permissions: { mode: 'yolo' } }, 'permissions.mode must be one of "default"'],
    [
      'a model that is none',
      { model: { id: 'mine' } },
      'model must be the name of a model, as adapter/model, or an adapter with id and stream, not an object.',
    ],
    ['no Parley', { parley: {} }, 'parley must be a Parley, as createParley gives it, not an object.'],
    ['a window that is none', { session: { limits: {} } }, 'unknown key "limits"'],
    ['a handler that is none', { handlers: { policyHandler: 1 } }, 'policyHandler must be a function'],
  ])('refuses %s at once', (_, options, message) => {
    expect(() => createAgent(options as AgentOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    )
  })

  // without a Parley there is no extension whose names could be taken
  const ofExtensions = ['a name of MCP', 'a group that is nearly one']
  it.each(toolMistakes.filter(([name]) => !ofExtensions.includes(name)))(
    'refuses a tool with %s',
    (_, tools, message) => {
      expect(() => createAgent({ tools } as AgentOptions)).toThrow(message)
    },
  )

  it('refuses a tool with nothing to do, which only a Parley can wait for', () => {
    expect(() => createAgent({ tools: [tool({ execute: undefined })] } as AgentOptions)).toThrow(
      'the tool "weather" has no execute',
    )
  })

  it('refuses unknown options of its calls', async () => {
    await using agent = createAgent()
    await expect(agent.ask('hello', { modle: 'demo/parley' } as never)).rejects.toThrow(
      'ask has no option "modle"; did you mean "model"?',
    )
    await expect(agent.ask('hello', { signal: {} } as never)).rejects.toThrow('signal must be an AbortSignal')
    expect(() => agent.attachSession(undefined, { modes: 'memo' } as never)).toThrow(
      'attachSession has no option "modes"; did you mean "mode"?',
    )
    await expect(agent.resetChatHistory({ keepmemos: true } as never)).rejects.toThrow(
      'did you mean "keepMemo"?',
    )
    expect(() => agent.setRecordHandler('all' as never)).toThrow('the handler must be a function')
    expect(() => agent.setRecordHandler(undefined, { timeout: 5 } as never)).toThrow(
      'did you mean "timeoutMs"?',
    )
    expect(() => agent.enableSessionLite({ char: 5 } as never)).toThrow('unknown key "char"')
    expect(agent.session, 'nothing was attached').toBeUndefined()
  })
})

describe('defineTool', () => {
  it('takes a tool in zod 4 as it is', () => {
    const given = tool()
    expect(defineTool(given)).toBe(given)
  })
})

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { defaultBackgroundLimits, type BackgroundLimits } from './core/tasks/task-limits.ts'
import { describeConfig, type Config, type LoadOptions } from './config.ts'
import { settingAt, settingKeys } from './config/settings.ts'
import { openTrustedFolders } from './core/files/trusted-folders.ts'
import type { WindowSettings } from './core/protocol/window.ts'
import type { Prices } from './core/runs/budget.ts'
import { defaultEventsKeptDays } from './core/store/housekeeping.ts'
import { defaultSandboxLimits } from './core/processes/sandbox/limits.ts'
import { defaultCommandLimits } from './extensions/terminal/terminal-tool.ts'
import { defaultFetchLimits } from './extensions/web/fetch-tool.ts'
import { arrange } from '../test/config-arrange.ts'

const key = 'parley-0123456789abcdef'

describe('plans and the background', () => {
  it('refuses more nodes at once than tasks may go on, with the place of the value', () => {
    const user = 'background: {maxPerParent: 4}\nplans:\n  maxParallel: 9'
    expect(arrange({ user }).fail().message).toMatch(
      /^plans\.maxParallel in .* line 3 is 9, but background\.maxPerParent lets 4 tasks run at once\. Use 4 or less, or raise background\.maxPerParent\.$/,
    )
    arrange({ user: 'background: {maxGlobal: 4}\nplans: {maxParallel: 5}' }).fail()
  })

  it('lets the default give way', () => {
    const { config } = arrange({ user: 'background: {maxPerParent: 2}' }).load()
    expect(config.plans.maxParallel).toBe(2)
    expect(arrange({ user: 'background: {maxPerParent: 20}' }).load().config.plans.maxParallel).toBe(5)
  })
})

describe('defaults', () => {
  it('fill every setting that has one', () => {
    const { load, home } = arrange()
    const { config, origins, warnings, files } = load()
    expect(config).toEqual({
      host: '127.0.0.1',
      port: 4127,
      dataDir: join(home, '.local/share/parley'),
      databaseUrl: undefined,
      apiKey: undefined,
      apiKeys: [],
      allowedHosts: [],
      allowedOrigins: [],
      model: undefined,
      logLevel: 'info',
      openai: { apiKey: undefined, baseUrl: undefined },
      anthropic: { apiKey: undefined, baseUrl: undefined },
      gemini: { apiKey: undefined },
      ollama: { host: undefined },
      providers: {},
      models: {},
      imports: {
        fileBytes: 2_147_483_648,
        unpackedBytes: 8_589_934_592,
        entries: 200_000,
        conversationBytes: 67_108_864,
        assetBytes: 20_971_520,
        branches: 500,
        messages: 200_000,
        values: 2_000_000,
        depth: 10_000,
        heapMb: 1_024,
      },
      parameters: {
        temperature: undefined,
        topP: undefined,
        maxOutputTokens: undefined,
        stop: undefined,
        seed: undefined,
        presencePenalty: undefined,
        frequencyPenalty: undefined,
        reasoningEffort: undefined,
        providerOptions: undefined,
      },
      limits: {
        bodyBytes: 10_485_760,
        jsonBytes: 1_048_576,
        jsonDepth: 64,
        jsonValues: 75_000,
        pageSize: 200,
        shutdownMs: 10_000,
      },
      chat: {
        maxSteps: 50,
        maxSameCalls: 5,
        tokenBudget: undefined,
        maxAttempts: 4,
        maxRetryWaitMs: 60_000,
        modelIdleMs: 600_000,
        callerTimeoutMs: 3_600_000,
        maxInputCharacters: 1_000_000,
        maxInstructionsCharacters: 20_000,
        maxToolOutput: 100_000,
        maxScopeContext: 2_200,
        leaseMs: 30_000,
        maxClaims: 3,
        maxTakenUp: 64,
      },
      permissions: { mode: 'default', rules: [] },
      tools: { groups: {} },
      approvals: { timeoutMs: 300_000, fallback: 'deny' },
      audit: { keptDays: 90 },
      background: {
        maxPerParent: 5,
        maxGlobal: 10,
        maxDepth: 2,
        overLimit: 'reject',
        maxQueued: 1_000,
        maxWakes: 20,
        timeoutMs: 600_000,
        onCrash: 'resume',
      },
      webhooks: {
        allowPrivate: [],
        maxPerScope: 50,
        maxWaiting: 1_000,
        maxAtOnce: 10,
        timeoutMs: 15_000,
        maxAttempts: 8,
        maxFailures: 5,
        keptDays: 30,
      },
      workflows: {
        maxTotalTimeoutMs: 86_400_000,
        maxStepOutputChars: 50_000,
        approvalTimeoutMs: 86_400_000,
        maxDepth: 5,
        maxRunSteps: 10_000,
        maxOpenRuns: 10_000,
        runsKeptDays: 90,
      },
      plans: {
        maxParallel: 5,
        nodeRetries: 2,
        nodeTimeoutMs: 600_000,
        runTimeoutMs: 24 * 3_600_000,
        maxFollowUps: 3,
        resultTokens: 4_000,
        runsKeptDays: 90,
        autoDecompose: true,
      },
      rooms: {
        hopLimit: 3,
        coolDown: 0,
        maxReplies: 50,
        keptStates: 200,
        agentTimeoutMs: 300_000,
        testCommands: [],
        testTimeoutMs: 120_000,
      },
      documents: { maxBytes: 1_048_576 },
      locks: { ttlMs: 300_000 },
      memory: {
        enabled: true,
        learn: undefined,
        model: undefined,
        embeddingModel: undefined,
        shareUser: false,
        maxPerLayer: 2_000,
      },
      prices: {},
      mcpServers: {},
      hooks: { commands: [], timeoutMs: 10_000 },
      events: { keptDays: 7 },
      extensions: [],
      session: {
        mode: undefined,
        preset: undefined,
        limit: { chars: undefined, messages: undefined, tokens: undefined },
        resize: {
          every_n_turns: undefined,
          max_messages_text_length: undefined,
          max_keep_messages_count: undefined,
        },
        memo: {
          enabled: undefined,
          instruct: undefined,
          schema: undefined,
          model: undefined,
          max_length: undefined,
          timeout_ms: undefined,
        },
      },
      web: {
        allowPrivate: [],
        maxBytes: 5_242_880,
        maxCharacters: 20_000,
        timeoutMs: 30_000,
        search: { searxngUrl: undefined, braveKey: undefined, tavilyKey: undefined },
      },
      terminal: {
        timeoutSeconds: 30,
        maxTimeoutSeconds: 300,
        maxOutput: 8_192,
        maxLogBytes: 10_485_760,
        maxPerSession: 5,
        idleMs: 1_800_000,
        variables: [],
        ...defaultSandboxLimits,
        sandbox: 'auto',
        network: 'off',
        hosts: [],
        readable: [],
        bubblewrap: undefined,
      },
      telemetry: {
        enabled: false,
        endpoint: 'http://127.0.0.1:4318',
        headers: {},
        serviceName: 'parley',
        samplePercent: 100,
        content: false,
      },
      sqlite: { synchronous: 'FULL', busyTimeoutMs: 5_000 },
      postgres: { poolSize: 10, connectTimeoutMs: 5_000, preparedStatements: true },
      history: { size: 1_000 },
      mirror: { enabled: false, dir: join(home, '.local/share/parley/mirror') },
      scopes: {},
    })
    expect(new Set(Object.values(origins).map(({ source }) => source))).toEqual(new Set(['default']))
    expect({ warnings, files }).toEqual({ warnings: [], files: [] })
  })

  it('are those of the parts that use them', () => {
    const { config } = arrange().load()
    expect(config.background).toEqual(defaultBackgroundLimits)
    expect(config.events.keptDays).toBe(defaultEventsKeptDays)
    expect(config.web).toMatchObject(defaultFetchLimits)
    expect(config.terminal).toMatchObject(defaultCommandLimits)
  })

  it('are typed', () => {
    expectTypeOf<Config['port']>().toEqualTypeOf<number>()
    expectTypeOf<Config['model']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Config['openai']>().toEqualTypeOf<{
      apiKey: string | undefined
      baseUrl: string | undefined
    }>()
    expectTypeOf<Config['sqlite']['synchronous']>().toEqualTypeOf<'FULL' | 'NORMAL'>()
    expectTypeOf<Config['session']['limit']>().toEqualTypeOf<{
      chars: number | undefined
      messages: number | undefined
      tokens: number | undefined
    }>()
    expectTypeOf<Config['session']>().toExtend<WindowSettings>()
    expectTypeOf<Config['background']>().toEqualTypeOf<BackgroundLimits>()
    expectTypeOf<Config['prices']>().toExtend<Prices>()
    expectTypeOf<Config['scopes']>().toEqualTypeOf<Record<string, { root: string }>>()
  })

  it('are not shared between two configurations', () => {
    const { load } = arrange()
    load().config.allowedHosts.push('changed.test')
    expect(load().config.allowedHosts).toEqual([])
  })

  it('put data where the platform wants it', () => {
    const { load } = arrange()
    const dataDir = (options: LoadOptions) => load(options).config.dataDir
    expect(dataDir({ env: { XDG_DATA_HOME: '/data' } })).toBe('/data/parley')
    expect(dataDir({ env: { XDG_DATA_HOME: 'relative' }, home: '/home/ada' })).toBe(
      '/home/ada/.local/share/parley',
    )
    expect(dataDir({ platform: 'win32', home: 'C:\\Users\\ada', env: { LOCALAPPDATA: 'D:\\Local' } })).toBe(
      'D:\\Local\\parley',
    )
    expect(dataDir({ platform: 'win32', home: 'C:\\Users\\ada' })).toBe(
      'C:\\Users\\ada\\AppData\\Local\\parley',
    )
  })

  it('let the mirror follow the data folder', () => {
    const { load } = arrange()
    expect(load({ flags: { dataDir: '/data' } }).config.mirror.dir).toBe('/data/mirror')
  })
})

describe('precedence', () => {
  const sources = ['flag', 'environment', 'named', 'user'] as const
  type Given = Partial<Record<(typeof sources)[number], { logLevel?: string; model?: string }>>
  const levels = { flag: 'fatal', environment: 'error', named: 'warn', user: 'debug' } as const

  function loadFrom({ flag = {}, environment = {}, named = {}, user = {} }: Given) {
    const { load, folder, home } = arrange({ named: JSON.stringify(named), user: JSON.stringify(user) })
    const loaded = load({
      flags: flag,
      env: {
        PARLEY_LOG_LEVEL: environment.logLevel,
        PARLEY_MODEL: environment.model,
        PARLEY_CONFIG: join(folder, 'named'),
      },
    })
    const names = {
      flag: '--log-level',
      environment: 'PARLEY_LOG_LEVEL',
      named: join(folder, 'named'),
      user: join(home, '.config/parley/config.yaml'),
    }
    return { ...loaded, names }
  }

  const pairs = sources.flatMap((higher, rank) =>
    sources.slice(rank + 1).map((lower) => [higher, lower] as const),
  )

  it.each(pairs)('%s wins over %s', (higher, lower) => {
    const { config, origins, names } = loadFrom({
      [higher]: { logLevel: levels[higher] },
      [lower]: { logLevel: levels[lower], model: 'demo/lower' },
    })
    expect(config.logLevel).toBe(levels[higher])
    expect(origins['logLevel']).toEqual({ source: higher, name: names[higher] })
    expect(config.model).toBe('demo/lower')
    expect(origins['model']?.source).toBe(lower)
  })

  it.each(pairs)('what %s leaves out comes from %s', (higher, lower) => {
    const { config, origins, names } = loadFrom({
      [higher]: { model: 'demo/higher' },
      [lower]: { logLevel: levels[lower] },
    })
    expect(config.logLevel).toBe(levels[lower])
    expect(origins['logLevel']).toEqual({ source: lower, name: names[lower] })
    expect(config.model).toBe('demo/higher')
    expect(origins['model']?.source).toBe(higher)
  })

  it.each(sources)('%s wins over the default', (source) => {
    const { config, origins } = loadFrom({ [source]: { logLevel: levels[source] } })
    expect(config.logLevel).toBe(levels[source])
    expect(origins['logLevel']?.source).toBe(source)
    expect(origins['port']).toEqual({ source: 'default', name: 'default' })
  })

  it('the project wins over the user, and loses to the rest', () => {
    const { load, cwd, home } = arrange({ project: 'model: demo/project', user: 'model: demo/user' })
    openTrustedFolders(join(home, '.config/parley')).add(cwd, 1)
    expect(load().config.model).toBe('demo/project')
    expect(load({ env: { PARLEY_MODEL: 'demo/environment' } }).config.model).toBe('demo/environment')
    expect(load({ flags: { model: 'demo/flag' } }).config.model).toBe('demo/flag')
  })

  it('merges groups and scopes key by key, and replaces lists', () => {
    const { load, folder, home } = arrange({
      'there/named.yaml':
        'limits: {pageSize: 50}\nallowedHosts: [named.test]\nscopes: {both: {root: p}, named: {root: p}}',
      user: 'limits: {pageSize: 60, jsonDepth: 32}\nallowedHosts: [user.test, b.test]\nscopes: {both: {root: u}, user: {root: u}}',
    })
    const { config, origins } = load({ env: { PARLEY_CONFIG: join(folder, 'there/named.yaml') } })
    expect(config.limits).toMatchObject({ pageSize: 50, jsonDepth: 32, shutdownMs: 10_000 })
    expect(config.allowedHosts).toEqual(['named.test'])
    expect(config.scopes).toEqual({
      both: { root: join(folder, 'there/p') },
      named: { root: join(folder, 'there/p') },
      user: { root: join(home, '.config/parley/u') },
    })
    expect(origins['limits.jsonDepth']?.source).toBe('user')
    expect(origins['scopes.both.root']?.source).toBe('named')
    expect(origins['scopes.user.root']?.source).toBe('user')
    expect(origins).not.toHaveProperty('scopes')
  })

  it('minds variables of other programs only where they are asked for', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_HEADERS: 'nonsense' }
    const { load, fail } = arrange()
    expect(load({ env }).config.telemetry).toMatchObject({ endpoint: 'http://127.0.0.1:4318', headers: {} })
    expect(fail({ env: { ...env, PARLEY_TELEMETRY: 'true' } }).message).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    )
    expect(arrange({ user: 'telemetry: {endpoint: collector}' }).fail().message).toContain(
      'telemetry.endpoint',
    )
    expect(arrange({ project: 'telemetry: {enabled: true}' }).fail().message).toContain(
      'telemetry.enabled in parley.yaml line 1 may not be set by a project file',
    )
  })

  it('keeps switches of groups of tools as they were set', () => {
    const { load } = arrange({ user: 'tools: {groups: {web: false, terminal: true}}' })
    const loaded = load()
    expect(loaded.config.tools.groups).toEqual({ web: false, terminal: true })
    expect(loaded.origins['tools.groups.web']?.source).toBe('user')
    expect(describeConfig(loaded)).toContainEqual(
      expect.objectContaining({ key: 'tools.groups.web', value: false, source: 'user' }),
    )
  })

  it('merges prices by model, whose names may hold dots', () => {
    const { load, cwd, home } = arrange({
      project: 'prices: {openai/gpt-5.2: {input: 1, output: 4}}',
      user: 'prices: {openai/gpt-5.2: {input: 9, output: 9, cacheRead: 0.1}, ollama/qwen3: {input: 0, output: 0}}',
    })
    openTrustedFolders(join(home, '.config/parley')).add(cwd, 1)
    const { config, origins } = load()
    expect(config.prices).toEqual({
      'openai/gpt-5.2': { input: 1, output: 4, cacheRead: 0.1 },
      'ollama/qwen3': { input: 0, output: 0 },
    })
    expect(origins['prices.openai/gpt-5.2.input']?.source).toBe('project')
    expect(origins['prices.openai/gpt-5.2.cacheRead']?.source).toBe('user')
  })

  it('checks a value also where a higher one wins', () => {
    const { fail } = arrange({ user: 'port: many' })
    expect(fail({ flags: { port: 1 } }).problems).toMatchObject([{ source: 'user', key: 'port', line: 1 }])
  })
})

it('reports the problems of all sources at once', () => {
  const { fail, projectFile, home } = arrange({
    project: 'prot: 1\nhost: 0.0.0.0\nopenai: {baseUrl: https://evil.test}\nchat: {maxSteps: deep}',
    user: 'port: 1\nport: 2',
  })
  const { message, problems } = fail({
    flags: { logLevel: 'loud' },
    env: { PARLEY_PORT: 'x', OPENAI_API_KEY: 'sk-1', GEMINI_API_KEY_FILE: '/missing' },
  })
  const user = join(home, '.config/parley/config.yaml')
  expect(problems.map(({ source, name, key: setting, line }) => [source, name, setting, line])).toEqual([
    ['environment', 'GEMINI_API_KEY_FILE', 'gemini.apiKey', undefined],
    ['project', projectFile, 'prot', 1],
    ['user', user, undefined, 2],
    ['flag', '--log-level', 'logLevel', undefined],
    ['environment', 'PARLEY_PORT', 'port', undefined],
    ['project', projectFile, 'chat.maxSteps', 4],
    ['project', projectFile, 'host', 2],
    ['project', projectFile, 'openai.baseUrl', 3],
  ])
  expect(message).toMatch(/^The configuration has 8 problems:\n- /)
  for (const problem of problems) expect(message).toContain(`\n- ${problem.message}`)
})

describe('the window of sessions', () => {
  it('is set in files, key by key over all of them', () => {
    const { load } = arrange({
      project: 'session:\n  limit: {chars: 12000}\n  memo: {enabled: true}\n  resize:\n',
      user: [
        'session:',
        '  mode: memo',
        '  preset: last-20',
        '  limit: {chars: 0, messages: 30, tokens: 9}',
        '  resize: {every_n_turns: 5, max_messages_text_length: 6, max_keep_messages_count: 7}',
        '  memo:',
        '    enabled: false',
        '    model: demo/parley',
        '    instruct: Keep numbers.',
        '    schema: {type: object, properties: {facts: {type: array, items: {type: string}}}}',
        '    max_length: 500',
        '    timeout_ms: 1000',
      ].join('\n'),
    })
    const { config, origins } = load()
    expect(config.session).toEqual({
      mode: 'memo',
      preset: 'last-20',
      limit: { chars: 12_000, messages: 30, tokens: 9 },
      resize: { every_n_turns: 5, max_messages_text_length: 6, max_keep_messages_count: 7 },
      memo: {
        enabled: true,
        instruct: 'Keep numbers.',
        schema: { type: 'object', properties: { facts: { type: 'array', items: { type: 'string' } } } },
        model: 'demo/parley',
        max_length: 500,
        timeout_ms: 1_000,
      },
    })
    expect(origins['session.limit.chars']?.source).toBe('project')
    expect(origins['session.limit.messages']?.source).toBe('user')
    expect(origins['session.preset']?.source).toBe('user')
  })

  it.each([
    ['max_current_chars', 'session.limit.chars', 'session.resize.max_messages_text_length'],
    ['keep_last_messages', 'session.limit.messages', 'session.resize.max_keep_messages_count'],
  ])('refuses %s, which is gone, and names what took its place', (name, first, second) => {
    const { fail } = arrange({ project: `session:\n  resize:\n    ${name}: 100` })
    expect(fail().problems).toMatchObject([
      {
        key: `session.resize.${name}`,
        line: 3,
        message: `The key "session.resize.${name}" in parley.yaml line 3 is gone. Use "${first}" or "${second}".`,
      },
    ])
  })

  it.each([
    ['mode: full', 'session.mode in parley.yaml line 2 must be one of lite, memo, not "full".'],
    ['preset: last-30', 'session.preset in parley.yaml line 2 must be one of last-20'],
    ['limit: {chars: -1}', 'session.limit.chars in parley.yaml line 2 must be a whole number from 0'],
    ['limit: {messages: 1.5}', 'session.limit.messages in parley.yaml line 2 must be a whole number'],
    ['limit: {tokens: .nan}', 'session.limit.tokens in parley.yaml line 2 must be a whole number'],
    ['limit: {chars: "9"}', 'must be a whole number from 0 to 1000000000 (0 is no limit), not "9".'],
    ['limit: 5', 'session.limit in parley.yaml line 2 must be a mapping with keys such as chars, messages'],
    [
      'limit: {char: 5}',
      'Unknown key "session.limit.char" in parley.yaml line 2. Did you mean "session.limit.chars"?',
    ],
    ['every_n_turns: 5', 'Write "every_n_turns" under "session.resize".'],
    ['memo: {enabled: "yes"}', 'session.memo.enabled in parley.yaml line 2 must be true or false'],
    ['memo: {instruct: ""}', 'session.memo.instruct in parley.yaml line 2 must be a text of 1 to 20000'],
    [
      'memo: {max_length: 99}',
      'session.memo.max_length in parley.yaml line 2 must be a whole number from 100',
    ],
    ['memo: {model: gpt}', 'session.memo.model in parley.yaml line 2 must be an adapter and a model'],
    ['memo: {schema: text}', 'session.memo.schema in parley.yaml line 2 must be a JSON Schema of an object'],
    ['memo: {schema: {type: array}}', 'session.memo.schema in parley.yaml line 2 must be a JSON Schema'],
    ['memo: {schema: {type: object, $ref: elsewhere}}', 'session.memo.schema in parley.yaml line 2 must be'],
  ])('refuses %s', (line, message) => {
    expect(arrange({ project: `session:\n  ${line}` }).fail().message).toContain(message)
  })
})

describe('a project file', () => {
  // whatever is added later is closed as well, until somebody says that it does no harm
  const closed = settingKeys.filter((name) => settingAt(name).project === undefined)
  const harmless = settingKeys.filter((name) => settingAt(name).project !== undefined)

  it.each(closed)('may not set %s, and is named', (name) => {
    const project = toYaml(name, 'x')
    const message = `${name} in parley.yaml line 1 may not be set by a project file`
    expect(arrange({ project }).fail().message).toContain(message)
    // the file that PARLEY_CONFIG names from the current folder on may be a stranger's as well
    const { fail } = arrange({ 'work/named.yaml': project })
    expect(fail({ env: { PARLEY_CONFIG: 'named.yaml' } }).message).toContain(
      'may not be set by a project file',
    )
  })

  it('sets nothing whose name tells of starting, sending or opening something', () => {
    const telling =
      /host|port|dir|url|key|endpoint|headers|hook|mcp|allow|private|\bmode$|rules|groups|fallback/i
    expect(harmless.filter((name) => telling.test(name))).toEqual(['session.mode'])
  })

  it.each([
    ['/', 'scopes: {a: {root: /}}'],
    ['~', "scopes: {default: {root: '~'}}"],
    ['~/x', "scopes: {default: {root: '~/x'}}"],
    ['..', 'scopes: {a: {root: ..}}'],
    ['a/../../..', 'scopes: {a: {root: a/../../..}}'],
    ['a link that leads out', 'scopes: {a: {root: out}}'],
    ['a folder behind such a link', 'scopes: {a: {root: out/home}}'],
  ])('has no scope at %s', (_, project) => {
    const { fail, folder, cwd } = arrange({ project })
    symlinkSync(folder, join(cwd, 'out'))
    expect(fail().message).toContain('outside the folder of that file')
  })

  it('has scopes in its own folder, but takes none from the user', () => {
    const { load, cwd } = arrange({ project: 'scopes: {notes: {root: ./notes}, all: {root: .}}' })
    expect(load().config.scopes).toEqual({ notes: { root: join(cwd, 'notes') }, all: { root: cwd } })
    const { fail } = arrange({ project: 'scopes: {mine: {root: x}}', user: 'scopes: {mine: {root: /mine}}' })
    expect(fail().message).toContain('has another folder in your own config file')
  })

  it('chooses a model once its folder is trusted, and says so until then', () => {
    const { load, cwd, home } = arrange({ project: 'model: openai/theirs' })
    const { config, warnings, project } = load()
    expect(config.model).toBeUndefined()
    expect(project).toMatchObject({ folder: cwd, waiting: ['model'] })
    expect(warnings.join()).toContain(`parley trust ${cwd}`)
    openTrustedFolders(join(home, '.config/parley')).add(cwd, 1)
    expect(load()).toMatchObject({
      config: { model: 'openai/theirs' },
      warnings: [],
      project: { waiting: [] },
    })
  })

  it('may set nothing more where its folder is trusted', () => {
    const { fail, cwd, home } = arrange({ project: 'dataDir: ./data' })
    openTrustedFolders(join(home, '.config/parley')).add(cwd, 1)
    expect(fail().message).toContain('dataDir in parley.yaml line 1 may not be set by a project file')
  })

  it('is what the user says it is by a full path', () => {
    const { load, folder } = arrange({ 'work/named.yaml': 'port: 4999' })
    expect(load({ env: { PARLEY_CONFIG: join(folder, 'work/named.yaml') } }).config.port).toBe(4_999)
  })
})

const toYaml = (path: string, value: string) =>
  path.split('.').reduceRight((inner, name) => `{${name}: ${inner}}`, value)

describe('hosts that may be reached although they are private', () => {
  it('are names, addresses and ranges', () => {
    const hosts = ['wiki.intern', '10.0.0.5', '10.0.0.0/8', 'fd00::/8', '[::1]', 'localhost']
    const { config } = arrange().load({ env: { PARLEY_WEB_ALLOW_PRIVATE: hosts.join(', ') } })
    expect(config.web.allowPrivate).toEqual(hosts.with(4, '::1'))
  })

  it.each(['http://wiki.intern', 'wiki:80', '10.0.0.0/33', 'fd00::/129', 'wiki/8', '*.intern', '10.0.0.0/'])(
    'are not %s',
    (host) => {
      expect(arrange({ user: `web: {allowPrivate: ['${host}']}` }).fail().message).toContain(
        'must be a host name, an IP address or a range such as 10.0.0.0/8',
      )
    },
  )
})

describe('an address that others can reach', () => {
  it.each([
    '0.0.0.0',
    '::',
    '[::]',
    '192.168.1.5',
    'parley.test',
    '127.0.0.1.evil.test',
    'localhost.',
    '127.1',
  ])('%s needs a key', (host) => {
    const { fail, load } = arrange()
    const shown = host.replace(/[[\]]/g, '')
    expect(fail({ env: { PARLEY_HOST: host } }).message).toBe(
      `PARLEY_HOST is "${shown}", which other machines may reach, but there is no key to keep them out. ` +
        'Set PARLEY_API_KEY to at least 16 characters (openssl rand -hex 32 makes a good one), or use host 127.0.0.1.',
    )
    expect(load({ env: { PARLEY_HOST: host, PARLEY_API_KEY: key } }).config.host).toBe(shown)
  })

  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1', '[::1]'])('%s needs none', (host) => {
    expect(arrange().load({ flags: { host } }).config.host).toBe(host.replace(/[[\]]/g, ''))
  })

  it('is open to keys bound to scopes, but not to an empty list of them', () => {
    const user = `host: 0.0.0.0\napiKeys: [{name: ci, key: ${key}, scopes: [default]}]`
    expect(arrange({ user }).load().config.apiKeys).toEqual([{ name: 'ci', key, scopes: ['default'] }])
    arrange({ user: 'host: 0.0.0.0\napiKeys: []' }).fail()
  })

  it('gets one problem, not two, when its key is too short', () => {
    expect(
      arrange().fail({ env: { PARLEY_HOST: '0.0.0.0', PARLEY_API_KEY: 'short' } }).problems,
    ).toHaveLength(1)
  })

  it.each(['', '*', 'http://a.test', '127.0.0.1:80', 'a.test/x', '[127.0.0.1]', 'a b'])(
    'cannot be %j',
    (host) => {
      expect(arrange().fail({ flags: { host } }).problems).toHaveLength(1)
    },
  )
})

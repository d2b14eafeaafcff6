/** Tools that are offered by a line each: what a prompt costs, and how a model gets to them. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { estimateTokens } from '../src/core/shared/estimate-tokens.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { Part } from '../src/core/protocol/message.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, openChat, says, type Script } from './chat-harness.ts'
import { anyDatabase, temporaryFolder } from './harness.ts'
import { openRooms } from './room-harness.ts'

/** Enough of it that a line is cheaper. */
const atLength = (first: string) =>
  `${first} ${'It does so with care, and says what came of it. '.repeat(30)}`

function createMail() {
  const sent: object[] = []
  const mail = defineTool({
    name: 'mail',
    offered: 'line',
    description: atLength('Sends a letter to somebody.'),
    input: z.strictObject({ to: z.string(), text: z.string().optional() }),
    access: ({ to }) => ({ action: 'send', effect: 'write', resources: [to] }),
    async execute(letter) {
      sent.push(letter)
      return { sentTo: letter.to }
    },
  })
  return { mail, sent }
}

const look = defineTool({
  name: 'look',
  description: 'Looks around.',
  input: z.strictObject({}),
  execute: async () => 'trees',
})

/** Makes one call after the other, then ends the turn. */
const inOrder =
  (...given: [name: string, input: unknown][]): Script =>
  (_request, count) =>
    given[count - 1] ? calls(given[count - 1]!) : says('done')

const callsOf = (parts: readonly Part[]) => parts.filter(({ type }) => type === 'dynamic-tool')

async function withParley<Answer>(
  script: Script,
  options: Partial<ParleyOptions>,
  work: (parley: Parley, requests: ModelRequest[]) => Promise<Answer>,
): Promise<Answer> {
  using folder = temporaryFolder()
  const model = createScripted(script)
  await using parley = await createParley({
    dataDir: folder.path,
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    ...options,
  })
  return await work(parley, model.requests)
}

/** All of a prompt, by the estimate that the inspector uses. */
const sizeOfRequest = ({ system, tools, messages }: ModelRequest) => {
  const texts = messages.flatMap(({ content }) => content.map((part) => ('text' in part ? part.text : '')))
  const pieces = [system, ...tools.map((tool) => JSON.stringify(tool)), ...texts]
  return pieces.reduce((sum, piece) => sum + estimateTokens(piece), 0)
}

describe('a hello, with the groups that are on by default,', () => {
  it('takes at most 2,500 tokens in a session', () =>
    withParley(
      () => says('Hello!'),
      {},
      async (parley, requests) => {
        const { id } = await parley.sessions.create()
        await parley.sessions.chat(id, 'hello')
        expect(sizeOfRequest(requests[0]!)).toBeLessThanOrEqual(2_500)
        const { toolTokens, fragments } = await parley.sessions.prompt(id)
        const shown = [...Object.values(toolTokens), ...fragments.map(({ tokens }) => tokens)]
        expect(shown.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(2_500)
      },
    ))

  it.each(anyDatabase)('takes at most 2,500 tokens in a small room, on %s', async (_name, openDatabase) => {
    await using opened = await openRooms(openDatabase, () => 'Hello!')
    await opened.agent('mira', { persona: 'You know the harbour.' })
    await opened.agent('quill', { persona: 'You write.' })
    await opened.say(await opened.room(['mira', 'quill']), '@mira hello')
    const { request } = opened.calls[0]!
    expect(request.tools.map(({ name }) => name)).toContain('use_tool')
    expect(sizeOfRequest(request)).toBeLessThanOrEqual(2_500)
  })

  it('takes at most 2,500 tokens in a task, which has what it submits its result with whole', () =>
    withParley(
      (request) =>
        request.messages.at(-1)!.role === 'user' ? calls(['set_result', { output: 'ok' }]) : says('x'),
      {},
      async (parley, requests) => {
        await parley.background.triggerSync('default', { prompt: 'hello' }, { triggerType: 'api' })
        expect(requests[0]!.tools.map(({ name }) => name)).toContain('set_result')
        expect(sizeOfRequest(requests[0]!)).toBeLessThanOrEqual(2_500)
      },
    ))
})

describe.each(anyDatabase)('a tool that is offered by a line, on %s', (_name, openDatabase) => {
  it('is found, described and called, and the list of tools stays as it is', async () => {
    const { mail, sent } = createMail()
    const model = createScripted(
      inOrder(
        ['use_tool', { name: 'mail' }],
        ['use_tool', { name: 'mail', arguments: { to: 'Ann' } }],
        ['look', {}],
      ),
    )
    await using chat = await openChat(openDatabase, model, { tools: [mail, look] })
    const { events, runId } = await chat.ask('write to Ann')

    const [first] = model.requests
    expect(first!.tools.map(({ name }) => name)).toEqual(['look', 'use_tool'])
    expect(first!.tools[1]!.description).toContain('\n- mail: Sends a letter to somebody.')
    expect(first!.tools[1]!.description).not.toContain('with care')
    await chat.ask('thank you')
    for (const { tools } of model.requests) expect(JSON.stringify(tools)).toBe(JSON.stringify(first!.tools))

    expect(sent).toEqual([{ to: 'Ann' }])
    const [, reply] = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
    expect(callsOf(reply!.parts)).toMatchObject([
      {
        toolName: 'use_tool',
        output: { name: 'mail', inputSchema: { required: ['to'] } },
      },
      { toolName: 'mail', input: { to: 'Ann' }, state: 'output-available', output: { sentTo: 'Ann' } },
      { toolName: 'look' },
    ])
    // those who follow the turn hear of the tool that was called
    const heard = events.flatMap(({ chunk }) =>
      'toolName' in chunk ? [`${chunk.type} ${chunk.toolName}`] : [],
    )
    expect(heard).toEqual([
      'tool-input-available use_tool',
      'tool-input-available mail',
      'tool-input-available look',
    ])
    // the model sees what it wrote, and always the same
    const third = model.requests[2]!.messages
    expect(third.at(-2)!.content).toMatchObject([
      { type: 'tool-call', toolName: 'use_tool', input: { name: 'mail', arguments: { to: 'Ann' } } },
    ])
    expect(third.at(-1)!.content).toMatchObject([{ type: 'tool-result', toolName: 'use_tool' }])
    expect(model.requests.at(-1)!.messages.slice(0, third.length)).toEqual(third)

    const { steps } = await chat.chats.inspectRun('default', runId)
    expect(steps.map(({ listedTools, loadedTools }) => [listedTools, loadedTools])).toEqual([
      [['mail'], [{ name: 'mail', use: 'described', step: 1 }]],
      [['mail'], [{ name: 'mail', use: 'called', step: 2 }]],
      [['mail'], []],
      [['mail'], []],
    ])
    const step = await chat.chats.inspectStep('default', runId, 3)
    expect(step).toMatchObject({
      isExact: true,
      tools: ['look', 'use_tool'],
      listedTools: ['mail'],
      loadedTools: [
        { name: 'mail', use: 'described', step: 1 },
        { name: 'mail', use: 'called', step: 2 },
      ],
    })
    expect(step.toolTokens).toEqual({ look: expect.any(Number), use_tool: expect.any(Number) })
    const next = await chat.chats.previewPrompt({ scope: 'default', sessionId: chat.sessionId })
    expect(next.loadedTools).toEqual(step.loadedTools.map((loaded) => ({ ...loaded, seq: 2 })))
  })

  it('is called by its own name as well', async () => {
    const { mail, sent } = createMail()
    const model = createScripted(inOrder(['mail', { to: 'Ann' }]))
    await using chat = await openChat(openDatabase, model, { tools: [mail, look] })
    const { runId } = await chat.ask('write to Ann')
    expect(sent).toEqual([{ to: 'Ann' }])
    expect(model.requests[1]!.messages.at(-2)!.content).toMatchObject([
      { toolName: 'mail', input: { to: 'Ann' } },
    ])
    const { steps } = await chat.chats.inspectRun('default', runId)
    expect(steps[0]!.loadedTools).toEqual([{ name: 'mail', use: 'called', step: 1 }])
  })

  it.each([
    [
      'a name that no tool has',
      { name: 'post', arguments: {} },
      'There is no tool "post". Tools: look, mail, use_tool.',
    ],
    ['a name and no arguments', { name: 'post' }, 'There is no tool "post". Tools: mail.'],
    [
      'arguments that do not fit',
      { name: 'mail', arguments: { who: 1 } },
      /^The input does not fit: .*Its input schema: .*"required":\["to"\]/,
    ],
    ['arguments beside "arguments"', { name: 'mail', to: 'Ann' }, /^The input does not fit: .*to/],
    ['no name', {}, /^The input does not fit: .*name/],
    [
      'too deep a text',
      { name: 'mail', arguments: '['.repeat(2_000) + ']'.repeat(2_000) },
      /nested in more than/,
    ],
    ['what is not JSON', '{"name": "mail", ', /not valid JSON/],
  ])('is explained to a model that gives %s', async (_what, input, expected) => {
    const { mail, sent } = createMail()
    const model = createScripted(inOrder(['use_tool', input]))
    await using chat = await openChat(openDatabase, model, { tools: [mail, look] })
    await chat.ask('write')
    const [, reply] = await chat.store.listMessages('default', chat.sessionId, { limit: 10 })
    const [call] = callsOf(reply!.parts)
    expect(call).toMatchObject({ state: 'output-error' })
    expect(call!.errorText).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
    expect(sent).toEqual([])
  })

  it('is called with arguments that the model wrote as a text', async () => {
    const { mail, sent } = createMail()
    const model = createScripted(inOrder(['use_tool', { name: 'mail', arguments: '{"to":"Ann"}' }]))
    await using chat = await openChat(openDatabase, model, { tools: [mail, look] })
    await chat.ask('write')
    expect(sent).toEqual([{ to: 'Ann' }])
  })

  it('is explained to a model that calls it by its own name with what does not fit', async () => {
    const { mail } = createMail()
    const model = createScripted(inOrder(['mail', {}]))
    await using chat = await openChat(openDatabase, model, { tools: [mail, look] })
    await chat.ask('write')
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toMatch(/Its input schema: .*required/)
  })

  it.each(['mail', 'use_tool'])('is after a crash what it would be otherwise, called by %s', async (name) => {
    const { mail, sent } = createMail()
    const model = createScripted(() => says('ok'))
    const again = defineTool({
      ...createMail().mail,
      name: 'again',
      isIdempotent: true,
      execute: async () => 'done',
    })
    await using chat = await openChat(openDatabase, model, { tools: [mail, again, look] })
    const { store, sessionId } = chat
    const input = chat.input('go')
    const dead = await store.startRun(
      { scope: 'default', sessionId, kind: 'turn', input },
      { owner: 'dead', leaseMs: -1 },
    )
    const call = (toolName: string) => ({
      type: 'dynamic-tool',
      toolName,
      toolCallId: toolName,
      state: 'input-available',
      input: { to: 'Ann' },
      ...(name === 'use_tool' && { calledThrough: name }),
    })
    const parts = [{ type: 'step-start' }, call('again'), call('mail')]
    await store.putRunStep(dead.lease, { step: 1, parts, prompt: { usage: {} }, lastEventSeq: 0 })
    const { message } = await chat.chats.answerOf(dead.run, AbortSignal.timeout(100_000))
    expect(callsOf(message!.parts)).toMatchObject([
      { toolName: 'again', state: 'output-available', output: 'done' },
      { toolName: 'mail', state: 'output-error', errorText: expect.stringContaining('interrupted') },
    ])
    expect(sent).toEqual([])
    const [, asked] = model.requests[0]!.messages
    expect(asked!.content.map((part) => 'toolName' in part && part.toolName)).toEqual(
      name === 'use_tool' ? ['use_tool', 'use_tool'] : ['again', 'mail'],
    )
  })

  it('ends a turn that calls it with the same again and again', async () => {
    const { mail } = createMail()
    const model = createScripted(() => calls(['use_tool', { name: 'mail', arguments: { to: 'Ann' } }]))
    await using chat = await openChat(openDatabase, model, {
      tools: [mail, look],
      limits: { maxSameCalls: 3 },
    })
    await chat.ask('write')
    expect(model.requests).toHaveLength(3)
  })
})

describe('what a tool may do', () => {
  const writes = inOrder(['use_tool', { name: 'mail', arguments: { to: 'Ann' } }])

  it('is asked about by its own name, and an answer can change what it is called with', async () => {
    const { mail, sent } = createMail()
    await withParley(writes, { tools: [mail] }, async (parley, requests) => {
      const { id } = await parley.sessions.create()
      // it begins with the first who waits for it
      const answered = Promise.resolve(parley.sessions.chat(id, 'write'))
      await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
      const [ask] = (await parley.approvals.list()).items
      expect(ask).toMatchObject({ toolName: 'mail', action: 'send', input: { to: 'Ann' } })
      await parley.approvals.decide(ask!.id, { decision: 'approve', input: { to: 'Bob' } })
      const { message } = await answered
      expect(sent).toEqual([{ to: 'Bob' }])
      expect(callsOf(message!.parts)).toMatchObject([{ toolName: 'mail', input: { to: 'Bob' } }])
      expect(requests[1]!.messages.at(-2)!.content).toMatchObject([
        { toolName: 'use_tool', input: { name: 'mail', arguments: { to: 'Bob' } } },
      ])
    })
  })

  it('is decided by the rules and the hooks for it, and recorded under its name', async () => {
    const { mail, sent } = createMail()
    const hooked: string[] = []
    const options = {
      tools: [mail],
      permissions: { rules: [{ tool: 'mail', decision: 'deny' as const, message: 'No letters.' }] },
      hooks: [{ event: 'PreToolUse' as const, run: ({ tool }: { tool: string }) => void hooked.push(tool) }],
    }
    await withParley(writes, options, async (parley) => {
      const { id } = await parley.sessions.create()
      const { message } = await parley.sessions.chat(id, 'write')
      expect(callsOf(message!.parts)).toMatchObject([
        { toolName: 'mail', state: 'output-error', errorText: expect.stringContaining('No letters.') },
      ])
      expect(sent).toEqual([])
      expect(hooked).toEqual(['mail'])
    })
  })

  it('is nothing where its group is off', async () => {
    const script = inOrder(['use_tool', { name: 'cron', arguments: { action: 'list' } }])
    await withParley(script, {}, async (parley, requests) => {
      const { id } = await parley.sessions.create({ toolGroups: { schedule: false } })
      const { message } = await parley.sessions.chat(id, 'list them')
      expect(callsOf(message!.parts)[0]!.errorText).toMatch(/^There is no tool "cron"\. Tools: /)
      expect(JSON.stringify(requests[0]!.tools)).not.toContain('cron')
    })
  })

  it('is nothing where the session does not have it', async () => {
    const { mail, sent } = createMail()
    await withParley(writes, { tools: [mail] }, async (parley) => {
      const { id } = await parley.sessions.create({ allowedTools: ['file', 'cron'] })
      const { message } = await parley.sessions.chat(id, 'write')
      expect(callsOf(message!.parts)).toMatchObject([
        { state: 'output-error', errorText: 'There is no tool "use_tool". Tools: cron, file.' },
      ])
      expect(sent).toEqual([])
    })
  })
})

describe('a tool is offered whole', () => {
  const offered = (options: Partial<ParleyOptions>, session: object = {}) =>
    withParley(
      () => says('ok'),
      options,
      async (parley) => {
        const { id } = await parley.sessions.create(session)
        const { tools, listedTools } = await parley.sessions.prompt(id)
        return { tools, listedTools }
      },
    )

  it('to a session that names it', async () => {
    expect(await offered({}, { allowedTools: ['cron', 'file'] })).toEqual({
      tools: ['cron', 'file'],
      listedTools: [],
    })
  })

  it('to a session that is about it', async () => {
    const { tools, listedTools } = await offered(
      {},
      { kind: 'tool', toolMeta: { source: 'workflow-management', workflowName: 'x' } },
    )
    expect(tools).toContain('workflow')
    expect(listedTools).toContain('cron')
  })

  it('where lines would save little', async () => {
    const short = defineTool({ ...look, name: 'short', offered: 'line' })
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(anyDatabase[0]![1], model, { tools: [short, look] })
    await chat.ask('hello')
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['look', 'short'])
  })

  it('unless it is one of many of a group that leave it open', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        defineTool({
          ...look,
          name: `look_${index}`,
          group: 'sight',
          description: atLength(`Looks ${index}.`),
        }),
      )
    const few = await offered({ tools: [...many(5), look] })
    expect(few.tools).toContain('look_4')
    const crowded = await offered({ tools: [...many(30), look] })
    expect(crowded.tools).not.toContain('look_4')
    expect(crowded.tools).toContain('look')
    expect(crowded.listedTools).toContain('look_29')
  })
})

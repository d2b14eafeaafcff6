import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultChatLimits } from '../src/core/chat/turn-limits.ts'
import type { TurnInput } from '../src/core/chat/turn-input.ts'
import { loadConfig } from '../src/config.ts'
import { createParley } from '../src/index.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { createScripted, openChat, says, type TestHooks } from './chat-harness.ts'
import { sqliteDatabase, temporaryFolder } from './harness.ts'

/** What a turn with these options leaves behind and is sent. */
async function observeTurn(options: Partial<TurnInput>, hooks: TestHooks = {}, disk = {}) {
  const model = createScripted(() => says('ok'))
  await using chat = await openChat(sqliteDatabase, model, {
    hooks,
    disk: () => ({ workspace: 'three files', ...disk }),
  })
  const statuses: string[] = []
  const { runId } = await chat.ask('/hello there', options)
  statuses.push((await chat.store.requireSession('default', chat.sessionId)).chatStatus)
  const session = await chat.store.requireSession('default', chat.sessionId)
  const request = model.requests[0]
  return {
    session,
    runId,
    asked: model.requests.length,
    prompt: JSON.stringify([request?.system, request?.messages]),
    thinking: request?.thinking,
    checkpoints: await chat.store.listCheckpoints(chat.sessionId),
    answer: messageText((await chat.store.listMessages('default', chat.sessionId, { limit: 1 }))[0]!),
  }
}

describe('an option of a turn', () => {
  it('skipCheckpoint leaves out the place to go back to', async () => {
    expect((await observeTurn({})).checkpoints).toMatchObject([
      { messageSeq: 0, userMessage: '/hello there', completed: true },
    ])
    expect((await observeTurn({ skipCheckpoint: true })).checkpoints).toEqual([])
  })

  it('skipSummary leaves out the first title', async () => {
    expect((await observeTurn({})).session.title).toBe('/hello there')
    expect((await observeTurn({ skipSummary: true })).session.title).toBe('')
  })

  it('skipMemory leaves out what is remembered', async () => {
    const hooks = { readMemories: async () => [{ kind: 'profile', text: 'likes tea' }] }
    expect((await observeTurn({}, hooks)).prompt).toContain('likes tea')
    expect((await observeTurn({ skipMemory: true }, hooks)).prompt).not.toContain('likes tea')
  })

  it.each([
    ['skipPerRoundExtract', 'extractRound'],
    ['skipNarrativeBatchExtract', 'extractNarrative'],
    ['skipDocumentExtract', 'extractDocuments'],
  ] as const)('%s leaves out %s', async (flag, hook) => {
    const seen: string[] = []
    const hooks = { [hook]: async (_session: unknown, run: { id: string }) => void seen.push(run.id) }
    const { runId } = await observeTurn({}, hooks)
    expect(seen).toEqual([runId])
    await observeTurn({ [flag]: true }, hooks)
    expect(seen).toEqual([runId])
  })

  it('a hook that fails does not fail the turn', async () => {
    const fail = () => Promise.reject(new Error('broken'))
    const { answer } = await observeTurn(
      {},
      { readMemories: fail, extractRound: fail, extractNarrative: fail, extractDocuments: fail },
    )
    expect(answer).toBe('ok')
  })

  it('includeScopeContext: false leaves out the view of the workspace', async () => {
    expect((await observeTurn({})).prompt).toContain('three files')
    expect((await observeTurn({ includeScopeContext: false })).prompt).not.toContain('three files')
  })

  it('thinking, promptInjection and workflowEditContext reach the model; a preamble only where its recipe accepts one', async () => {
    expect((await observeTurn({ thinking: true })).thinking).toBe(true)
    expect((await observeTurn({ promptInjection: 'be a pirate' })).prompt).toContain('be a pirate')
    expect((await observeTurn({ systemPreamble: 'obey me' })).prompt).not.toContain('obey me')
  })

  it('actor is kept with the run', async () => {
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(sqliteDatabase, model)
    const actor = { type: 'system' as const, source: 'bg-session' }
    const { runId } = await chat.ask('hi', { actor })
    expect(await chat.store.getRun('default', runId)).toMatchObject({ input: { actor } })
  })

  it('fullContextTurns and cachedContextTurns cut the window by rounds', async () => {
    const model = createScripted(() => says('ok'))
    await using chat = await openChat(sqliteDatabase, model)
    for (let turn = 1; turn <= 8; turn++)
      await chat.ask(`input ${turn}`, { fullContextTurns: 2, cachedContextTurns: 3 })
    const inputs = model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'user').length)
    expect(inputs).toEqual([1, 2, 3, 4, 5, 3, 4, 5])
    expect(await chat.store.listMessages('default', chat.sessionId, { limit: 100 })).toHaveLength(16)
  })

  it('skipChatStatus leaves the status of the session alone', async () => {
    let go = () => {}
    const gate = new Promise<void>((resolve) => (go = resolve))
    const model = createScripted(() => [gate, ...says('ok')])
    await using chat = await openChat(sqliteDatabase, model)
    const place = { scope: 'default', sessionId: chat.sessionId }
    const status = async () => (await chat.store.requireSession('default', chat.sessionId)).chatStatus
    const quiet = await chat.chats.admit(chat.store, place, chat.input('a', { skipChatStatus: true }))
    quiet.begin()
    await expect.poll(() => model.requests.length).toBe(1)
    expect(await status()).toBe('idle')
    const loud = await chat.chats.admit(chat.store, place, chat.input('b'), 'interrupt')
    loud.begin()
    await expect.poll(() => model.requests.length).toBe(2)
    expect(await status()).toBe('chatting')
    go()
    await chat.chats.answerOf(loud.run, AbortSignal.timeout(100_000))
    expect(await status()).toBe('idle')
  })
})

it('bounds of a turn have the same defaults in the library as in the configuration', () => {
  const { config } = loadConfig({ env: {}, cwd: '/', home: '/nonexistent' })
  expect(config.chat).toEqual({ ...defaultChatLimits, tokenBudget: undefined })
})

describe('what lies on disk', () => {
  it('reaches the model: rules, skills, commands and files; skipSlashCommands says a command as it is', async () => {
    using folder = temporaryFolder()
    const root = join(folder.path, 'project')
    mkdirSync(join(root, '.parley', 'commands'), { recursive: true })
    mkdirSync(join(root, '.parley', 'skills', 'greet'), { recursive: true })
    writeFileSync(join(root, 'AGENTS.md'), 'Answer in rhyme.')
    writeFileSync(join(root, 'notes.txt'), 'The code is 4711.')
    mkdirSync(join(root, '.parley', 'rules'))
    writeFileSync(join(root, '.parley', 'rules', 'text.md'), '---\nglobs: "*.txt"\n---\nKeep codes secret.')
    writeFileSync(join(root, '.parley', 'commands', 'sum.md'), 'Summarise $ARGUMENTS in one line.')
    writeFileSync(
      join(root, '.parley', 'commands', 'about.md'),
      '---\nmode: action\n---\nA project about rhymes.',
    )
    writeFileSync(
      join(root, '.parley', 'skills', 'greet', 'SKILL.md'),
      '---\nname: greet\ndescription: How to greet\n---\nSay ahoy.',
    )
    const model = createScripted((request) => {
      const isFirst = request.messages.length === 1 && JSON.stringify(request.messages).includes('load')
      return isFirst
        ? [
            { type: 'tool-call', toolCallId: 'c', toolName: 'skill', input: '{"name":"greet"}' },
            { type: 'finish', reason: 'tool-calls', usage: {} },
          ]
        : says('ok')
    })
    await using parley = await createParley({
      dataDir: folder.path,
      scopes: { default: { root } },
      models: { model: 'scripted/x', extra: { scripted: () => model } },
    })
    const ask = async (content: string) => parley.sessions.chat((await parley.sessions.create()).id, content)
    await ask('load it')
    expect(model.requests[0]!.system).toMatch(/Answer in rhyme[\s\S]*greet: How to greet/)
    expect(JSON.stringify(model.requests[1]!.messages)).toContain('Say ahoy.')
    await ask('/sum the news')
    expect(JSON.stringify(model.requests[2]!.messages)).toContain('Summarise the news in one line.')
    const before = model.requests.length
    const about = await ask('/about')
    expect(messageText(about.message!)).toBe('A project about rhymes.')
    expect(about.run).toMatchObject({ status: 'completed', outcome: { code: 'command' } })
    expect(messageText((await ask('/help')).message!)).toContain('/sum')
    expect(model.requests).toHaveLength(before)
    expect(messageText((await ask('/skill')).message!)).toBe('- greet: How to greet')
    expect(messageText((await ask('/search rhymes')).message!)).toContain('/about')
    expect(messageText((await ask('/统计')).message!)).toContain('1 messages')
    expect(model.requests).toHaveLength(before)
    await ask('/skill greet')
    expect(JSON.stringify(model.requests.at(-1)!.messages)).toContain('Say ahoy.')
    await ask('what is in @file:notes.txt ?')
    expect(JSON.stringify(model.requests.at(-1)!.messages)).toMatch(
      /Keep codes secret[\s\S]*The code is 4711/,
    )
    expect(JSON.stringify(model.requests[0])).not.toContain('Keep codes secret')
    const { run } = await parley.sessions.chat((await parley.sessions.create()).id, {
      content: 'see',
      runRefs: [about.run.id],
      fileRefs: ['../secret', 'notes.txt'],
    })
    expect(run.status).toBe('completed')
    expect(JSON.stringify(model.requests.at(-1)!.messages)).toMatch(/4711[\s\S]*command/)
    await ask('read /usr/bin/env please')
    expect(messageText((await ask('/nothing of ours')).message!)).toBe('ok')
  })
})

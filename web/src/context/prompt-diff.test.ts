import { describe, expect, it } from 'vitest'
import type { PromptMessage, SentPrompt } from '../../../src/core/protocol/prompt.ts'
import { diffPrompts, findFirstDifference } from './prompt-diff.ts'
import { sourcesOf, sumTokens, toPieces } from './prompt-pieces.ts'

const message = (seq: number | undefined, text: string, role: PromptMessage['role'] = 'user') => ({
  role,
  content: [{ type: 'text', text }],
  tokens: 10,
  ...(seq !== undefined && { seq, id: `msg_${seq}` }),
})

const prompt = ({
  rules = 'rule one',
  memo,
  messages = [message(1, 'hello')],
  tools = ['look'],
  ...more
}: Partial<SentPrompt> & { rules?: string; memo?: string } = {}): SentPrompt => ({
  runId: 'run_1',
  sessionId: 'ses_1',
  step: 1,
  model: 'openai/x',
  scenario: 'interactive',
  epoch: 1,
  system: '',
  windowStart: 1,
  fragments: [
    { name: 'identity', placement: 'static', hash: 'a', tokens: 10, text: 'You are Parley.' },
    { name: 'rules', placement: 'static', hash: 'b', tokens: 10, text: rules },
    ...(memo === undefined
      ? []
      : [{ name: 'memo', placement: 'head' as const, hash: memo, tokens: 10, text: memo }]),
  ],
  messages: memo === undefined ? messages : [message(undefined, memo), ...messages],
  tools,
  listedTools: [],
  loadedTools: [],
  toolTokens: { look: 10 },
  usage: {},
  finishReason: 'stop',
  cache: { verdict: 'unknown' },
  isExact: true,
  ...more,
})

const told = (changes: ReturnType<typeof diffPrompts>) =>
  changes.map((change) =>
    change.kind === 'same'
      ? `${change.pieces.length} same`
      : change.kind === 'changed'
        ? `changed ${change.after.name}`
        : `${change.kind} ${change.piece.name ?? `#${change.piece.seq}`}`,
  )

describe('the pieces of a prompt', () => {
  it('name the tools that are offered by a line, with where they were loaded', () => {
    const loaded = { name: 'cron', use: 'called', step: 2 } as const
    const pieces = toPieces(prompt({ listedTools: ['cron', 'plan'], loadedTools: [loaded] }))
    const tools = pieces.filter(({ share }) => share === 'tools')
    expect(tools.map(({ name, tokens, loaded: uses }) => [name, tokens, uses])).toEqual([
      ['look', 10, undefined],
      ['cron', 0, [loaded]],
      ['plan', 0, []],
    ])
  })
})

describe('the diff of two prompts', () => {
  it('finds nothing between a prompt and itself', () => {
    const changes = diffPrompts(prompt(), prompt())
    expect(told(changes)).toEqual(['4 same'])
    expect(findFirstDifference(changes)).toEqual({ isGrowth: true, sharedTokens: 40 })
  })

  it('tells growth at the end from a change in the middle', () => {
    const grown = diffPrompts(prompt(), prompt({ messages: [message(1, 'hello'), message(2, 'hi')] }))
    expect(told(grown)).toEqual(['4 same', 'added #2'])
    expect(findFirstDifference(grown)).toMatchObject({ isGrowth: true, sharedTokens: 40, piece: { seq: 2 } })

    const changed = diffPrompts(prompt(), prompt({ rules: 'rule two' }))
    expect(told(changed)).toEqual(['2 same', 'changed rules', '1 same'])
    expect(findFirstDifference(changed)).toMatchObject({
      isGrowth: false,
      sharedTokens: 20,
      piece: { name: 'rules' },
    })
  })

  it('shows a cut of the window as messages that went, and a memo that came', () => {
    const before = prompt({ messages: [1, 2, 3].map((seq) => message(seq, `said ${seq}`)) })
    const after = prompt({ memo: 'kept', messages: [3, 4].map((seq) => message(seq, `said ${seq}`)) })
    const changes = diffPrompts(before, after)
    expect(told(changes).toSorted()).toEqual(
      ['3 same', 'removed #1', 'removed #2', 'added memo', '1 same', 'added #4'].toSorted(),
    )
    expect(findFirstDifference(changes).isGrowth).toBe(false)
  })

  it('names a tool that came', () => {
    expect(told(diffPrompts(prompt(), prompt({ tools: ['look', 'run'] })))).toEqual([
      '1 same',
      'added run',
      '3 same',
    ])
  })
})

describe('the pieces of a prompt', () => {
  it('count what stands before the window once, though it is sent as a message', () => {
    const sent = prompt({ memo: 'kept' })
    const pieces = toPieces(sent)
    expect(pieces.map(({ share, name, seq }) => [share, name ?? seq])).toEqual([
      ['tools', 'look'],
      ['system', 'identity'],
      ['system', 'rules'],
      ['head', 'memo'],
      ['window', 1],
    ])
    expect(sumTokens(sent, pieces)).toEqual({
      tools: 10,
      system: 20,
      head: 10,
      window: 10,
      input: 0,
      all: 50,
    })
  })

  it('are cached as far as the provider read from its cache', () => {
    const cachedOf = (more: Partial<SentPrompt>) => toPieces(prompt(more)).map(({ cached }) => cached)
    const usage = { inputTokens: 80, cacheReadTokens: 50 }
    // the provider counts twice what we estimate
    expect(cachedOf({ usage, cache: { verdict: 'hit' } })).toEqual(['yes', 'yes', 'partly', 'no'])
    expect(cachedOf({ usage, cache: { verdict: 'miss' } })).toEqual(['no', 'no', 'no', 'no'])
    expect(new Set(cachedOf({ usage, cache: { verdict: 'unknown' } }))).toEqual(new Set([undefined]))
  })

  it('know the files they came from', () => {
    const text = '<rules from="AGENTS.md">\nx\n</rules>\n<rules from="AGENTS.md">\n<skill name="deploy">'
    expect(sourcesOf(text)).toEqual(['AGENTS.md', 'deploy'])
    expect(sourcesOf()).toEqual([])
  })
})

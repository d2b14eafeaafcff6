import { describe, expect, it } from 'vitest'
import type { Part } from '../src/core/protocol/message.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { MessageToAppend } from '../src/core/store/queries/messages.ts'
import { finishIndex } from '../src/core/store/catch-up-index.ts'
import { createRecallTool } from '../src/core/tools/recall-tool.ts'
import { databases, type OpenDatabase } from './harness.ts'
import { assistant, toolCall, user } from './window-harness.ts'

async function openRecall(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const store = await database.open(systemClock)
  await store.ensureScope('default')
  const { id } = await store.createSession({ scope: 'default' })
  const tool = createRecallTool(store)
  const recallIn = async (scope: string, sessionId: string, input: unknown) =>
    (await tool.execute(tool.input.parse(input), {
      scope,
      sessionId,
      runId: 'run_1',
      toolCallId: 'call_1',
      workspaces: { granted: [] },
      signal: new AbortController().signal,
    })) as string
  return {
    store,
    id,
    tool,
    append: (...messages: MessageToAppend[]) => store.appendMessages('default', id, messages),
    recall: (input: unknown) => recallIn('default', id, input),
    recallIn,
    async [Symbol.asyncDispose]() {
      await store.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const seqsIn = (text: string) =>
  [...text.matchAll(/^\[(\d+)\] (?:user|assistant),/gm)].map(([, n]) => Number(n))

/** Reads a message from its beginning as a model would: as long as it is told of more. */
async function readWhole(recall: (input: unknown) => Promise<string>, message: number) {
  const pieces: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const answer = await recall({ message, offset })
    const more = /\n\[\d+ more characters: offset (\d+)\]$/.exec(answer)
    pieces.push(answer.slice(0, more?.index).replace(/^\[\d+\] \w+, \S+: /, ''))
    offset = more ? Number(more[1]) : undefined
    if (pieces.length > 100) throw new Error('it never ends')
  }
  return pieces
}

describe.each(databases)('recall on %s', (_name, openDatabase) => {
  it('finds words of either language, whatever their case, and shows who said it', async () => {
    await using open = await openRecall(openDatabase)
    await open.append(
      user('We meet at the Harbour on Friday'),
      assistant('Noted: the harbour, Friday.'),
      user('我最喜欢的城市是里斯本，预算五千元'),
      assistant('好的，里斯本。'),
      user('Café Zürich is closed'),
    )
    expect(await open.recall({ query: 'harbour friday' })).toMatch(
      /^\[2\] assistant, \d{4}-\S+Z: Noted: the harbour, Friday\.\n\n\[1\] user, \S+: We meet at the Harbour on Friday$/,
    )
    expect(seqsIn(await open.recall({ query: 'FRI' }))).toEqual([2, 1])
    expect(seqsIn(await open.recall({ query: '里斯本' }))).toEqual([4, 3])
    expect(seqsIn(await open.recall({ query: '里斯本 预算' }))).toEqual([3])
    expect(seqsIn(await open.recall({ query: '五千' }))).toEqual([3])
    expect(seqsIn(await open.recall({ query: 'cafe zurich' }))).toEqual([5])
    // all the words have to be there, in one message
    expect(await open.recall({ query: 'harbour 里斯本' })).toBe('No such messages.')
    expect(await open.recall({ query: '北京' })).toBe('No such messages.')
  })

  it('takes what means something to the database as plain words', async () => {
    await using open = await openRecall(openDatabase)
    await open.append(user('salt and pepper'), user('100% sure_thing'))
    for (const query of ['salt" OR "x', "salt' & !x", 'NOT salt', 'salt:*', 'salt NEAR pepper', '(salt'])
      expect(
        seqsIn(await open.recall({ query })).every((seq) => seq === 1),
        query,
      ).toBe(true)
    expect(seqsIn(await open.recall({ query: '(salt) & pepper' }))).toEqual([1])
    expect(seqsIn(await open.recall({ query: 'sure_thing 100%' }))).toEqual([2])
  })

  it('pages through what it found, newest first, without gaps or repeats', async () => {
    await using open = await openRecall(openDatabase)
    for (let turn = 0; turn < 25; turn++)
      await open.append(user(`question ${turn} about apples`), assistant(`pears ${turn}`))
    const found: number[] = []
    for (let before: number | undefined; ;) {
      const page = seqsIn(await open.recall({ query: 'apples', before, limit: 10 }))
      if (page.length === 0) break
      found.push(...page)
      before = page.at(-1)
    }
    expect(found).toEqual(Array.from({ length: 25 }, (_, index) => 49 - 2 * index))
    expect(seqsIn(await open.recall({ query: 'apples' }))).toHaveLength(10)
  })

  it('lists the log in order, in both directions', async () => {
    await using open = await openRecall(openDatabase)
    for (let turn = 0; turn < 15; turn++) await open.append(user(`q${turn}`), assistant(`a${turn}`))
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)
    expect(seqsIn(await open.recall({}))).toEqual(range(21, 30))
    expect(seqsIn(await open.recall({ before: 21 }))).toEqual(range(11, 20))
    expect(seqsIn(await open.recall({ after: 0 }))).toEqual(range(1, 10))
    expect(seqsIn(await open.recall({ after: 10, limit: 5 }))).toEqual(range(11, 15))
    expect(seqsIn(await open.recall({ after: 3, before: 7 }))).toEqual([4, 5, 6])
    expect(await open.recall({ after: 30 })).toBe('No such messages.')
    expect(await open.recall({ before: 1 })).toBe('No such messages.')
  })

  it('shows a long message around what was looked for, and its length', async () => {
    await using open = await openRecall(openDatabase)
    const long = `${'before '.repeat(500)}NEEDLE ${'after '.repeat(500)}`
    await open.append(user(long), user(`${'之前'.repeat(500)}青花瓷${'之后'.repeat(500)}`))
    const found = await open.recall({ query: 'needle' })
    expect(found).toMatch(/^\[1\] user, \S+: … .*before NEEDLE after.* … \(\d+ characters in all\)$/)
    expect(found).toContain(`(${long.length} characters in all)`)
    expect(found.length).toBeLessThan(750)
    expect(await open.recall({ query: '青花瓷' })).toContain('之前青花瓷之后')
    expect(await open.recall({ after: 0, limit: 1 })).toMatch(/: before before/)
  })

  it('reads a long message whole, in pieces that say where the next one begins', async () => {
    await using open = await openRecall(openDatabase)
    const long = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(' ')
    await open.append(user('first'), user(long), user('y'.repeat(8_000)))
    const pieces = await readWhole(open.recall, 2)
    expect(pieces.join('')).toBe(long)
    expect(pieces.every((piece) => piece.length <= 8_000)).toBe(true)
    // one that just fits is one piece
    expect(await readWhole(open.recall, 3)).toEqual(['y'.repeat(8_000)])
    expect(await open.recall({ message: 2, offset: 20 })).toContain(`: ${long.slice(20, 60)}`)
    expect(await open.recall({ message: 1, offset: 500 })).toMatch(/^\[1\] user, \S+: $/)
  })

  it('does not break a character where a piece ends', async () => {
    await using open = await openRecall(openDatabase)
    const long = `x${'😀'.repeat(10_000)}`
    await open.append(user(long))
    const text = (await readWhole(open.recall, 1)).join('')
    expect(text).not.toContain('\uFFFD')
    expect(text).toBe(long)
  })

  it('shows what tools were asked and answered, when it lists and when it reads', async () => {
    await using open = await openRecall(openDatabase)
    const failed: Part = {
      type: 'dynamic-tool',
      toolName: 'look',
      toolCallId: 'c2',
      state: 'output-error',
      input: { at: 'c2' },
      errorText: 'locked out',
    }
    await open.append(user('look'), assistant('Done.', toolCall('c1', { rows: ['alpha'] }), failed))
    for (const input of [{}, { message: 2 }]) {
      const text = await open.recall(input)
      expect(text).toContain('(look {"at":"c1"} → {"rows":["alpha"]})')
      expect(text).toContain('(look {"at":"c2"} → locked out)')
    }
    await open.append(assistant('long', toolCall('c3', 'z'.repeat(20_000))))
    expect((await readWhole(open.recall, 3)).join('')).toContain('z'.repeat(20_000))
  })

  it('finds a message by what a tool answered in it', async () => {
    await using open = await openRecall(openDatabase)
    await open.append(user('look'), assistant('Done.', toolCall('c1', { invoice: 'quixotic-4711' })))
    expect(seqsIn(await open.recall({ query: 'quixotic' }))).toEqual([2])
  })

  it('sees nothing of other sessions and scopes', async () => {
    await using open = await openRecall(openDatabase)
    const { store } = open
    await store.ensureScope('other')
    const { id: neighbour } = await store.createSession({ scope: 'default' })
    const { id: stranger } = await store.createSession({ scope: 'other' })
    await open.append(user('my treasure'))
    await store.appendMessages('default', neighbour, [user('the treasure of a neighbour'), user('more')])
    await store.appendMessages('other', stranger, [user('the treasure of a stranger')])
    for (const input of [{ query: 'treasure' }, {}, { after: 0 }, { message: 1 }]) {
      expect(await open.recall(input)).toMatch(/^\[1\] user, \S+: my treasure$/)
      expect(await open.recallIn('other', stranger, input)).toMatch(/: the treasure of a stranger$/)
    }
    await expect(open.recall({ message: 2 })).rejects.toThrow('There is no message 2.')
    // a session is only found in its own scope
    for (const input of [{ query: 'treasure' }, {}, { after: 0 }]) {
      expect(await open.recallIn('default', stranger, input)).toBe('No such messages.')
      expect(await open.recallIn('other', open.id, input)).toBe('No such messages.')
    }
    await expect(open.recallIn('other', open.id, { message: 1 })).rejects.toThrow('There is no message 1.')
  })

  it('finds what was said a moment ago, though the index is behind', async () => {
    await using open = await openRecall(openDatabase)
    const { store } = open
    // others in the scope wait for the index too, and one has more than a search takes in
    const { id: busy } = await store.createSession({ scope: 'default' })
    await store.appendMessages(
      'default',
      busy,
      Array.from({ length: 1_200 }, (_, index) => user(`elsewhere ${index}`)),
    )
    await open.append(user('fresh words'))
    expect(seqsIn(await open.recall({ query: 'fresh' }))).toEqual([1])
    await open.append(assistant('fresher words'))
    expect(seqsIn(await open.recall({ query: 'words' }))).toEqual([2, 1])
    await open.append(...Array.from({ length: 400 }, (_, index) => user(`filler ${index}`)), user('the last'))
    expect(seqsIn(await open.recall({ query: 'last' }))).toEqual([403])
  })

  it('tells the model how many messages it did not search, as after an import', async () => {
    await using open = await openRecall(openDatabase)
    const { store } = open
    await open.append(...Array.from({ length: 1_100 }, (_, index) => user(`imported ${index}`)))
    expect(await open.recall({ query: 'imported' })).toBe(
      'No such messages.\n\n[1,100 messages are still being indexed and were not searched.]',
    )
    await store.indexMessages([open.id])
    const some = await open.recall({ query: 'imported', limit: 2 })
    expect(seqsIn(some)).toEqual([50, 49])
    expect(some).toContain('[1,050 messages are still being indexed')
    expect(await open.recall({ after: 0, limit: 1 })).not.toContain('indexed')
    await finishIndex(store)
    const all = await open.recall({ query: 'imported', limit: 2 })
    expect(seqsIn(all)).toEqual([1_100, 1_099])
    expect(all).not.toContain('indexed')
    await open.append(...Array.from({ length: 1_100 }, (_, index) => user(`more ${index}`)))
    const alone = createRecallTool(store, { hasIndexer: false })
    const context = {
      scope: 'default',
      sessionId: open.id,
      runId: 'run_1',
      toolCallId: 'call_1',
      workspaces: { granted: [] },
      signal: new AbortController().signal,
    }
    expect(seqsIn((await alone.execute({ query: 'more', limit: 1 }, context)) as string)).toEqual([2_200])
  })

  it('finds the same when many look at once while more is said', async () => {
    await using open = await openRecall(openDatabase)
    await open.append(user('apple one'))
    const found = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        if (index % 4 === 0) await open.append(user(`pear ${index}`))
        return seqsIn(await open.recall({ query: 'apple' }))
      }),
    )
    expect(found).toEqual(Array.from({ length: 20 }, () => [1]))
    expect(seqsIn(await open.recall({ query: 'pear' }))).toEqual([6, 5, 4, 3, 2])
  })

  it('does not stumble over an empty log', async () => {
    await using open = await openRecall(openDatabase)
    expect(await open.recall({})).toBe('No such messages.')
    expect(await open.recall({ query: 'x' })).toBe('No such messages.')
    await expect(open.recall({ message: 1 })).rejects.toThrow('There is no message 1.')
  })

  it.each<[string, unknown, RegExp]>([
    ['an empty query', { query: '' }, /query/],
    ['a query without letters', { query: '?!' }, /no letters or digits/],
    ['a query that never ends', { query: 'x'.repeat(501) }, /query/],
    ['a query with "after"', { query: 'x', after: 1 }, /page with "before"/],
    ['places that are none', { before: 0 }, /before/],
    ['half a place', { after: 0.5 }, /after/],
    ['a place in words', { message: '1' }, /message/],
    ['a negative offset', { message: 1, offset: -5 }, /offset/],
    ['too much at once', { limit: 1_000 }, /limit/],
    ['another session', { sessionId: 'ses_other' }, /sessionId/],
    ['nothing at all', null, /expected object/],
  ])('refuses %s', async (_what, input, why) => {
    await using open = await openRecall(openDatabase)
    await open.append(user('x'))
    await expect(open.recall(input)).rejects.toThrow(why)
  })
})

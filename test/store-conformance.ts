import { describe, expect, it } from 'vitest'
import { pack, unpack } from '../src/core/store/event-batch.ts'
import type { Message } from '../src/core/protocol/message.ts'
import type { StoreChange } from '../src/core/store/query-context.ts'
import type { Run } from '../src/core/store/queries/run-row.ts'
import type { NewSession } from '../src/core/store/queries/sessions.ts'
import { finishIndex } from '../src/core/store/catch-up-index.ts'
import type { Store } from '../src/core/store/store.ts'
import { steppedClock, type OpenDatabase } from './harness.ts'

const scope = 'default'
const say = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text', text }] })
const textsOf = (messages: readonly Message[]) => messages.map((message) => message.parts[0]?.text)

/** What every store must do; `store.test.ts` calls it once for each database. */
export function describeStore(name: string, openDatabase: OpenDatabase): void {
  const test = (title: string, body: (store: Store) => Promise<void>) =>
    it(title, async () => {
      expect.hasAssertions()
      await using database = await openDatabase()
      await using store = await database.open()
      await store.ensureScope(scope)
      await body(store)
    })

  describe(`${name}: a long session that is deleted`, () => {
    const written = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        role: 'user' as const,
        parts: JSON.stringify([{ type: 'text', text: `apple ${index}` }]),
      }))

    async function addLong(store: Store) {
      const parent = await store.createSession({ scope, title: 'Apples' })
      const child = await store.createSession({
        scope,
        parentId: parent.id,
        thread: 'orchard',
        family: 'trees',
      })
      await store.appendWritten(scope, parent.id, written(1_500))
      await store.appendWritten(scope, child.id, written(1_500))
      const run = { id: 'run_1', scope, sessionId: child.id, kind: 'turn', input: {} }
      await store.startRun(run, { owner: 'test', leaseMs: 60_000 })
      await finishIndex(store)
      return [parent.id, child.id] as const
    }

    test('is gone for everybody at once, with all that belongs to it', async (store) => {
      const ids = await addLong(store)
      const changes: StoreChange[] = []
      store.subscribe((change) => changes.push(change))
      expect(await store.searchScope(scope, { text: 'apple', limit: 5 }, () => true)).toHaveLength(5)
      await store.deleteSession(scope, ids[0])
      for (const id of ids) {
        expect(await store.getSession(scope, id)).toBeUndefined()
        expect(await store.listMessages(scope, id, { limit: 10 })).toEqual([])
        expect(changes).toContainEqual({ type: 'session-deleted', scope, sessionId: id })
      }
      expect((await store.listSessions(scope, { archived: 'all', limit: 10 })).items).toEqual([])
      expect(await store.listFamily(scope, 'trees')).toEqual([])
      expect(await store.getRun(scope, 'run_1')).toBeUndefined()
      expect(await store.searchScope(scope, { text: 'apple', limit: 5 }, () => true)).toEqual([])
      expect(await store.listScopes()).toEqual([{ name: scope, root: undefined }])
      await expect(store.deleteSession(scope, ids[0])).rejects.toMatchObject({ code: 'not_found' })
      await expect(store.appendWritten(scope, ids[0], written(1))).rejects.toMatchObject({
        code: 'not_found',
      })
    })

    test('is swept piece by piece, and its id is free then', async (store) => {
      const ids = await addLong(store)
      await store.deleteSession(scope, ids[0])
      let pieces = 0
      while (await store.sweepDeleted()) pieces++
      expect(pieces).toBeGreaterThanOrEqual(6)
      for (const id of ids) expect(await store.isSessionIdTaken(id)).toBe(false)
      expect(await store.checkIntegrity()).toBeUndefined()
    })

    test('is swept by several at once, and nothing else is', async (store) => {
      const [id] = await addLong(store)
      const kept = await store.createSession({ scope, title: 'Kept' })
      await store.appendWritten(scope, kept.id, written(2_500))
      await store.deleteSession(scope, id)
      const sweep = async () => {
        while (await store.sweepDeleted());
      }
      await Promise.all([sweep(), sweep(), sweep()])
      expect(await store.isSessionIdTaken(id)).toBe(false)
      expect(await store.listMessages(scope, kept.id, { limit: 3_000 })).toHaveLength(2_500)
    })

    test('is deleted as it is when it is short', async (store) => {
      const { id } = await store.createSession({ scope })
      await store.appendWritten(scope, id, written(100))
      await store.deleteSession(scope, id)
      expect(await store.isSessionIdTaken(id)).toBe(false)
      expect(await store.sweepDeleted()).toBe(false)
    })
  })

  describe(`${name}: schema`, () => {
    it('is brought up to date by two nodes that start at once', async () => {
      await using database = await openDatabase({ isEmpty: true })
      const stores = await Promise.all([database.open(), database.open(), database.open()])
      await Promise.all(stores.map((store) => store.ensureScope(scope)))
      expect(await stores[0]!.listScopes()).toEqual([{ name: scope, root: undefined }])
      for (const store of stores) await store.close()
    })

    it('keeps what is stored when it is opened again', async () => {
      await using database = await openDatabase()
      const first = await database.open()
      await first.ensureScope(scope)
      const session = await first.createSession({ scope, title: 'Kept' })
      await first.close()
      await using second = await database.open()
      expect(await second.getSession(scope, session.id)).toEqual(session)
    })
  })

  describe(`${name}: sessions`, () => {
    test('have their defaults, and are interactive when nothing else is said', async (store) => {
      const session = await store.createSession({ scope })
      expect(session).toMatchObject({ kind: 'interactive', title: '', chatStatus: 'idle', messageCount: 0 })
      expect(await store.getSession(scope, session.id)).toEqual(session)
    })

    test('keep every facet as it was given', async (store) => {
      const facets = {
        kind: 'background' as const,
        title: 'Ünïcödé 标题',
        llmSummary: 'summary',
        model: 'demo/parley',
        mode: 'free_chat',
        modeState: { round: 1, nested: { deep: ['x'] } },
        planId: 'pln_1',
        window: { mode: 'lite' as const },
        bgMeta: { triggerType: 'api' as const, label: 'research', timeoutMs: 600_000, depth: 1 },
        bgStatus: 'completed' as const,
        bgResult: 'done',
        bgStructuredData: '{"a":1}',
        bgArtifacts: ['a.md'],
        toolMeta: { source: 'workflow-management', label: 'edit' },
        allowedTools: ['file'],
        allowedSkills: ['skill'],
        allowedMcpServerIds: ['mcp'],
        permissionMode: 'acceptEdits' as const,
        grantedPaths: ['/srv/data'],
        forkedFrom: { sessionId: 'ses_x', messageId: 'msg_x', before: true as const },
        family: 'ses_x',
        archivedAt: '2026-01-02T03:04:05.678Z',
      }
      const { id } = await store.createSession({ scope, ...facets })
      expect(await store.getSession(scope, id)).toMatchObject(facets)
    })

    test('are invisible from another scope', async (store) => {
      await store.ensureScope('other')
      const { id } = await store.createSession({ scope })
      const [message] = await store.appendMessages(scope, id, [say('secret')])
      expect(await store.getSession('other', id)).toBeUndefined()
      expect((await store.listSessions('other', { limit: 10 })).items).toEqual([])
      expect(await store.listMessages('other', id, { limit: 10 })).toEqual([])
      expect(await store.getMessage('other', id, message!.id)).toBeUndefined()
      await expect(store.appendMessages('other', id, [say('x')])).rejects.toMatchObject({ code: 'not_found' })
      await expect(store.updateSession('other', id, { title: 'x' })).rejects.toMatchObject({
        code: 'not_found',
      })
      await expect(store.deleteSession('other', id)).rejects.toMatchObject({ code: 'not_found' })
      expect(await store.listMessages(scope, id, { limit: 10 })).toHaveLength(1)
    })

    test('refuse an id that is taken, and store nothing then', async (store) => {
      await store.createSession({ scope, id: 'ses_same', title: 'first' })
      await expect(store.createSession({ scope, id: 'ses_same' })).rejects.toMatchObject({ code: 'conflict' })
      expect((await store.listSessions(scope, { limit: 10 })).items.map(({ title }) => title)).toEqual([
        'first',
      ])
    })

    test('are listed newest first, page by page, without gap or repeat', async (store) => {
      const created: string[] = []
      for (let index = 0; index < 25; index++) created.push((await store.createSession({ scope })).id)
      await store.appendMessages(scope, created[3]!, [say('moves up')])
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await store.listSessions(scope, { limit: 10, cursor })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect(seen).toEqual([created[3], ...created.filter((_, index) => index !== 3).toReversed()])
    })

    test('are filtered by kind, status, mode, parent and archive', async (store) => {
      const parent = await store.createSession({ scope, title: 'parent' })
      await store.createSession({
        scope,
        title: 'child',
        kind: 'background',
        bgStatus: 'running',
        parentId: parent.id,
      })
      await store.createSession({ scope, title: 'room', mode: 'quiz' })
      await store.createSession({ scope, title: 'old', archivedAt: '2026-01-01T00:00:00.000Z' })
      const titles = async (filter: object) =>
        (await store.listSessions(scope, { limit: 10, ...filter })).items.map(({ title }) => title)
      expect(await titles({ kind: 'background' })).toEqual(['child'])
      expect(await titles({ bgStatus: 'running' })).toEqual(['child'])
      expect(await titles({ bgStatus: 'failed' })).toEqual([])
      expect(await titles({ mode: 'quiz' })).toEqual(['room'])
      expect(await titles({ mode: true })).toEqual(['room'])
      expect(await titles({ mode: false })).toEqual(['child', 'parent'])
      expect(await titles({ parentId: parent.id })).toEqual(['child'])
      expect(await titles({})).toEqual(['room', 'child', 'parent'])
      expect(await titles({ archived: true })).toEqual(['old'])
      expect(await titles({ archived: 'all' })).toEqual(['old', 'room', 'child', 'parent'])
    })

    test('are counted by parent, and found without one', async (store) => {
      await store.ensureScope('other')
      const parent = await store.createSession({ scope, title: 'parent' })
      const childless = await store.createSession({ scope, title: 'childless' })
      for (const archivedAt of [undefined, undefined, '2026-01-01T00:00:00.000Z']) {
        const child = await store.createSession({ scope, title: 'child', parentId: parent.id, archivedAt })
        await store.createSession({ scope, title: 'grandchild', parentId: child.id })
      }
      const ids = [parent.id, childless.id]
      expect(await store.countChildren(scope, ids)).toEqual(new Map([[parent.id, 3]]))
      expect(await store.countChildren('other', ids)).toEqual(new Map())
      expect(await store.countChildren(scope, [])).toEqual(new Map())
      const { items } = await store.listSessions(scope, { isRoot: true, limit: 10 })
      expect(items.map(({ title }) => title)).toEqual(['childless', 'parent'])
    })

    test('of a family are listed as the one that changed last, among those that fit', async (store) => {
      const first = await store.createSession({ scope, title: 'first' })
      const second = await store.createSession({ scope, title: 'second', family: first.id })
      const third = await store.createSession({ scope, title: 'third', family: first.id })
      await store.createSession({ scope, title: 'alone' })
      const before = await store.getSession(scope, first.id)
      await store.joinFamily(scope, first.id, first.id)
      expect(await store.getSession(scope, first.id)).toEqual({ ...before, family: first.id })
      await store.ensureScope('other')
      await store.createSession({ scope: 'other', title: 'foreign', family: first.id })
      const titles = async (filter: object = {}) =>
        (await store.listSessions(scope, { limit: 10, newestOfFamily: true, ...filter })).items.map(
          ({ title }) => title,
        )
      expect(await titles()).toEqual(['alone', 'third'])
      expect(await titles({ newestOfFamily: false })).toEqual(['alone', 'third', 'second', 'first'])
      await store.appendMessages(scope, first.id, [say('a needle')])
      expect(await titles()).toEqual(['first', 'alone'])
      await store.appendMessages(scope, second.id, [say('hay')])
      await finishIndex(store)
      expect(await titles()).toEqual(['second', 'alone'])
      expect(await titles({ text: 'needle' })).toEqual(['first'])
      await store.updateSession(scope, second.id, { archivedAt: '2026-01-01T00:00:00.000Z' })
      expect(await titles()).toEqual(['first', 'alone'])
      expect(await titles({ archived: true })).toEqual(['second'])
      expect((await store.getSession(scope, second.id))!.family).toBe(first.id)
      const family = await store.listFamily(scope, first.id)
      expect(family.map(({ id }) => id)).toEqual([first.id, second.id, third.id])
      await store.deleteSession(scope, first.id)
      expect(await titles()).toEqual(['alone', 'third'])
      expect((await store.listFamily(scope, first.id)).map(({ id }) => id)).toEqual([second.id, third.id])
    })

    test('of many families come page by page, each once', async (store) => {
      const newest: string[] = []
      for (let family = 0; family < 7; family++)
        for (let member = 0; member < 3; member++) {
          const { id } = await store.createSession({ scope, family: `ses_${family}` })
          if (member === 2) newest.unshift(id)
        }
      const seen: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await store.listSessions(scope, { limit: 2, cursor, newestOfFamily: true })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(newest)
    })

    test('change only what a patch names; null takes a value away', async (store) => {
      const { id } = await store.createSession({
        scope,
        title: 'before',
        model: 'demo/a',
        allowedTools: ['file'],
      })
      const session = await store.updateSession(scope, id, { title: 'after', model: null })
      expect(session).toMatchObject({ title: 'after', allowedTools: ['file'] })
      expect(session).not.toHaveProperty('model')
      expect(await store.getSession(scope, id)).toEqual(session)
    })

    test('do not lose one of two patches at the same time', async (store) => {
      const { id } = await store.createSession({ scope })
      await Promise.all([
        store.updateSession(scope, id, { model: 'demo/a' }),
        store.updateSession(scope, id, { allowedTools: ['file'] }),
        store.appendMessages(scope, id, [say('x')]),
      ])
      expect(await store.getSession(scope, id)).toMatchObject({
        model: 'demo/a',
        allowedTools: ['file'],
        messageCount: 1,
      })
    })

    test('take everything along when deleted, their parts too, but not the audit', async (store) => {
      const { id } = await store.createSession({ scope, title: 'gone words' })
      const toolMeta = { source: 'room-seat' }
      const child = await store.createSession({ scope, parentId: id, kind: 'tool', toolMeta })
      await store.appendMessages(scope, id, [say('gone text')])
      await finishIndex(store)
      const run = await store.createRun({ scope, sessionId: id, kind: 'turn', input: {} })
      const claim = await store.claimRun(run.id, { owner: 'node', leaseMs: 1_000 })
      await store.appendRunEvents(claim!.lease, { firstSeq: 1, seq: 1, events: ['x'] })
      await store.deliver(id, { kind: 'task-result', dedupeKey: 'k', payload: {} })
      const actor = { type: 'user' as const, id: 'me' }
      await store.recordAudit(scope, {
        actor,
        action: 'create',
        resourceType: 'session',
        resourceId: id,
        sessionId: id,
      })
      await store.deleteSession(scope, id)
      expect(await store.getSession(scope, id)).toBeUndefined()
      expect(await store.getSession(scope, child.id)).toBeUndefined()
      expect(await store.getRun(scope, run.id)).toBeUndefined()
      expect(await store.listRunEvents(run.id, { limit: 10 })).toEqual([])
      expect(await store.listInbox(id)).toEqual([])
      expect((await store.listSessions(scope, { text: 'gone', limit: 10 })).items).toEqual([])
      expect((await store.listAudit(scope, { sessionId: id, limit: 10 })).items).toHaveLength(1)
    })

    test('leave the tasks that were started in them and in their parts, without a parent', async (store) => {
      const { id } = await store.createSession({ scope })
      const add = (parentId: string, more: Partial<NewSession>) =>
        store.createSession({ scope, parentId, ...more })
      const task = (parentId: string, source = 'task') =>
        add(parentId, {
          kind: 'background',
          bgMeta: { triggerType: 'tool_spawn', parentSessionId: parentId, source },
        })
      const run = (parentId: string) => add(parentId, { kind: 'tool', toolMeta: { source: 'workflow-run' } })
      const seat = await add(id, { kind: 'tool', toolMeta: { source: 'room-seat' } })
      const own = await task(id)
      const below = await task(own.id)
      const ofSeat = await task(seat.id)
      const started = await run(id)
      const step = await task(started.id, 'workflow')
      const inner = await run(started.id)
      const ofStep = await task(step.id)

      expect((await store.deleteSession(scope, id)).sort()).toEqual([own.id, ofSeat.id, started.id].sort())
      expect(await store.getSession(scope, seat.id)).toBeUndefined()
      for (const { id: leftId } of [own, ofSeat, started]) {
        const left = await store.requireSession(scope, leftId)
        expect(left).not.toHaveProperty('parentId')
        expect(left.bgMeta ?? {}).not.toHaveProperty('parentSessionId')
      }
      expect(await store.requireSession(scope, below.id)).toMatchObject({ parentId: own.id })

      expect(await store.deleteSession(scope, started.id)).toEqual([ofStep.id])
      for (const part of [step, inner]) expect(await store.getSession(scope, part.id)).toBeUndefined()
      expect(await store.deleteSession(scope, ofStep.id)).toEqual([])
    })

    test('refuse a cursor that no list has answered', async (store) => {
      for (const cursor of ['x', '', 'MTIz', "' or 1=1 --", Buffer.from('1:\n').toString('base64url')])
        await expect(store.listSessions(scope, { limit: 1, cursor })).rejects.toMatchObject({
          code: 'invalid_request',
        })
    })
  })

  describe(`${name}: search`, () => {
    const find = async (store: Store, text: string) => {
      await finishIndex(store)
      return (await store.listSessions(scope, { text, limit: 20 })).items.map(({ title }) => title)
    }

    test('finds words of titles and messages in English and Chinese, two-character words included', async (store) => {
      await store.createSession({ scope, title: '人工智能与机器学习' })
      const english = await store.createSession({ scope, title: 'Quarterly report' })
      await store.appendMessages(scope, english.id, [
        say('The Café was closed; 我们明天再讨论数据库 schema_v2'),
      ])
      expect(await find(store, '智能')).toEqual(['人工智能与机器学习'])
      expect(await find(store, '机器学习')).toEqual(['人工智能与机器学习'])
      expect(await find(store, '学')).toEqual(['人工智能与机器学习'])
      expect(await find(store, '器')).toEqual(['人工智能与机器学习'])
      expect(await find(store, '人机')).toEqual([])
      expect(await find(store, '数据')).toEqual(['Quarterly report'])
      expect(await find(store, '据库')).toEqual(['Quarterly report'])
      expect(await find(store, 'report')).toEqual(['Quarterly report'])
      expect(await find(store, 'REPO')).toEqual(['Quarterly report'])
      expect(await find(store, 'cafe closed')).toEqual(['Quarterly report'])
      expect(await find(store, 'closed 讨论')).toEqual(['Quarterly report'])
      expect(await find(store, 'report 智能')).toEqual([])
      expect(await find(store, 'eport')).toEqual([])
    })

    test('follows a rename, and sees messages the moment they are stored', async (store) => {
      const { id } = await store.createSession({ scope, title: 'alpha' })
      expect(await find(store, 'alpha')).toEqual(['alpha'])
      await store.updateSession(scope, id, { title: 'beta' })
      expect(await find(store, 'alpha')).toEqual([])
      expect(await find(store, 'beta')).toEqual(['beta'])
      await store.appendMessages(scope, id, [say('gamma')])
      expect(await find(store, 'gamma')).toEqual(['beta'])
    })

    test('takes a text of any length and any characters', async (store) => {
      const { id } = await store.createSession({ scope, title: 'long' })
      const filler = Array.from({ length: 30_000 }, (_, index) => `word${index}`).join(' ')
      await store.appendMessages(scope, id, [
        say(`${filler} needle 深处的针 ${'字'.repeat(20_000)} ${'x'.repeat(100_000)}`),
      ])
      expect(await find(store, 'needle')).toEqual(['long'])
      expect(await find(store, '深处的针')).toEqual(['long'])
      expect(await find(store, 'word29999')).toEqual(['long'])
    })

    test('finds messages of a whole scope, the newest first, each once', async (store) => {
      await store.ensureScope('other')
      const one = await store.createSession({ scope, title: 'needle in a title', family: 'ses_1' })
      const two = await store.createSession({ scope, title: 'two' })
      const foreign = await store.createSession({ scope: 'other' })
      const filler = Array.from({ length: 9_000 }, (_, index) => `word${index}`).join(' ')
      await store.appendMessages(scope, one.id, [say('first needle'), say('hay')])
      await store.appendMessages('other', foreign.id, [say('foreign needle')])
      const findIn = async (where: string, text: string, limit = 10) => {
        await finishIndex(store)
        const hits = await store.searchScope(where, { text, limit }, () => true)
        return hits.map(({ title, seq }) => [title, seq])
      }
      expect(await findIn(scope, 'needle')).toEqual([['needle in a title', 1]])
      // two documents, one message
      await store.appendMessages(scope, two.id, [say(`needle ${filler} needle`), say('needle, the second')])
      expect(await findIn(scope, 'needle')).toEqual([
        ['two', 2],
        ['two', 1],
        ['needle in a title', 1],
      ])
      expect(await findIn(scope, 'needle', 2)).toHaveLength(2)
      expect((await findIn(scope, 'needle', 1))[0]).toEqual(['two', 2])
      const variant = await store.createSession({ scope, title: 'variant', family: 'ses_1' })
      await store.copyMessages(one.id, variant.id, 2)
      expect(await findIn(scope, 'first needle')).toEqual([['variant', 1]])
      expect(await findIn('other', 'needle')).toHaveLength(1)
      expect(await findIn(scope, 'nothing')).toEqual([])
      await expect(findIn(scope, '!!')).rejects.toMatchObject({ code: 'invalid_request' })
    })

    test('treats operators and quotes of the query languages as text', async (store) => {
      await store.createSession({ scope, title: 'plain title' })
      for (const text of [
        '"plain',
        "pl'ain",
        'plain* OR title',
        'NOT plain',
        'title:plain',
        'plain & !title',
        'a\\b',
        'NEAR(plain title)',
      ])
        await expect(find(store, text)).resolves.toBeInstanceOf(Array)
      await expect(find(store, '"!*()')).rejects.toMatchObject({ code: 'invalid_request' })
    })
  })

  describe(`${name}: messages`, () => {
    test('are listed in the order they were appended, with a sequence without gaps', async (store) => {
      const { id } = await store.createSession({ scope })
      await store.appendMessages(scope, id, [say('one'), say('two')])
      await store.appendMessages(scope, id, [say('three')])
      const messages = await store.listMessages(scope, id, { limit: 10 })
      expect(textsOf(messages)).toEqual(['one', 'two', 'three'])
      expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3])
      expect((await store.requireSession(scope, id)).messageCount).toBe(3)
    })

    test('get a place each when many are appended at once', async (store) => {
      const { id } = await store.createSession({ scope })
      await Promise.all(
        Array.from({ length: 40 }, (_, index) => store.appendMessages(scope, id, [say(`m${index}`)])),
      )
      const messages = await store.listMessages(scope, id, { limit: 100 })
      expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
      expect(new Set(textsOf(messages)).size).toBe(40)
    })

    test('come back byte for byte, whatever the text', async (store) => {
      const { id } = await store.createSession({ scope })
      const parts = [
        { type: 'text', text: 'tab\t CR\r LF\n NUL\0 quote\' " backslash \\ 中文 🎉 \u2028 \ufeff \ud800' },
        {
          type: 'dynamic-tool',
          toolName: 'file',
          toolCallId: '1',
          state: 'output-available',
          input: { a: [1, null] },
          output: -0.5e-7,
        },
      ]
      const metadata = { constructor: 'x', nested: { toString: 1 } }
      const [stored] = await store.appendMessages(scope, id, [{ role: 'assistant', parts, metadata }])
      expect(await store.listMessages(scope, id, { limit: 1 })).toEqual([stored])
      expect(stored).toMatchObject({ parts, metadata })
    })

    test('are read as a tail, before a place, and after a place', async (store) => {
      const { id } = await store.createSession({ scope })
      await store.appendMessages(
        scope,
        id,
        Array.from({ length: 1_500 }, (_, index) => say(String(index + 1))),
      )
      const texts = async (range: object) =>
        textsOf(await store.listMessages(scope, id, { limit: 3, ...range }))
      expect(await texts({})).toEqual(['1498', '1499', '1500'])
      expect(await texts({ before: 100 })).toEqual(['97', '98', '99'])
      expect(await texts({ after: 100 })).toEqual(['101', '102', '103'])
      expect(await texts({ before: 100, after: 97 })).toEqual(['98', '99'])
      expect(await texts({ after: 1_500 })).toEqual([])
    })

    test('with an id the session has already are refused, all of the call', async (store) => {
      const { id } = await store.createSession({ scope })
      await store.appendMessages(scope, id, [{ ...say('one'), id: 'm1' }])
      const repeated = [say('two'), { ...say('again'), id: 'm1' }]
      await expect(store.appendMessages(scope, id, repeated)).rejects.toMatchObject({ code: 'conflict' })
      expect(textsOf(await store.listMessages(scope, id, { limit: 10 }))).toEqual(['one'])
      await store.appendMessages(scope, id, [say('two')])
      expect((await store.listMessages(scope, id, { limit: 10 })).map(({ seq }) => seq)).toEqual([1, 2])
    })

    test('are copied up to a place', async (store) => {
      const { id } = await store.createSession({ scope })
      const original = await store.appendMessages(scope, id, [say('one'), say('two'), say('three')])
      const copy = await store.createSession({ scope })
      await store.copyMessages(id, copy.id, 2)
      expect(await store.listMessages(scope, copy.id, { limit: 10 })).toEqual(original.slice(0, 2))
      await store.appendMessages(scope, copy.id, [say('other')])
      expect(textsOf(await store.listMessages(scope, copy.id, { limit: 10 }))).toEqual([
        'one',
        'two',
        'other',
      ])
      expect(textsOf(await store.listMessages(scope, id, { limit: 10 }))).toEqual(['one', 'two', 'three'])
    })
  })

  describe(`${name}: transactions`, () => {
    test('store all or nothing, and tell of changes only after the commit', async (store) => {
      const changes: StoreChange[] = []
      const unsubscribe = store.subscribe((change) => void changes.push(change))
      const failing = store.transaction(async (tx) => {
        const { id } = await tx.createSession({ scope })
        await tx.appendMessages(scope, id, [say('x')])
        throw new Error('changed my mind')
      })
      await expect(failing).rejects.toThrow('changed my mind')
      expect((await store.listSessions(scope, { limit: 10 })).items).toEqual([])
      expect(changes).toEqual([])
      const id = await store.transaction(async (tx) => {
        const session = await tx.createSession({ scope })
        await tx.transaction((inner) => inner.appendMessages(scope, session.id, [say('x')]))
        expect(changes).toEqual([])
        return session.id
      })
      expect(changes).toEqual([
        { type: 'session-changed', scope, sessionId: id },
        { type: 'messages-appended', scope, sessionId: id, lastSeq: 1 },
      ])
      unsubscribe()
      await store.deleteSession(scope, id)
      expect(changes).toHaveLength(2)
    })

    test('leave the store usable after they failed', async (store) => {
      await expect(store.transaction(() => Promise.reject(new Error('x')))).rejects.toThrow('x')
      await expect(store.createSession({ scope: 'no-such-scope' })).rejects.toThrow()
      await expect(store.createSession({ scope })).resolves.toHaveProperty('id')
    })
    test('one that fails because of another is told of it when that other can be seen', async (store) => {
      for (let round = 0; round < 20; round++) {
        const id = `ses_seen_${round}`
        const first = store.createSession({ id, scope })
        const second = store.transaction(async (tx) => {
          if (await tx.getSession(scope, id)) throw new Error('there already')
        })
        const wasThere = await second.then(
          () => false,
          () => true,
        )
        // a caller that tries again at once would otherwise never let the other one come to its end
        const seen = wasThere && (await store.getSession(scope, id))
        const stored = await first
        expect(wasThere ? seen : stored).toMatchObject({ id })
      }
    })
  })

  describe(`${name}: runs`, () => {
    const newRun = async (store: Store) => {
      const { id: sessionId } = await store.createSession({ scope })
      return store.createRun({
        scope,
        sessionId,
        kind: 'turn',
        input: { text: 'hi' },
        timeoutMs: 60_000,
        budget: { tokens: 5 },
      })
    }

    test('are counted while they are not over, and told of once when they are', async (store) => {
      const ended: unknown[] = []
      const stop = store.subscribe((change) => {
        if (change.type === 'run-ended') ended.push([change.runId, change.kind, change.status, change.code])
      })
      expect((await store.readLoad()).runs).toEqual([])
      const [one, two, three] = [await newRun(store), await newRun(store), await newRun(store)]
      const { lease } = (await store.claimRun(one.id, { owner: 'a', leaseMs: 60_000 }))!
      const waits = (await store.claimRun(two.id, { owner: 'a', leaseMs: 60_000 }))!
      await store.parkRun(waits.lease, {})
      const load = await store.readLoad()
      const oldestMs = expect.any(Number)
      expect(load.runs).toHaveLength(3)
      for (const status of ['queued', 'running', 'waiting'])
        expect(load.runs).toContainEqual({ kind: 'turn', status, count: 1, oldestMs })
      expect(load.approvals).toBe(0)
      expect(load.schemaVersion).toBeGreaterThan(0)
      const fails = store.transaction(async (tx) => {
        await tx.finishRun(lease, { status: 'completed' })
        throw new Error('undone')
      })
      await expect(fails).rejects.toThrow('undone')
      expect(ended).toEqual([])
      await store.finishRun(lease, { status: 'failed', outcome: { code: 'step_limit' } })
      await store.requestStop(scope, three.id, 'enough')
      expect(ended).toEqual([
        [one.id, 'turn', 'failed', 'step_limit'],
        [three.id, 'turn', 'cancelled', 'stopped'],
      ])
      expect((await store.readLoad()).runs.map(({ status }) => status)).toEqual(['waiting'])
      stop()
    })

    test('are claimed by one owner only', async (store) => {
      const run = await newRun(store)
      expect(run).toMatchObject({
        status: 'queued',
        attempt: 0,
        input: { text: 'hi' },
        budget: { tokens: 5 },
        timeoutMs: 60_000,
      })
      const claims = await Promise.all(
        ['a', 'b', 'c', 'd'].map((owner) => store.claimRun(run.id, { owner, leaseMs: 60_000 })),
      )
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(await store.getRun(scope, run.id)).toMatchObject({ status: 'running', attempt: 1 })
      expect(await store.listClaimableRuns({ limit: 10 })).toEqual([])
    })

    test('that share a budget cannot cross it together, and a call that is over holds nothing', async (store) => {
      const owner = await newRun(store)
      const others = await Promise.all(Array.from({ length: 6 }, () => newRun(store)))
      await store.openBudget(owner, undefined, { tokens: 100 })
      const hold = (runId: string, tokens = 30) => store.holdBudget(owner.id, runId, { tokens, cost: 0 })
      const refusals = await Promise.all(others.map(({ id }) => hold(id)))
      const held = others.filter((_, index) => refusals[index] === undefined)
      expect(held).toHaveLength(3)
      expect(refusals.find(Boolean)).toBe('The next call would bring the tokens to about 120 of 100.')
      // the next call of a run that holds something already counts once
      expect(await hold(held[0]!.id, 40)).toBe(undefined)
      expect(await hold(held[0]!.id, 41)).toContain('101 of 100')
      await store.spendBudget(owner.id, held[0]!.id, { tokens: 10, cost: 0 })
      await store.closeBudget(held[1]!.id)
      expect(await store.getBudget(owner.id)).toMatchObject({ used: { tokens: 10 } })
      expect(await hold(held[0]!.id, 60)).toBe(undefined)
      expect(await hold(held[1]!.id, 1)).toContain('101 of 100')
    })

    test('are claimable for a few sessions alone, those of their tasks included', async (store) => {
      const [mine, other] = [await newRun(store), await newRun(store)]
      const { id: sessionId } = await store.createSession({ scope, kind: 'background' })
      const task = await store.createRun({
        scope,
        sessionId,
        kind: 'background',
        input: {},
        taskOf: mine.sessionId,
      })
      const slots = { maxGlobal: 5, maxPerParent: 5 }
      const list = async (sessions?: string[]) =>
        (await store.listClaimableRuns({ limit: 10, slots, sessions })).map(({ id }) => id).sort()
      expect(await list()).toEqual([mine.id, other.id, task.id].sort())
      expect(await list([mine.sessionId])).toEqual([mine.id, task.id].sort())
      expect(await list([])).toEqual([])
    })

    test('can be given back, which does not count as an attempt', async (store) => {
      const run = await newRun(store)
      const first = await store.claimRun(run.id, { owner: 'first', leaseMs: 60_000 })
      await store.releaseRuns([first!.lease])
      const second = await store.claimRun(run.id, { owner: 'second', leaseMs: 60_000 })
      expect(second).toMatchObject({ run: { attempt: 1 }, lease: { fence: 2 } })
      // the first one has nothing left to give back
      await store.releaseRuns([first!.lease])
      expect(await store.listClaimableRuns({ limit: 10 })).toEqual([])
      expect(await store.getRun(scope, run.id)).toMatchObject({ status: 'running', attempt: 1 })
    })

    it('are free when the process that has one is gone, and stay with one that may be alive', async () => {
      await using database = await openDatabase()
      await using store = await database.open()
      await store.ensureScope(scope)
      const other = await database.open()
      const owners = {
        gone: await other.holdOwner('gone'),
        alive: await store.holdOwner('alive'),
        unknown: 'of an older version',
      }
      const runs: Record<string, string> = {}
      for (const [who, owner] of Object.entries(owners)) {
        const { id: sessionId } = await store.createSession({ scope })
        const { run } = await store.startRun(
          { scope, sessionId, kind: 'turn', input: {} },
          { owner, leaseMs: 3_600_000 },
        )
        runs[who] = run.id
      }
      const claimable = async () => (await store.listClaimableRuns({ limit: 10 })).map(({ id }) => id)
      const left = async () => {
        const isLeft = await Promise.all(Object.values(runs).map((id) => store.isRunLeft(id)))
        return Object.keys(runs).filter((_, index) => isLeft[index])
      }
      expect(await store.lapseLeasesOfGone('me')).toBe(false)
      expect(await claimable()).toEqual([])
      expect(await left()).toEqual([])
      await other.close()
      // known at once to whoever asks of one run, and still its owner's until the lease lapses
      await expect.poll(left).toEqual(['gone'])
      expect(await claimable()).toEqual([])
      // the database may notice a moment later
      await expect.poll(() => store.lapseLeasesOfGone('me')).toBe(true)
      expect(await claimable()).toEqual([runs.gone])
      expect(await left()).toEqual(['gone'])
      const taken = await store.claimRun(runs.gone!, { owner: owners.alive, leaseMs: 3_600_000 })
      expect(taken).toMatchObject({ run: { attempt: 2 }, lease: { fence: 2 } })
      expect(await store.lapseLeasesOfGone('me')).toBe(false)
      expect(await left()).toEqual([])
      await store.parkRun(taken!.lease, { wakeAt: 0 })
      expect(await left(), 'one that waits was not left').toEqual([])
    })

    test('pass to another owner when the lease lapsed, and the first one writes no more', async (store) => {
      const run = await newRun(store)
      const first = await store.claimRun(run.id, { owner: 'first', leaseMs: -1 })
      expect((await store.listClaimableRuns({ limit: 10 })).map(({ id }) => id)).toEqual([run.id])
      const second = await store.claimRun(run.id, { owner: 'second', leaseMs: 60_000 })
      expect(second!.lease.fence).toBeGreaterThan(first!.lease.fence)
      expect(await store.renewLeases([first!.lease], 60_000)).toEqual([])
      await expect(
        store.appendRunEvents(first!.lease, { firstSeq: 1, seq: 1, events: [1] }),
      ).rejects.toMatchObject({
        code: 'conflict',
      })
      await expect(store.finishRun(first!.lease, { status: 'completed' })).rejects.toMatchObject({
        code: 'conflict',
      })
      await expect(store.replaceRunInput(first!.lease, { late: true })).rejects.toMatchObject({
        code: 'conflict',
      })
      await store.replaceRunInput(second!.lease, { text: 'replaced' })
      expect(await store.getRun(scope, run.id)).toMatchObject({ input: { text: 'replaced' } })
      expect(await store.renewLeases([first!.lease, second!.lease], 60_000)).toEqual([
        { runId: run.id, stopReason: undefined },
      ])
      await store.finishRun(second!.lease, {
        status: 'completed',
        outcome: { ok: true },
        usage: { inputTokens: 1 },
      })
      expect(await store.getRun(scope, run.id)).toMatchObject({
        status: 'completed',
        attempt: 2,
        outcome: { ok: true },
        usage: { inputTokens: 1 },
      })
      await expect(store.finishRun(second!.lease, { status: 'failed' })).rejects.toMatchObject({
        code: 'conflict',
      })
      expect(await store.claimRun(run.id, { owner: 'third', leaseMs: 60_000 })).toBeUndefined()
    })

    test('that wait are due when they were woken, whoever still thinks to hold them', async (store) => {
      const run = await newRun(store)
      const { lease } = (await store.claimRun(run.id, { owner: 'first', leaseMs: 60_000 }))!
      await store.parkRun(lease, {})
      await store.releaseRuns([lease])
      expect(await store.listClaimableRuns({ limit: 10 })).toEqual([])
      await store.wakeRun(run.id)
      expect(await store.renewLeases([lease], 60_000)).toEqual([])
      expect((await store.listClaimableRuns({ limit: 10 })).map(({ id }) => id)).toEqual([run.id])
    })

    test('that are queued begin after the change that they were woken for', async (store) => {
      const run = await newRun(store)
      const order: string[] = []
      let claiming: Promise<unknown> | undefined
      await store.transaction(async (tx) => {
        expect(await tx.wakeRun(run.id)).toBe(true)
        claiming = store
          .claimRun(run.id, { owner: 'first', leaseMs: 60_000 })
          .then((claimed) => order.push(claimed ? 'claimed' : 'refused'))
        // long enough for a claim that does not wait
        for (let count = 0; count < 50; count++) await tx.getRun(scope, run.id)
        order.push('changed')
      })
      await claiming
      expect(order).toEqual(['changed', 'claimed'])
    })

    test('keep their events in batches, in order, and answer those after a place', async (store) => {
      const run = await newRun(store)
      const { lease } = (await store.claimRun(run.id, { owner: 'a', leaseMs: 60_000 }))!
      const batches = [
        { firstSeq: 1, seq: 3, events: [{ n: 1 }, null, 'x'] },
        { firstSeq: 4, seq: 4, events: [[]] },
        { firstSeq: 1_000_005, seq: 1_000_006, events: ['after', 'a gap'] },
      ]
      for (const batch of batches) await store.appendRunEvents(lease, batch)
      expect(await store.listRunEvents(run.id, { limit: 10 })).toEqual(batches)
      expect(await store.listRunEvents(run.id, { after: 2, limit: 1 })).toEqual(batches.slice(0, 1))
      expect(await store.listRunEvents(run.id, { after: 4, limit: 10 })).toEqual(batches.slice(2))
      await store.dropRunEventsAfter(lease, 4)
      expect(await store.listRunEvents(run.id, { limit: 10 })).toEqual(batches.slice(0, 2))
    })

    test('give each owner numbers for events that no earlier one has used', async (store) => {
      const run = await newRun(store)
      const lastOf = (claimed: { run: Run } | undefined) => claimed?.run.lastEventSeq
      expect(lastOf(await store.claimRun(run.id, { owner: 'a', leaseMs: -1 }))).toBe(0)
      const second = (await store.claimRun(run.id, { owner: 'b', leaseMs: -1 }))!
      expect(lastOf(second)).toBe(1_000_000_000)
      const seq = second.run.lastEventSeq + 1
      await store.appendRunEvents(second.lease, { firstSeq: seq, seq, events: ['x'] })
      expect(lastOf(await store.claimRun(run.id, { owner: 'c', leaseMs: -1 }))).toBe(2_000_000_000)
    })

    test('keep their steps, which only the holder of the lease may write', async (store) => {
      const run = await newRun(store)
      const first = (await store.claimRun(run.id, { owner: 'a', leaseMs: -1 }))!
      const step = { step: 1, parts: [{ type: 'text', text: 'a' }], prompt: { system: 'x' }, lastEventSeq: 3 }
      await store.putRunStep(first.lease, step)
      const second = (await store.claimRun(run.id, { owner: 'b', leaseMs: 60_000 }))!
      await expect(store.putRunStep(first.lease, step)).rejects.toMatchObject({ code: 'conflict' })
      await store.putRunStep(second.lease, { ...step, lastEventSeq: 9 })
      await store.putRunStep(second.lease, { ...step, step: 2 })
      expect(await store.listOpenSteps(second.lease)).toEqual([
        { ...step, lastEventSeq: 9 },
        { ...step, step: 2 },
      ])
      const { lastEventSeq: _, ...whole } = step
      expect(await store.listRunSteps(run.id)).toEqual([whole, { ...whole, step: 2 }])
    })

    test('have a course in place of their steps and events when they end with a reply', async (store) => {
      const run = await newRun(store)
      const { lease } = (await store.claimRun(run.id, { owner: 'a', leaseMs: 60_000 }))!
      const other = { ...lease, fence: 7 }
      const events = [
        { seq: 1, chunk: { type: 'text-delta' as const, id: 't', delta: 'a' } },
        { seq: 2, chunk: { type: 'finish-step' as const } },
      ]
      await store.appendRunEvents(lease, pack(events.slice(0, 1)))
      await store.appendRunEvents(lease, pack(events.slice(1)))
      await store.putRunStep(lease, { step: 1, parts: [], prompt: {}, lastEventSeq: 2 })
      expect(await store.takeRunEvents(other)).toEqual([])
      await store.dropRunSteps(other)
      expect(await store.listRunSteps(run.id)).toHaveLength(1)
      const parts = [{ type: 'text', text: 'a' }]
      const course = { steps: [{ parts, prompt: { model: 'm' } }], parts }
      await store.transaction(async (tx) => {
        await tx.dropRunSteps(lease)
        const all = await tx.takeRunEvents(lease)
        expect(all).toEqual(events)
        const outcome = { parts }
        await tx.finishRun(lease, { status: 'completed', outcome, course: { ...course, events: all } })
      })
      expect(await store.listRunSteps(run.id)).toEqual([{ step: 1, parts, prompt: { model: 'm' } }])
      const [batch] = await store.listRunEvents(run.id, { limit: 10 })
      expect(unpack(batch!)).toEqual(events)
      expect(await store.listRunEvents(run.id, { after: 2, limit: 10 })).toEqual([])
    })

    test('run one at a time in a session, what interrupts before what waits', async (store) => {
      const { id: sessionId } = await store.createSession({ scope })
      const claim = { owner: 'a', leaseMs: 60_000 }
      const running = await store.startRun({ scope, sessionId, kind: 'turn', input: 1 }, claim)
      const waiting = await store.createRun({ scope, sessionId, kind: 'turn', input: 2 })
      const urgent = await store.createRun({ scope, sessionId, kind: 'turn', input: 3, priority: 1 })
      await expect(store.startRun({ scope, sessionId, kind: 'turn', input: 4 }, claim)).rejects.toThrow()
      expect((await store.listOpenRuns(sessionId)).map(({ input }) => input)).toEqual([1, 3, 2])
      expect(await store.listClaimableRuns({ limit: 10 })).toEqual([])
      expect(await store.claimRun(waiting.id, claim)).toBeUndefined()
      await store.finishRun(running.lease, { status: 'completed' })
      expect((await store.listClaimableRuns({ limit: 10 })).map(({ id }) => id)).toEqual([urgent.id])
      const claims = await Promise.all([store.claimRun(urgent.id, claim), store.claimRun(waiting.id, claim)])
      expect(claims.filter(Boolean)).toHaveLength(1)
    })

    test('stop when asked: at once when queued, by a word to the owner when running', async (store) => {
      const run = await newRun(store)
      expect(await store.editQueuedRun(scope, run.id, { text: 'edited' })).toBe(true)
      const { lease } = (await store.claimRun(run.id, { owner: 'a', leaseMs: 60_000 }))!
      expect(await store.editQueuedRun(scope, run.id, {})).toBe(false)
      expect(await store.requestStop(scope, run.id, 'user')).toMatchObject({
        status: 'running',
        input: { text: 'edited' },
      })
      expect(await store.renewLeases([lease], 60_000)).toEqual([{ runId: run.id, stopReason: 'user' }])
      const queued = await store.createRun({ scope, sessionId: run.sessionId, kind: 'turn', input: {} })
      expect(await store.requestStop(scope, queued.id, 'user')).toMatchObject({ status: 'cancelled' })
      expect(await store.requestStop('other', run.id, 'user')).toBeUndefined()
    })

    test('an epoch keeps the bytes of whoever began it first', async (store) => {
      const { id } = await store.createSession({ scope })
      expect(await store.getEpoch(id)).toBeUndefined()
      const epoch = {
        epoch: 1,
        system: 'static \r\n 中文',
        fragments: [{ name: 'a' }],
        sources: { rules: 'h' },
        sent: {},
        windowStart: 1,
      }
      expect(await store.beginEpoch(id, epoch)).toEqual(epoch)
      expect(await store.beginEpoch(id, { ...epoch, system: 'other' })).toEqual(epoch)
      await store.setEpochSent(id, 1, { locks: 'x' })
      expect(await store.getEpoch(id)).toEqual({ ...epoch, sent: { locks: 'x' } })
      expect(await store.beginEpoch(id, { ...epoch, epoch: 2 })).toMatchObject({ epoch: 2, sent: {} })
      expect(await store.getEpoch(id, 1)).toEqual({ ...epoch, sent: { locks: 'x' } })
      expect(await store.getEpoch(id, 3)).toBeUndefined()
    })

    test('wait in the order they are given, and are claimed in it', async (store) => {
      const { id: sessionId } = await store.createSession({ scope })
      const add = async (more: object = {}) =>
        (await store.createRun({ scope, sessionId, kind: 'turn', input: {}, ...more })).id
      const [a, b, c] = [await add(), await add(), await add()]
      const order = async () => (await store.listOpenRuns(sessionId)).map(({ id }) => id)
      expect(await store.orderQueuedRuns(sessionId, [c, a, b])).toBe(true)
      expect(await order()).toEqual([c, a, b])
      const later = await add()
      expect(await order()).toEqual([c, a, b, later])
      // those that are not named come after
      expect(await store.orderQueuedRuns(sessionId, [b, a])).toBe(true)
      expect(await order()).toEqual([b, a, c, later])
      const [next] = await store.listClaimableRuns({ limit: 10 })
      expect(next!.id).toBe(b)
      await store.claimRun(b, { owner: 'node', leaseMs: 60_000 })
      expect(await store.orderQueuedRuns(sessionId, [a, b, c, later])).toBe(false)
      expect(await order()).toEqual([b, a, c, later])
    })

    test('hand an input that waits to the one that goes on, or leave it where it is', async (store) => {
      const { id: sessionId } = await store.createSession({ scope })
      const first = { scope, sessionId, kind: 'turn', input: { text: 'first' } }
      const { run, lease } = await store.startRun(first, { owner: 'node', leaseMs: 60_000 })
      const queued = await store.createRun({ ...first, input: { text: 'steered' } })
      const rest = await store.createRun({ ...first, input: { text: 'rest' } })
      const both = await Promise.all([1, 2].map(() => store.steerQueuedRun(run, queued.id)))
      expect(both.toSorted()).toEqual([false, true])
      expect((await store.listInbox(sessionId)).map(({ kind, payload }) => [kind, payload])).toEqual([
        ['steer', { text: 'steered' }],
      ])
      expect(await store.getRun(scope, queued.id)).toMatchObject({
        status: 'cancelled',
        outcome: { code: 'steered', runId: run.id },
      })
      const elsewhere = await newRun(store)
      expect(await store.steerQueuedRun(run, elsewhere.id)).toBe(false)
      await store.finishRun(lease, { status: 'completed' })
      expect(await store.steerQueuedRun(run, rest.id)).toBe(false)
      expect(await store.getRun(scope, rest.id)).toMatchObject({ status: 'queued' })
      expect(await store.listInbox(sessionId)).toHaveLength(1)
    })

    test('tell of a step that is new and of one that is stored again, by another owner too', async (store) => {
      const run = await newRun(store)
      const step = { step: 1, parts: [], prompt: {}, lastEventSeq: 0 }
      const first = (await store.claimRun(run.id, { owner: 'one', leaseMs: 60_000 }))!
      expect(await store.putRunStep(first.lease, step)).toBe(true)
      expect(await store.putRunStep(first.lease, step)).toBe(false)
      await store.releaseRuns([first.lease])
      const second = (await store.claimRun(run.id, { owner: 'two', leaseMs: 60_000 }))!
      expect(await store.putRunStep(second.lease, step)).toBe(false)
      expect(await store.putRunStep(second.lease, { ...step, step: 2 })).toBe(true)
    })

    test('keep a list of tools as it was stored first', async (store) => {
      const list = { toolsHash: 'h', tools: ['file', 'search'], listedTools: ['plan'] }
      expect(await store.getToolList('list')).toBeUndefined()
      await store.addToolList('list', list)
      await store.addToolList('list', { ...list, tools: [] })
      expect(await store.getToolList('list')).toEqual(list)
    })

    test('the window remembers what was sent along', async (store) => {
      const { id } = await store.createSession({ scope })
      await store.appendMessages(scope, id, [
        say('one'),
        { ...say('two'), context: '<c>2</c>' },
        say('three'),
      ])
      await store.setMessageContext(id, 3, '<c>3</c>')
      const read = async (range?: { after?: number; limit?: number }) =>
        (await store.readWindow(id, range))?.messages ?? []
      expect((await read()).map(({ seq, context }) => [seq, context])).toEqual([
        [1, undefined],
        [2, '<c>2</c>'],
        [3, '<c>3</c>'],
      ])
      expect(textsOf(await read({ after: 2 }))).toEqual(['three'])
      expect(await read({ after: 3 })).toEqual([])
      expect((await store.readLog(id, 1, 2)).map(({ seq, context }) => [seq, context])).toEqual([
        [1, undefined],
        [2, '<c>2</c>'],
      ])
      expect(textsOf(await read({ limit: 2 }))).toEqual(['two', 'three'])
      const state = (await store.getWindowState(id))!
      expect(await store.moveWindow(id, state, 2)).toBe(true)
      expect(textsOf(await read())).toEqual(['two', 'three'])
      expect((await store.readWindow(id))?.state).toEqual({ ...state, startSeq: 2, resizedSeq: 3 })
      expect(await store.listMessages(scope, id, { limit: 10 })).toHaveLength(3)
      expect((await store.listMessages(scope, id, { limit: 1 }))[0]).not.toHaveProperty('context')
    })

    test('are listed newest first by session, status and parent, within their scope', async (store) => {
      const parent = await newRun(store)
      const child = await store.createRun({
        scope,
        sessionId: parent.sessionId,
        kind: 'background',
        parentId: parent.id,
        depth: 1,
        input: {},
      })
      await newRun(store)
      const idsOf = async (filter: object) =>
        (await store.listRuns(scope, { limit: 10, ...filter })).items.map(({ id }) => id)
      expect(await idsOf({ sessionId: parent.sessionId })).toEqual([child.id, parent.id])
      expect(await idsOf({ parentId: parent.id })).toEqual([child.id])
      expect(await idsOf({ status: 'queued' })).toHaveLength(3)
      expect((await store.listRuns('other', { limit: 10 })).items).toEqual([])
      expect(await store.getRun('other', child.id)).toBeUndefined()
    })
  })

  describe(`${name}: crons`, () => {
    const newCron = (store: Store, more: object = {}) =>
      store.createCron({
        scope,
        name: 'nightly',
        schedule: '30 2 * * *',
        timeZone: 'Europe/Berlin',
        prompt: 'Look around',
        task: { label: 'look', context: { deep: [1, null, '中文'] } },
        missed: 'once',
        maxMissed: 10,
        overlap: 'skip',
        maxFailures: 5,
        nextFireAt: 1_000,
        ...more,
      })

    test('come back as they were stored, change by patches, and are apart by scope', async (store) => {
      const cron = await newCron(store)
      expect(cron).toMatchObject({ status: 'active', failures: 0, nextFireAt: 1_000 })
      expect(cron.id).toMatch(/^cron_/)
      expect(await store.getCron(scope, cron.id)).toEqual(cron)
      expect(await store.lockCron(scope, cron.id)).toEqual(cron)
      const patch = { status: 'paused', reason: 'why', nextFireAt: null, task: {} } as const
      const paused = await store.updateCron(scope, cron.id, patch)
      expect(paused).toMatchObject({ status: 'paused', reason: 'why', task: {}, name: 'nightly' })
      expect(paused.nextFireAt).toBeUndefined()
      expect(await store.requireCron(scope, cron.id)).toEqual(paused)
      expect(await store.getCron('other', cron.id)).toBeUndefined()
      expect(await store.lockCron('other', cron.id)).toBeUndefined()
      for (const refused of [
        () => store.requireCron('other', cron.id),
        () => store.updateCron('other', cron.id, { name: 'x' }),
        () => store.deleteCron('other', cron.id),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'not_found' })
      await expect(newCron(store, { scope: 'no-such-scope' })).rejects.toThrow()
    })

    test('are listed newest first, by status and by who made them', async (store) => {
      const crons = []
      for (let index = 0; index < 5; index++)
        crons.push(await newCron(store, { name: `${index}`, createdIn: index === 2 ? 'ses_1' : undefined }))
      await store.updateCron(scope, crons[1]!.id, { status: 'paused' })
      const namesOf = async (filter: object) =>
        (await store.listCrons(scope, { limit: 10, ...filter })).items.map((cron) => cron.name)
      expect(await namesOf({})).toEqual(['4', '3', '2', '1', '0'])
      expect(await namesOf({ status: 'paused' })).toEqual(['1'])
      expect(await namesOf({ createdIn: 'ses_1' })).toEqual(['2'])
      const page = await store.listCrons(scope, { limit: 3 })
      expect(page.items).toHaveLength(3)
      expect(await namesOf({ cursor: page.nextCursor })).toEqual(['1', '0'])
      expect((await store.listCrons('other', { limit: 10 })).items).toEqual([])
    })

    test('are due when their time has come, and moved on by one node only', async (store) => {
      const cron = await newCron(store)
      await newCron(store, { name: 'later', nextFireAt: 5_000 })
      await store.updateCron(scope, (await newCron(store, { name: 'paused' })).id, { status: 'paused' })
      expect(await store.listDueCrons(999, 10)).toEqual([])
      expect((await store.listDueCrons(1_000, 10)).map(({ id }) => id)).toEqual([cron.id])
      expect((await store.listDueCrons(9_000, 10)).map(({ nextFireAt }) => nextFireAt)).toEqual([
        1_000, 5_000,
      ])
      const moves = await Promise.all(
        Array.from({ length: 6 }, () =>
          store.transaction((tx) => tx.advanceCron(cron, { nextFireAt: 2_000, lastFireAt: 1_000 })),
        ),
      )
      expect(moves.filter(Boolean)).toHaveLength(1)
      expect(await store.getCron(scope, cron.id)).toMatchObject({ nextFireAt: 2_000, lastFireAt: 1_000 })
      const stale = (await store.getCron(scope, cron.id))!
      await store.updateCron(scope, cron.id, { prompt: 'other' })
      expect(await store.advanceCron(stale, { nextFireAt: 3_000 })).toBe(false)
    })

    test('write each time down once, whoever asks at the same moment', async (store) => {
      const { id } = await newCron(store)
      const fire = { fireAt: 1_000, cause: 'schedule', outcome: 'started' } as const
      const added = await Promise.all(Array.from({ length: 6 }, () => store.addFires(id, [fire])))
      expect(added.filter(({ length }) => length === 1)).toHaveLength(1)
      const more = { ...fire, outcome: 'skipped', reason: 'busy', times: 7 } as const
      expect(await store.addFires(id, [{ ...more, fireAt: 500 }, fire])).toEqual([500])
      expect(await store.addFires(id, [])).toEqual([])
      expect((await store.listFires(id, { limit: 10 })).items).toMatchObject([
        { fireAt: 1_000, outcome: 'started', times: 1 },
        { fireAt: 500, outcome: 'skipped', reason: 'busy', times: 7 },
      ])
      expect((await store.listFires(id, { limit: 10 })).items[0]).not.toHaveProperty('reason', null)
    })

    test('page through their fires, and find those that are open, wait, or belong to a session', async (store) => {
      const { id } = await newCron(store)
      for (let fireAt = 1; fireAt <= 5; fireAt++)
        await store.addFires(id, [{ fireAt, cause: 'schedule', outcome: fireAt > 3 ? 'queued' : 'started' }])
      const page = await store.listFires(id, { limit: 2 })
      expect(page.items.map(({ fireAt }) => fireAt)).toEqual([5, 4])
      const rest = await store.listFires(id, { limit: 9, cursor: page.nextCursor! })
      expect(rest.items.map(({ fireAt }) => fireAt)).toEqual([3, 2, 1])
      await expect(store.listFires(id, { limit: 9, cursor: 'x' })).rejects.toMatchObject({
        code: 'invalid_request',
      })
      expect(await store.updateFire(id, 1, 'started', { sessionId: 'ses_1' })).toBe(true)
      expect(await store.getFireOfSession('ses_1')).toMatchObject({ fireAt: 1, outcome: 'started' })
      const end = { outcome: 'failed', reason: 'no', endedAt: 9 } as const
      expect(await store.updateFire(id, 1, 'started', end)).toBe(true)
      expect(await store.updateFire(id, 1, 'started', { outcome: 'completed' })).toBe(false)
      expect(await store.getFireOfSession('ses_1')).toMatchObject(end)
      expect((await store.listOpenFires(id)).map(({ fireAt }) => fireAt)).toEqual([2, 3, 4, 5])
      expect(await store.listWaitingCrons(10)).toEqual([{ scope, id }])
      await store.skipQueuedFires(id, 'paused')
      expect(await store.listWaitingCrons(10)).toEqual([])
      expect((await store.listOpenFires(id)).map(({ fireAt }) => fireAt)).toEqual([2, 3])
      const written = { cause: 'missed', outcome: 'skipped' } as const
      await store.addFires(id, [
        { ...written, fireAt: 8 },
        { ...written, fireAt: 9 },
      ])
      expect(await store.listCronsWrittenAfter(0, 10)).toEqual([{ scope, id }])
      expect(await store.listCronsWrittenAfter(Date.UTC(2030, 0, 1), 10)).toEqual([])
      await store.deleteMissedAfter(id, 8)
      expect((await store.listFires(id, { limit: 1 })).items).toMatchObject([{ fireAt: 8 }])
      await store.deleteFiresBefore(Date.UTC(2030, 0, 1))
      expect((await store.listFires(id, { limit: 9 })).items.map(({ fireAt }) => fireAt)).toEqual([3, 2])
      await store.deleteCron(scope, id)
      expect((await store.listFires(id, { limit: 9 })).items).toEqual([])
    })
  })

  describe(`${name}: event hooks`, () => {
    const newHook = (store: Store, more: object = {}) =>
      store.createEventHook({
        scope,
        name: 'on failure',
        event: 'bg:session.*',
        filter: { status: 'failed', count: 1, flag: true, none: null },
        prompt: 'Say why',
        task: { timeoutMs: 5_000 },
        maxPerHour: 60,
        seenSeq: 0,
        ...more,
      })

    test('come back as they were stored, change by patches, and are apart by scope', async (store) => {
      const hook = await newHook(store)
      expect(hook).toMatchObject({ status: 'active', starts: 0, skipped: 0 })
      expect(hook.id).toMatch(/^hook_/)
      expect(await store.requireEventHook(scope, hook.id)).toEqual(hook)
      expect(await store.lockEventHook(scope, hook.id)).toEqual(hook)
      const patched = await store.updateEventHook(scope, hook.id, { reason: 'x', filter: {}, starts: 3 })
      expect(patched).toMatchObject({ reason: 'x', filter: {}, starts: 3, event: 'bg:session.*' })
      const cleared = await store.updateEventHook(scope, hook.id, { reason: null })
      expect(cleared.reason).toBeUndefined()
      const other = await newHook(store, { name: 'second' })
      const { items } = await store.listEventHooks(scope, { limit: 10 })
      expect(items.map(({ id }) => id)).toEqual([other.id, hook.id])
      expect((await store.listEventHooks('other', { limit: 10 })).items).toEqual([])
      for (const refused of [
        () => store.requireEventHook('other', hook.id),
        () => store.lockEventHook('other', hook.id),
        () => store.updateEventHook('other', hook.id, { name: 'x' }),
        () => store.deleteEventHook('other', hook.id),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'not_found' })
      await store.deleteEventHook(scope, hook.id)
      expect((await store.listEventHooks(scope, { limit: 10 })).items).toHaveLength(1)
    })

    test('are behind until they have seen the newest event, and moved on by one node only', async (store) => {
      const hook = await newHook(store)
      const paused = await newHook(store)
      await store.updateEventHook(scope, paused.id, { status: 'paused' })
      expect(await store.listEventHooksBehind(10)).toEqual([])
      await store.recordEvent(scope, { type: 'bg:session.failed' })
      const { last: seenSeq } = await store.getEventRange(scope)
      expect((await store.listEventHooksBehind(10)).map(({ id }) => id)).toEqual([hook.id])
      const moves = await Promise.all(
        Array.from({ length: 6 }, () => store.transaction((tx) => tx.advanceEventHook(hook, { seenSeq }))),
      )
      expect(moves.filter(Boolean)).toHaveLength(1)
      expect(await store.listEventHooksBehind(10)).toEqual([])
      const stale = await store.requireEventHook(scope, hook.id)
      await store.updateEventHook(scope, hook.id, { prompt: 'other' })
      expect(await store.advanceEventHook(stale, { seenSeq: 9 })).toBe(false)
    })
  })

  describe(`${name}: webhooks`, () => {
    const newWebhook = (store: Store, more: object = {}) =>
      store.createWebhook({
        scope,
        name: 'chat channel',
        url: 'https://example.com/hooks',
        event: 'bg:session.*',
        filter: { status: 'failed' },
        secret: 'whsec_c2VjcmV0',
        seenSeq: 0,
        ...more,
      })

    test('come back as they were stored, change by patches, and are apart by scope', async (store) => {
      const webhook = await newWebhook(store)
      expect(webhook).toMatchObject({ status: 'active', failures: 0, filter: { status: 'failed' } })
      expect(webhook.id).toMatch(/^whk_/)
      expect(await store.requireWebhook(scope, webhook.id)).toEqual(webhook)
      expect(await store.lockWebhook(scope, webhook.id)).toEqual(webhook)
      const patched = await store.updateWebhook(scope, webhook.id, {
        reason: 'x',
        url: 'https://example.org/',
      })
      expect(patched).toMatchObject({ reason: 'x', url: 'https://example.org/', event: 'bg:session.*' })
      expect((await store.updateWebhook(scope, webhook.id, { reason: null })).reason).toBeUndefined()
      await store.setWebhookFailures(webhook.id, 3)
      expect(await store.requireWebhook(scope, webhook.id)).toMatchObject({ failures: 3 })
      const other = await newWebhook(store, { name: 'second' })
      const { items } = await store.listWebhooks(scope, { limit: 10 })
      expect(items.map(({ id }) => id)).toEqual([other.id, webhook.id])
      expect([await store.countWebhooks(scope), await store.countWebhooks('other')]).toEqual([2, 0])
      expect((await store.listWebhooks('other', { limit: 10 })).items).toEqual([])
      for (const refused of [
        () => store.requireWebhook('other', webhook.id),
        () => store.lockWebhook('other', webhook.id),
        () => store.updateWebhook('other', webhook.id, { name: 'x' }),
        () => store.deleteWebhook('other', webhook.id),
      ])
        await expect(refused()).rejects.toMatchObject({ code: 'not_found' })
      await store.deleteWebhook(scope, webhook.id)
      expect(await store.countWebhooks(scope)).toBe(1)
    })

    test('are behind until they have seen the newest event, and moved on by one node only', async (store) => {
      const webhook = await newWebhook(store)
      const paused = await newWebhook(store)
      await store.updateWebhook(scope, paused.id, { status: 'paused' })
      expect(await store.listWebhooksBehind(10)).toEqual([])
      await store.recordEvent(scope, { type: 'bg:session.failed' })
      const { last: seenSeq } = await store.getEventRange(scope)
      expect((await store.listWebhooksBehind(10)).map(({ id }) => id)).toEqual([webhook.id])
      expect(await store.listWebhooksBehind(10, webhook.id)).toEqual([])
      const moves = await Promise.all(
        Array.from({ length: 6 }, () => store.transaction((tx) => tx.advanceWebhook(webhook, seenSeq))),
      )
      expect(moves.filter(Boolean)).toHaveLength(1)
      expect(await store.listWebhooksBehind(10)).toEqual([])
    })

    test('have one delivery for each event, which one node at a time attempts', async (store) => {
      const { id } = await newWebhook(store)
      const [first] = await store.addDeliveries(id, [{ seq: 7, type: 'a', body: '{}' }])
      expect(await store.addDeliveries(id, [{ seq: 7, type: 'a', body: '{"again":1}' }])).toEqual([])
      // tests have no number, and are not each other's repetition
      await store.addDeliveries(id, [
        { type: 'test', body: '{}' },
        { type: 'test', body: '{}' },
      ])
      expect(await store.countWaitingDeliveries(id)).toBe(3)
      const far = Date.UTC(2100, 0, 1)
      const due = await store.listDueDeliveries(far, { limit: 10, perWebhook: 2 })
      expect(due).toHaveLength(2)
      expect(due[0]).toEqual({ ...first, scope, url: 'https://example.com/hooks', secret: 'whsec_c2VjcmV0' })
      const claims = await Promise.all(Array.from({ length: 6 }, () => store.claimDelivery(first!, far + 5)))
      expect(claims.filter(Boolean)).toHaveLength(1)
      expect(
        (await store.listDueDeliveries(far, { limit: 10, perWebhook: 9 })).map(({ seq }) => seq),
      ).toEqual([undefined, undefined])
      expect(await store.settleDelivery(first!, { status: 'delivered', answerStatus: 204 })).toBe(true)
      expect(await store.settleDelivery(first!, { status: 'failed', error: 'late' })).toBe(false)
      expect(await store.requireDelivery(id, first!.id)).toMatchObject({
        status: 'delivered',
        attempts: 1,
        answerStatus: 204,
      })
      const delivered = await store.listDeliveries(id, { limit: 10, status: 'delivered' })
      expect(delivered.items.map((delivery) => delivery.id)).toEqual([first!.id])
      expect(await store.restartDelivery(id, first!.id)).toMatchObject({ status: 'waiting', attempts: 1 })
      await store.deleteDeliveriesBefore(far)
      expect((await store.listDeliveries(id, { limit: 10 })).items).toHaveLength(3)
      await store.claimDelivery(await store.requireDelivery(id, first!.id), far)
      await store.settleDelivery({ ...first!, attempts: 1 }, { status: 'failed', error: 'no' })
      await store.deleteDeliveriesBefore(far)
      expect((await store.listDeliveries(id, { limit: 10 })).items).toHaveLength(2)
      await store.updateWebhook(scope, id, { status: 'paused' })
      expect(await store.listDueDeliveries(far, { limit: 10, perWebhook: 9 })).toEqual([])
      await store.deleteWebhook(scope, id)
      await expect(store.requireDelivery(id, first!.id)).rejects.toMatchObject({ code: 'not_found' })
    })
  })

  describe(`${name}: the rest`, () => {
    test('an inbox takes each thing in once', async (store) => {
      const { id } = await store.createSession({ scope })
      const deliver = (dedupeKey: string) =>
        store.deliver(id, { kind: 'task-result', dedupeKey, payload: { from: dedupeKey } })
      expect(await deliver('run_1')).toBe(true)
      expect(await deliver('run_1')).toBe(false)
      expect(await deliver('run_2')).toBe(true)
      const waiting = await store.listInbox(id)
      expect(waiting.map(({ payload }) => payload)).toEqual([{ from: 'run_1' }, { from: 'run_2' }])
      await store.takeInbox(id, [waiting[0]!.id])
      expect((await store.listInbox(id)).map(({ payload }) => payload)).toEqual([{ from: 'run_2' }])
      expect(await deliver('run_1')).toBe(false)
    })

    test('checkpoints come back in the order of the log', async (store) => {
      const { id } = await store.createSession({ scope })
      const checkpoints = [1, 2, 3].map((n) => ({
        id: `cp_${n}`,
        messageSeq: n * 2,
        userMessage: `turn ${n}`,
        completed: n < 3,
        fileChanges: [{ path: 'a.md' }],
        createdAt: '2026-01-01T00:00:00.000Z',
      }))
      await store.addCheckpoints(id, checkpoints)
      expect(await store.listCheckpoints(id)).toEqual(checkpoints)
      expect(await store.listCheckpoints(id, { newest: 2 })).toEqual(checkpoints.slice(1))
      expect(await store.listCheckpoints(id, { throughSeq: 6 })).toEqual(checkpoints.slice(0, 2))
    })

    test('settings are put, replaced, taken away, and apart by scope', async (store) => {
      await store.putSetting(scope, 'window', { mode: 'lite' })
      await store.putSetting(scope, 'window', { mode: 'memo' })
      expect(await store.getSetting(scope, 'window')).toEqual({ mode: 'memo' })
      expect(await store.getSetting('other', 'window')).toBeUndefined()
      await store.putSetting(scope, 'window', undefined)
      expect(await store.getSetting(scope, 'window')).toBeUndefined()
    })

    test('the audit is listed newest first, by scope and session', async (store) => {
      const actor = { type: 'agent' as const, id: 'bg-session' }
      for (const resourceId of ['a', 'b', 'c'])
        await store.recordAudit(scope, {
          actor,
          action: 'update',
          resourceType: 'file',
          resourceId,
          sessionId: 'ses_1',
          result: 'denied',
          detail: { why: 'x' },
        })
      const page = await store.listAudit(scope, { sessionId: 'ses_1', limit: 2 })
      expect(page.items.map(({ resourceId }) => resourceId)).toEqual(['c', 'b'])
      expect(page.items[0]).toMatchObject({ actor, result: 'denied', detail: { why: 'x' } })
      expect(
        (await store.listAudit(scope, { limit: 2, cursor: page.nextCursor! })).items.map(
          ({ resourceId }) => resourceId,
        ),
      ).toEqual(['a'])
      expect((await store.listAudit('other', { limit: 2 })).items).toEqual([])
    })

    test('the audit is read by kind of thing and by result, and forgets what is old', async (store) => {
      const actor = { type: 'user', id: 'me' } as const
      for (const [resourceType, result] of [
        ['file', 'denied'],
        ['file', 'success'],
        ['session', 'success'],
      ] as const)
        await store.recordAudit(scope, { actor, action: 'write', resourceType, resourceId: 'x', result })
      const count = async (filter: Partial<Parameters<Store['listAudit']>[1]>) =>
        (await store.listAudit(scope, { ...filter, limit: 10 })).items.length
      expect(await count({ resourceType: 'file' })).toBe(2)
      expect(await count({ resourceType: 'file', result: 'denied' })).toBe(1)
      expect(await count({ result: 'success' })).toBe(2)
      const [newest] = (await store.listAudit(scope, { limit: 10 })).items
      const { createdAt } = newest!
      expect(await count({ from: createdAt })).toBe(1)
      expect(await count({ to: createdAt })).toBe(2)
      expect(await count({ from: createdAt, to: createdAt })).toBe(0)
      await store.deleteAuditBefore(newest!.createdAt)
      expect((await store.listAudit(scope, { limit: 10 })).items).toEqual([newest])
    })

    test('the audit is read by what it was about and by who decided', async (store) => {
      const record = (resourceId: string, detail: Record<string, unknown>) =>
        store.recordAudit(scope, {
          actor: { type: 'agent', id: 'ses_1' },
          action: 'write',
          resourceType: 'file',
          resourceId,
          detail,
        })
      await record('call-1', { resources: ['/project/100%_done "now".md'], approvedBy: 'ada' })
      await record('call-2', { resources: ['/project/other.md'], by: 'person', decidedBy: 'ada' })
      await record('call-3', { resources: ['/project/写.md'], hooks: { decidedBy: 'no-force' } })
      const read = async (filter: object) =>
        (await store.listAudit(scope, { limit: 10, ...filter })).items.map(({ resourceId }) => resourceId)
      expect(await read({ touching: '/project/' })).toEqual(['call-3', 'call-2', 'call-1'])
      expect(await read({ touching: '0%_done "now"' })).toEqual(['call-1'])
      expect(await read({ touching: '写' })).toEqual(['call-3'])
      expect(await read({ touching: 'l-2' })).toEqual(['call-2'])
      expect(await read({ touching: '%' })).toEqual(['call-1'])
      expect(await read({ decidedBy: 'ada' })).toEqual(['call-2', 'call-1'])
      expect(await read({ decidedBy: 'ad' })).toEqual([])
      expect(await read({ decidedBy: 'no-force', touching: '.md' })).toEqual(['call-3'])
    })

    test('the audit is read by action and by actor, page by page', async (store) => {
      for (let index = 0; index < 6; index++)
        await store.recordAudit(scope, {
          actor: { type: 'user', id: index % 2 ? 'odd' : 'even' },
          action: index < 4 ? 'update' : 'delete',
          resourceType: 'session',
          resourceId: String(index),
        })
      const read = async (filter: object) =>
        (await store.listAudit(scope, { limit: 10, ...filter })).items.map(({ resourceId }) => resourceId)
      expect(await read({ action: 'update' })).toEqual(['3', '2', '1', '0'])
      expect(await read({ actorId: 'odd' })).toEqual(['5', '3', '1'])
      expect(await read({ actorId: 'odd', action: 'update' })).toEqual(['3', '1'])
      const { nextCursor } = await store.listAudit(scope, { action: 'update', limit: 3 })
      expect(await read({ action: 'update', cursor: nextCursor })).toEqual(['0'])
      expect(await read({ action: 'none' })).toEqual([])
    })

    it('what models used adds up by day, model and kind, and by session', async () => {
      await using database = await openDatabase()
      const clock = steppedClock(Date.UTC(2026, 0, 31, 23))
      await using store = await database.open(clock)
      await store.ensureScope(scope)
      const { id: sessionId } = await store.createSession({ scope })
      expect(await store.getSessionUsage(sessionId)).toBeUndefined()
      const tokens = { inputTokens: 10, outputTokens: 5 }
      const call = { scope, sessionId, model: 'a/b', kind: 'turn', ...tokens }
      const all = Array.from({ length: 20 }, (_, index) => index)
      await Promise.all(all.map((index) => store.recordUsage({ ...call, beginsRun: index % 2 === 0 })))
      await store.recordUsage({ ...call, cost: 0.25, cacheReadTokens: 4, showsWindow: true })
      await store.recordUsage({ scope, sessionId, model: 'a/b', kind: 'turn', showsWindow: true })
      clock.advance(3_600_000)
      await store.recordUsage({ ...call, kind: 'memo', inputTokens: 1_000, cost: 0.5 })
      const first = { day: '2026-01-31', model: 'a/b', kind: 'turn', calls: 22, cacheReadTokens: 4 }
      const second = { day: '2026-02-01', model: 'a/b', kind: 'memo', calls: 1, cacheReadTokens: 0 }
      const days = { from: '2026-01-31', to: '2026-02-01' }
      expect(await store.listUsage(scope, days)).toEqual([
        { ...first, inputTokens: 210, outputTokens: 105, cost: 0.25 },
        { ...second, inputTokens: 1_000, outputTokens: 5, cost: 0.5 },
      ])
      expect(await store.listUsage(scope, { from: '2026-02-01', to: '2026-02-01' })).toHaveLength(1)
      expect(await store.listUsage('other', days)).toEqual([])
      expect(await store.getSessionUsage(sessionId)).toEqual({
        runs: 10,
        calls: 23,
        inputTokens: 1_210,
        outputTokens: 110,
        cacheReadTokens: 4,
        cost: 0.75,
        lastInputTokens: 10,
      })
      const { id: unpriced } = await store.createSession({ scope })
      await store.recordUsage({ ...call, sessionId: unpriced, model: 'free' })
      expect(await store.getSessionUsage(unpriced)).not.toHaveProperty('cost')
      await store.deleteSession(scope, sessionId)
      expect(await store.getSessionUsage(sessionId)).toBeUndefined()
      expect(await store.listUsage(scope, days)).toHaveLength(3)
    })

    test('an idempotency key does the work once, also when requests race, and refuses another request', async (store) => {
      let done = 0
      const work = () =>
        store.transaction(async (tx) => {
          const earlier = await tx.reserveIdempotencyKey(scope, 'key', 'print')
          if (earlier !== undefined) return earlier
          const { id } = await tx.createSession({ scope, title: `number ${++done}` })
          await tx.saveIdempotentAnswer(scope, 'key', { id })
          return { id }
        })
      const answers = await Promise.all(Array.from({ length: 8 }, work))
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
      expect((await store.listSessions(scope, { limit: 10 })).items).toHaveLength(1)
      await expect(
        store.transaction((tx) => tx.reserveIdempotencyKey(scope, 'key', 'other')),
      ).rejects.toMatchObject({
        code: 'idempotency_mismatch',
      })
      expect(await store.deleteIdempotencyKeysBefore(Date.UTC(2030, 0, 1))).toBe(1)
      expect(await store.reserveIdempotencyKey(scope, 'key', 'other')).toBeUndefined()
    })
  })
}

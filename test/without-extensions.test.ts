/** What the core does alone, and what extensions cost those who do not use them. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import { loadBuiltIn } from '../src/extensions/built-in.ts'
import { openBare, type BareParley } from './bare-parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { countPageBytes } from './counted-pages.ts'
import { countStatements, holdTimers } from './counted-statements.ts'
import { temporaryFolder } from './harness.ts'

const builtIn = await loadBuiltIn()
const models = (model = createScripted(() => says('Hello'))) => ({
  model: model.id,
  extra: { scripted: () => model },
})

describe('a Parley without extensions', () => {
  it('has conversations, and a window that is cut back', async () => {
    using folder = temporaryFolder()
    await using parley = await openBare({
      dataDir: folder.path,
      models: models(),
      session: { mode: 'lite', limit: { messages: 6 } },
    })
    const { id } = await parley.sessions.create({ title: 'Plain' })
    for (let turn = 1; turn <= 6; turn++) {
      const { message, run } = await parley.sessions.chat(id, `input ${turn}`)
      expect(run.status).toBe('completed')
      expect(messageText(message!)).toBe('Hello')
    }
    expect((await parley.sessions.messages(id, { limit: 100 })).items).toHaveLength(12)
    expect((await parley.sessions.prompt(id)).messages.length).toBeLessThan(12)
  })

  it('has tasks that report to their parent', async () => {
    using folder = temporaryFolder()
    const model = createScripted((request, call) => {
      const isTask = request.tools.some(({ name }) => name === 'set_result')
      if (isTask) return calls(['set_result', { output: 'counted' }])
      return call === 1 ? calls(['spawn_task', { task: 'Count' }]) : says('Done')
    })
    await using parley = await openBare({ dataDir: folder.path, models: models(model) })
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'Have it done')
    await expect
      .poll(async () => JSON.stringify((await parley.sessions.messages(id, { limit: 100 })).items))
      .toContain('counted')
  })

  it('has no table of an extension, and gets them when it is opened with it', async () => {
    using folder = temporaryFolder()
    const tables = async ({ store }: BareParley) => (await store.checkIntegrity(), Object.keys(store))
    {
      await using bare = await openBare({ dataDir: folder.path, models: models() })
      expect(await tables(bare)).not.toContain('getPlan')
      const { id } = await bare.sessions.create({ title: 'Made without' })
      await bare.sessions.chat(id, 'Hello')
    }
    await using whole = await openBare({ dataDir: folder.path, models: models() }, builtIn)
    expect(await tables(whole)).toContain('getPlan')
    expect((await whole.sessions.list()).items).toMatchObject([{ title: 'Made without' }])
    expect(await whole.store.getPlan('default', 'plan_1')).toBeUndefined()
  })
})

it('exports what an extension made that is gone: what is only of it stays behind', async () => {
  using folder = temporaryFolder()
  const ids: string[] = []
  {
    await using whole = await openBare({ dataDir: folder.path, models: models() }, builtIn)
    const { store } = whole
    await store.ensureScope('default')
    const bgMeta = { triggerType: 'cron' as const, skipMemory: true, workspaceDir: '/srv/run' }
    const toolMeta = { source: 'workflow-run', runId: 'run_1', workflowName: 'letters', depth: 1 }
    for (const made of [
      { kind: 'background' as const, bgMeta, bgStatus: 'completed' as const },
      { kind: 'tool' as const, toolMeta, planId: 'plan_1' },
    ])
      ids.push((await store.createSession({ scope: 'default', ...made })).id)
  }
  await using bare = await openBare({ dataDir: folder.path, models: models() })
  const documents = await Promise.all(
    ids.map(async (id) => (JSON.parse(await bare.sessions.export(id)) as { session: object }).session),
  )
  expect(documents).toEqual([
    expect.objectContaining({ kind: 'background', bgMeta: { triggerType: 'api' } }),
    expect.objectContaining({ kind: 'tool', toolMeta: { source: 'workflow-run' } }),
  ])
  expect(documents[1]).not.toHaveProperty('planId')
})

// what an answer costs that is asked for, streamed, stored and read back
// in pages of SQLite's usual size
const mostPages = 16
const usualPageBytes = 4096
const mostStatements = 19

describe('a plain turn', () => {
  async function statementsOf(extensions: typeof builtIn): Promise<string[]> {
    using folder = temporaryFolder()
    using counted = countStatements()
    using _ = holdTimers()
    await using parley = await openBare({ dataDir: folder.path, models: models() }, extensions)
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'The first one')
    // what follows an answer is not part of the next one
    await expect.poll(async () => (await parley.sessions.get(id)).chatStatus).toBe('idle')
    counted.texts.length = 0
    await parley.sessions.chat(id, 'Another one')
    return counted.texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())
  }

  it('issues as many statements with all extensions as with none', async () => {
    const [bare, whole] = [await statementsOf([]), await statementsOf(builtIn)]
    const isOfScope = (text: string) => /scopes.root as scope_root/.test(text)
    // the one that reads what a turn begins with has more to look at; all others are the same
    const others = (texts: string[]) => texts.filter((text) => !isOfScope(text)).sort()
    expect(others(whole)).toEqual(others(bare))
    expect(whole.length).toBe(bare.length)
  })

  it('writes few pages to SQLite', async () => {
    using folder = temporaryFolder()
    using _ = holdTimers()
    await using parley = await openBare({ dataDir: folder.path, models: models() }, builtIn)
    const { id } = await parley.sessions.create()
    await parley.sessions.chat(id, 'The first one')
    const file = join(folder.path, 'parley.db')
    const before = countPageBytes(file)
    for (let turn = 0; turn < 10; turn++) await parley.sessions.chat(id, 'Another one')
    const pages = (countPageBytes(file) - before) / 10 / usualPageBytes
    expect(pages).toBeGreaterThan(5)
    expect(pages).toBeLessThanOrEqual(mostPages)
  })

  it('issues few statements, in two commits', async () => {
    const texts = await statementsOf([])
    expect(texts.filter((text) => text === 'commit')).toHaveLength(2)
    expect(texts.length, texts.join('\n')).toBeLessThanOrEqual(mostStatements)
  })
})

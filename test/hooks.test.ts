import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Hook, HookedCall } from '../src/core/hooks/hook.ts'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { CreateSession, Session } from '../src/core/protocol/session.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, temporaryFolder, toOptions, type OpenDatabase } from './harness.ts'
import { isLearning, item, questionOf } from './memory-harness.ts'
import { createPaint } from './paint-tool.ts'

/** Calls the tool with what it was asked for, then says what came of it. */
const painting: Script = (request) => {
  const result = request.messages.at(-1)
  if (result?.role === 'tool') return says((result.content[0] as { output: string }).output)
  return calls([JSON.stringify(request.messages).includes('Look up') ? 'look_up' : 'paint', { path: 'wall' }])
}

/** A Parley with a tool that changes something, and a list of what that was made to do. */
async function open(
  openDatabase: OpenDatabase,
  { script = painting, ...options }: Partial<ParleyOptions> & { script?: Script },
) {
  const database = await openDatabase()
  const folder = temporaryFolder()
  const root = join(realpathSync(folder.path), 'scope')
  mkdirSync(root)
  const { tool: paint, painted } = createPaint()
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks something up; rules are not about it',
    input: z.strictObject({ path: z.string() }),
    execute: async () => 'found',
  })
  const start = (more: Partial<ParleyOptions> = {}) =>
    createParley({
      ...toOptions(database),
      scopes: { default: { root } },
      models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
      tools: [paint, lookUp],
      shutdownMs: 200,
      ...options,
      ...more,
    })
  const parley = await start()
  return {
    parley,
    painted,
    root,
    start,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Not awaited: the turn goes on by itself. */
async function send(parley: Parley, session: Session, text = 'Paint it', more: object = {}) {
  const { begin } = await parley.chats.admit(
    parley.store,
    { scope: session.scope, sessionId: session.id },
    { message: { id: parley.ids.next('msg'), parts: [{ type: 'text', text }] }, ...more },
  )
  begin()
}

async function answerOf(parley: Parley, session: Session) {
  const last = async () => (await parley.sessions.messages(session.id)).items.at(-1)
  await expect.poll(async () => (await last())?.role).toBe('assistant')
  const { parts, metadata } = (await last())!
  return {
    text: parts.findLast(({ type }) => type === 'text')?.text as string,
    call: parts.find(({ type }) => type === 'dynamic-tool')!,
    metadata,
  }
}

async function ask(parley: Parley, options: { text?: string; more?: object; session?: CreateSession } = {}) {
  const session = await parley.sessions.create(options.session)
  await send(parley, session, options.text, options.more)
  return { session, ...(await answerOf(parley, session)) }
}

const pending = async (parley: Parley) => {
  await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
  return (await parley.approvals.list()).items[0]!
}

const auditOf = async (parley: Parley, session: Session) =>
  (await parley.audit({ session: session.id })).items.map(({ action, resourceType, result, detail }) => ({
    what: `${resourceType} ${action} ${result}`,
    detail,
  }))

const before = (id: string, run: Extract<Hook, { event: 'PreToolUse' }>['run']): Hook => ({
  event: 'PreToolUse',
  id,
  run,
})

describe.each(anyDatabase)('hooks on %s', (_name, openDatabase) => {
  it('are told what a call would do; a no ends it, tells the model why and is in the audit', async () => {
    const seen: HookedCall[] = []
    const hook = before('guard', (call) => {
      seen.push(call)
      return { decision: 'deny', reason: 'Not on a Sunday.' }
    })
    await using open_ = await open(openDatabase, {
      hooks: [hook],
      permissions: { mode: 'bypassPermissions' },
    })
    const { parley, painted, root } = open_
    const { session, text, call, metadata } = await ask(parley)
    expect(text).toBe('Not allowed: Not on a Sunday. (hook guard)')
    expect(call).toMatchObject({ state: 'output-error', deniedBy: 'hook' })
    expect(metadata).toMatchObject({ denied: [{ toolName: 'paint', by: 'hook' }] })
    expect(seen).toEqual([
      {
        scope: 'default',
        sessionId: session.id,
        runId: expect.any(String),
        toolCallId: 'call-paint-0',
        tool: 'paint',
        action: 'paint',
        effect: 'write',
        resources: [join(root, 'wall')],
        input: { path: 'wall' },
      },
    ])
    expect(painted).toEqual([])
    expect(await auditOf(parley, session)).toContainEqual({
      what: 'paint paint denied',
      detail: expect.objectContaining({
        by: 'hook',
        hooks: { decidedBy: 'guard' },
        reason: 'Not on a Sunday. (hook guard)',
      }),
    })
  })

  it('can ask about what would be allowed, also where nothing else is asked', async () => {
    const hook = before('careful', () => ({ decision: 'ask', reason: 'Is it dry?' }))
    await using open_ = await open(openDatabase, {
      hooks: [hook],
      permissions: { mode: 'bypassPermissions' },
    })
    const { parley, painted } = open_
    const session = await parley.sessions.create()
    await send(parley, session)
    const approval = await pending(parley)
    expect(approval).toMatchObject({ reason: 'Is it dry? (hook careful)', input: { path: 'wall' } })
    expect(painted).toEqual([])
    await parley.approvals.decide(approval.id, { decision: 'approve' })
    expect((await answerOf(parley, session)).text).toContain('"painted":"wall"')
    expect(await auditOf(parley, session)).toContainEqual({
      what: 'paint paint success',
      detail: expect.objectContaining({ approvedBy: 'library', hooks: { decidedBy: 'careful' } }),
    })

    const headless = await ask(parley, { more: { isHeadless: true } })
    expect(headless.text).toBe('Not allowed: Is it dry? (hook careful) Nobody is there to be asked.')
    expect(painted).toHaveLength(1)
  })

  it('are asked about tools that do not say what they touch', async () => {
    const hook = before('quiet', ({ tool, action }) =>
      tool === 'look_up' ? { decision: 'deny', reason: `No ${action}.` } : undefined,
    )
    await using open_ = await open(openDatabase, { hooks: [hook] })
    expect((await ask(open_.parley, { text: 'Look up' })).text).toBe('Not allowed: No call. (hook quiet)')
  })

  it('allow what the mode would ask about, and nothing that a rule asks about or forbids', async () => {
    const hook = before('kind', () => ({ decision: 'allow' }))
    await using open_ = await open(openDatabase, { hooks: [hook] })
    const { parley, painted } = open_
    const { session } = await ask(parley)
    expect(painted).toEqual([{ path: 'wall' }])
    expect(await auditOf(parley, session)).toContainEqual({
      what: 'paint paint success',
      detail: expect.objectContaining({ hooks: { decidedBy: 'kind' } }),
    })
    const plan = await ask(parley, { session: { permissionMode: 'plan' } })
    expect(plan.text).toMatch(/^Not allowed: The session is in plan mode/)
    const forbidden = await ask(parley, {
      session: { permissionRules: [{ tool: 'paint', decision: 'deny', message: 'Never.' }] },
    })
    expect(forbidden.text).toBe('Not allowed: Never.')
    const asked = await ask(parley, {
      session: { permissionRules: [{ tool: 'paint', decision: 'ask' }] },
      more: { isHeadless: true },
    })
    expect(asked.text).toMatch(/Nobody is there/)
    expect(painted).toHaveLength(1)
  })

  it('do not widen what a task may do beyond its parent', async () => {
    const hook = before('kind', () => ({ decision: 'allow' }))
    await using open_ = await open(openDatabase, { hooks: [hook] })
    const { parley, painted } = open_
    const task = async (parent: CreateSession) => {
      const { id } = await parley.sessions.create(parent)
      const { sessionId } = await parley.background.trigger(
        'default',
        { prompt: 'Paint it' },
        { triggerType: 'tool_spawn', parentSessionId: id, source: 'task' },
      )
      return parley.sessions.get(sessionId)
    }
    const planned = await task({ permissionMode: 'plan' })
    const denied = async () =>
      (await auditOf(parley, planned)).find(({ what }) => what === 'paint paint denied')?.detail.reason
    await expect.poll(denied).toMatch(/plan mode/)
    await task({ permissionMode: 'default' })
    const approval = await pending(parley)
    expect(approval.toolName).toBe('paint')
    expect(painted).toEqual([])
    await parley.approvals.decide(approval.id, { decision: 'deny' })
    await task({ permissionMode: 'acceptEdits' })
    // a task that submits no result is told so, and paints once more
    await expect.poll(() => painted.length).toBeGreaterThan(0)
  })

  it('may change the input: rules are held against what is really run', async () => {
    let path = 'door'
    const hook = before('redirect', ({ input }) => ({
      input: { ...(input as object), path },
      decision: 'allow',
    }))
    await using open_ = await open(openDatabase, {
      hooks: [hook],
      permissions: {
        mode: 'acceptEdits',
        rules: [{ tool: 'paint', path: 'secret/**', decision: 'deny', message: 'Hands off.' }],
      },
    })
    const { parley, painted } = open_
    const { call, session } = await ask(parley)
    expect(painted).toEqual([{ path: 'door' }])
    expect(call.input).toEqual({ path: 'door' })
    expect(await auditOf(parley, session)).toContainEqual({
      what: 'paint paint success',
      detail: expect.objectContaining({ hooks: { changedBy: ['redirect'] } }),
    })

    path = 'secret/x'
    expect((await ask(parley)).text).toBe('Not allowed: Hands off.')
    path = '/etc/passwd'
    const outside = await ask(parley, { more: { isHeadless: true } })
    expect(outside.text).toMatch(/outside the folders of the session/)
    path = 7 as unknown as string
    expect((await ask(parley)).text).toMatch(/^Not allowed: The hook redirect changed the input.*"path"/)
    expect(painted).toHaveLength(1)
  })

  it('are asked again about what a person makes of the input', async () => {
    const hook = before('guard', ({ input }) =>
      (input as { path: string }).path === 'roof' ? { decision: 'deny', reason: 'Too high.' } : undefined,
    )
    await using open_ = await open(openDatabase, { hooks: [hook] })
    const { parley, painted } = open_
    const session = await parley.sessions.create()
    await send(parley, session)
    await parley.approvals.decide((await pending(parley)).id, {
      decision: 'approve',
      input: { path: 'roof' },
    })
    expect((await answerOf(parley, session)).text).toBe('Not allowed: Too high. (hook guard)')
    expect(painted).toEqual([])

    const other = await parley.sessions.create()
    await send(parley, other)
    await parley.approvals.decide((await pending(parley)).id, {
      decision: 'approve',
      input: { path: 'fence' },
    })
    await answerOf(parley, other)
    expect(painted).toEqual([{ path: 'fence' }])
    expect(await auditOf(parley, other)).toContainEqual({
      what: 'paint paint success',
      detail: expect.objectContaining({ resources: [join(open_.root, 'fence')] }),
    })
  })

  it('that answer otherwise after a restart do not change what a person agreed to', async () => {
    const redirect = (path: string) => before('redirect', () => ({ input: { path } }))
    await using open_ = await open(openDatabase, { hooks: [redirect('door')] })
    const session = await open_.parley.sessions.create()
    await send(open_.parley, session)
    const approval = await pending(open_.parley)
    expect(approval.input).toEqual({ path: 'door' })
    await open_.parley.close()
    await using second = await open_.start({ hooks: [redirect('window')] })
    await second.approvals.decide(approval.id, { decision: 'approve' })
    expect((await answerOf(second, session)).call.input).toEqual({ path: 'door' })
    expect(open_.painted).toEqual([{ path: 'door' }])
  })

  it('add to what the model is told, and change it; what is stored is what it sees', async () => {
    const hooks: Hook[] = [
      before('hint', () => ({ additionalContext: 'Use two coats.' })),
      {
        event: 'PostToolUse',
        id: 'mask',
        tool: 'paint',
        run: ({ output, error }) => ({
          output: error === undefined ? { ...(output as object), painted: '•••' } : `mended: ${error}`,
          additionalContext: 'Names are masked.',
        }),
      },
    ]
    await using open_ = await open(openDatabase, { hooks, permissions: { mode: 'acceptEdits' } })
    const { parley } = open_
    const { session, text, call } = await ask(parley)
    const notes =
      '\n\n<note from="hook hint">\nUse two coats.\n</note>\n\n<note from="hook mask">\nNames are masked.\n</note>'
    expect(text).toBe(`{"painted":"•••"}${notes}`)
    expect(call).toMatchObject({ state: 'output-available', output: { painted: '•••' } })
    const log = await parley.sessions.export(session.id, { format: 'json' })
    expect(JSON.stringify(log)).not.toContain('"painted":"wall"')
    expect(await auditOf(parley, session)).toContainEqual({
      what: 'paint change_result success',
      detail: expect.objectContaining({ hooks: { changedBy: ['mask'] } }),
    })
  })

  it('may put a result in the place of an error', async () => {
    const hooks: Hook[] = [
      before('break', () => ({ input: { path: 'broken' } })),
      { event: 'PostToolUse', run: ({ error }) => ({ output: `Mended: ${error}` }) },
    ]
    await using open_ = await open(openDatabase, { hooks, permissions: { mode: 'acceptEdits' } })
    const { text, call } = await ask(open_.parley)
    expect(text).toBe('Mended: The paint is dry.')
    expect(call.state).toBe('output-available')
  })

  it('that throw or take too long never fail a turn', async () => {
    const hooks: Hook[] = [
      before('throws', () => {
        throw new Error('Broken.')
      }),
      before('hangs', () => new Promise(() => {})),
      { event: 'PostToolUse', run: () => new Promise(() => {}) },
      { event: 'PreMemoryInject', run: () => new Promise(() => {}) },
    ]
    await using open_ = await open(openDatabase, {
      hooks,
      hookTimeoutMs: 50,
      memory: {},
      permissions: { mode: 'acceptEdits' },
    })
    expect((await ask(open_.parley)).text).toContain('"painted":"wall"')
  })

  it('that have to answer and do not are a no', async () => {
    const hook: Hook = {
      event: 'PreToolUse',
      id: 'strict',
      timeoutMs: 50,
      onFailure: 'deny',
      run: () => new Promise(() => {}),
    }
    await using open_ = await open(openDatabase, { hooks: [hook], permissions: { mode: 'acceptEdits' } })
    const { session, text } = await ask(open_.parley)
    expect(text).toMatch(/^Not allowed: The hook strict failed, .* longer than 50 ms\.$/)
    expect(open_.painted).toEqual([])
    expect(await auditOf(open_.parley, session)).toContainEqual({
      what: 'paint paint denied',
      detail: expect.objectContaining({ by: 'hook', hooks: { decidedBy: 'strict' } }),
    })
  })

  it('end with the turn that is stopped', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<AbortSignal>()
    const hook = before('slow', (_call, signal) => {
      resolve(signal)
      return new Promise(() => {})
    })
    await using open_ = await open(openDatabase, { hooks: [hook], hookTimeoutMs: 600_000 })
    const { parley, painted } = open_
    const session = await parley.sessions.create()
    await send(parley, session)
    const signal = await asked
    await parley.sessions.stop(session.id)
    expect((await answerOf(parley, session)).metadata).toMatchObject({ stopped: true })
    expect(signal.aborted).toBe(true)
    expect(painted).toEqual([])
  })

  describe('about memories', () => {
    const learner =
      (found: Record<string, unknown>): Script =>
      (request) =>
        says(
          isLearning(request)
            ? JSON.stringify(found[questionOf(request)] ?? {})
            : JSON.stringify(request.messages),
        )

    it('keep some of them out of the prompt, and look for others', async () => {
      const seen: string[] = []
      const hooks: Hook[] = [
        {
          event: 'PreMemoryInject',
          run({ query, memories }) {
            seen.push(query, ...memories.map(({ layer, type, text }) => `${layer} ${type} ${text}`))
            const memoriesToKeep = memories.filter(({ text }) => !text.includes('secret'))
            return { memories: memoriesToKeep.map(({ id }) => id), query: 'lighthouse and secret' }
          },
        },
      ]
      await using open_ = await open(openDatabase, { hooks, memory: {}, script: learner({}) })
      const { parley } = open_
      for (const text of ['The secret harbour', 'The old harbour', 'The lighthouse is white'])
        await parley.memories.create({ layer: 'scope', text })
      const { text, metadata } = await ask(parley, { text: 'Where is the harbour?' })
      expect(seen).toEqual(
        expect.arrayContaining(['Where is the harbour?', 'scope narrative The secret harbour']),
      )
      expect(text).toContain('The lighthouse is white')
      expect(text).not.toContain('The secret harbour')
      const { used } = (metadata as { memories: { used: string[] } }).memories
      expect(await Promise.all(used.map(async (id) => (await parley.memories.get(id)).text))).toEqual([
        'The lighthouse is white',
      ])
    })

    it('keep some from ever being stored', async () => {
      const said = 'I live in Turin, and my password is swordfish.'
      const found = {
        profile: { profile: [item('Lives in Turin', 'I live in Turin'), item('Password: swordfish', 'password is swordfish')] }, // oxfmt-ignore
        round: { event_log: [item('The password swordfish was told', 'my password is swordfish')] },
      }
      const asked: string[][] = []
      const hooks: Hook[] = [
        {
          event: 'PostMemoryExtract',
          run({ memories }) {
            asked.push(memories.map(({ text }) => text))
            return { exclude: memories.flatMap(({ id, text }) => (text.includes('swordfish') ? id : [])) }
          },
        },
      ]
      await using open_ = await open(openDatabase, {
        hooks,
        memory: { learn: true },
        script: learner(found),
      })
      const { parley } = open_
      for (const round of [1, 2]) {
        await ask(parley, { text: said })
        await expect.poll(() => asked.length).toBe(round)
        await expect
          .poll(async () => (await parley.memories.list()).items.map(({ text }) => text))
          .toEqual(['Lives in Turin'])
      }
      expect(asked[0]).toHaveLength(3)
      expect((await parley.memories.list({ status: 'deleted' })).items).toEqual([])
      const events = await parley.store.listEvents('default', { after: 0, limit: 1_000 })
      expect(JSON.stringify(events)).not.toContain('swordfish')
    })
  })
})

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { Part } from '../src/core/protocol/message.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { defineTool, type Tool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, temporaryFolder, toOptions, type TestDatabase } from './harness.ts'
import { createPaint } from './paint-tool.ts'

/** Calls the tool once, then says what came of it. */
const painting =
  (input: unknown = { path: 'wall' }): Script =>
  (request, call) =>
    call % 2 === 1 ? calls(['paint', input]) : says(lastResult(request))

const lastResult = ({ messages }: { messages: readonly { role: string; content: unknown }[] }) => {
  const content = messages.findLast(({ role }) => role === 'tool')?.content as
    | { output: string }[]
    | undefined
  return content?.map(({ output }) => output).join('\n') ?? 'nothing'
}

async function open(
  database: TestDatabase,
  folder: string,
  { tools, script = painting(), ...options }: Partial<ParleyOptions> & { tools: Tool[]; script?: Script },
): Promise<Parley> {
  mkdirSync(join(folder, 'scope'), { recursive: true })
  return createParley({
    ...toOptions(database),
    scopes: { default: { root: join(folder, 'scope') } },
    models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
    tools,
    shutdownMs: 200,
    ...options,
  })
}

const pending = async (parley: Parley) => {
  await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
  return (await parley.approvals.list()).items[0]!
}

const answerOf = async (parley: Parley, session: Session) => {
  await expect
    .poll(async () => (await parley.sessions.messages(session.id)).items.at(-1)?.role)
    .toBe('assistant')
  const { items } = await parley.sessions.messages(session.id)
  const { parts, metadata } = items.at(-1)!
  return {
    text: parts.findLast(({ type }) => type === 'text')?.text,
    call: parts.find(({ type }) => type === 'dynamic-tool') as Part,
    metadata,
  }
}

/** Not awaited: the turn goes on by itself. */
const send = async (parley: Parley, session: Session, more: object = {}) => {
  const { run, begin } = await parley.chats.admit(
    parley.store,
    { scope: session.scope, sessionId: session.id },
    { message: { id: parley.ids.next('msg'), parts: [{ type: 'text', text: 'Paint it' }] }, ...more },
  )
  begin()
  return run
}

describe.each(anyDatabase)('asks, on %s', (_, openDatabase) => {
  it('are stored, streamed and told before anybody waits; a yes lets the call be made', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, { tools: [tool] })
    const session = await parley.sessions.create()
    const run = await send(parley, session)
    const approval = await pending(parley)
    expect(approval).toMatchObject({
      sessionId: session.id,
      runId: run.id,
      toolName: 'paint',
      action: 'paint',
      kind: 'file_change',
      input: { path: 'wall' },
      resources: [join(realpathSync(folder.path), 'scope', 'wall')],
      status: 'pending',
      fallback: 'deny',
    })
    const seen: string[] = []
    const watching = new AbortController()
    for await (const batch of parley.chats.observe(run.id, { signal: watching.signal })) {
      seen.push(...batch.map(({ chunk }) => chunk.type))
      if (seen.includes('tool-approval-request')) break
    }
    watching.abort()
    expect(painted).toEqual([])
    const events = await parley.store.listEvents('default', { after: 0, limit: 100 })
    expect(events.map(({ type }) => type)).toContain('approval-requested')

    const decided = await parley.approvals.decide(approval.id, { decision: 'approve' })
    expect(decided).toMatchObject({ status: 'approved', decidedBy: 'library' })
    const { text, call } = await answerOf(parley, session)
    expect(text).toContain('"painted":"wall"')
    expect(call).toMatchObject({
      state: 'output-available',
      approval: { id: approval.id, approved: true },
    })
    expect(painted).toEqual([{ path: 'wall' }])
    await expect(parley.approvals.decide(approval.id, { decision: 'deny' })).rejects.toMatchObject({
      code: 'conflict',
    })
    const { items } = await parley.audit({ session: session.id })
    expect(items.map(({ action, result }) => `${action} ${result}`)).toEqual(
      expect.arrayContaining(['approve success', 'paint success']),
    )
  })

  it('that are denied tell the model why, and nothing is done', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, { tools: [tool] })
    const session = await parley.sessions.create()
    const run = await send(parley, session)
    const { id } = await pending(parley)
    await parley.approvals.decide(id, { decision: 'deny', message: 'Not that wall.' })
    const { text, call, metadata } = await answerOf(parley, session)
    expect(text).toBe('The user said no: Not that wall.')
    expect(call).toMatchObject({ state: 'output-denied', deniedBy: 'person' })
    expect(metadata).toMatchObject({ denied: [{ toolName: 'paint', by: 'person' }] })
    expect((await parley.store.getRun('default', run.id))?.outcome).toMatchObject({
      denied: [{ toolName: 'paint', by: 'person' }],
    })
    expect((await parley.audit({ session: session.id, result: 'denied' })).items).toMatchObject([
      { resourceType: 'paint', action: 'paint', detail: { by: 'person', decidedBy: 'library' } },
    ])
    expect(painted).toEqual([])
  })

  it('may be answered with another input, which is looked at again', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, {
      tools: [tool],
      permissions: { rules: [{ tool: 'paint', path: 'secret/**', decision: 'deny', message: 'Hands off.' }] },
    })
    const session = await parley.sessions.create()
    await send(parley, session)
    const first = await pending(parley)
    await parley.approvals.decide(first.id, { decision: 'approve', input: { path: 'door', colour: 'blue' } })
    expect((await answerOf(parley, session)).call.input).toEqual({ path: 'door', colour: 'blue' })
    expect(painted).toEqual([{ path: 'door', colour: 'blue' }])

    const other = await parley.sessions.create()
    await send(parley, other)
    const second = await pending(parley)
    await parley.approvals.decide(second.id, { decision: 'approve', input: { path: 'secret/x' } })
    expect((await answerOf(parley, other)).text).toBe('Not allowed: Hands off.')
    expect(painted).toHaveLength(1)
  })

  it('are not made again when the answer is to be remembered', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, { tools: [tool] })
    const session = await parley.sessions.create()
    await send(parley, session)
    await parley.approvals.decide((await pending(parley)).id, { decision: 'approve', remember: 'session' })
    await answerOf(parley, session)
    await parley.sessions.send(session.id, 'Again')
    await expect.poll(() => painted.length).toBe(2)
    expect((await parley.sessions.get(session.id)).permissionRules).toEqual([
      {
        tool: 'paint',
        action: ['paint'],
        path: join(realpathSync(folder.path), 'scope', 'wall'),
        decision: 'allow',
      },
    ])
    const other = await parley.sessions.create()
    await send(parley, other)
    await parley.approvals.decide((await pending(parley)).id, { decision: 'deny', remember: 'scope' })
    await answerOf(parley, other)
    const third = await parley.sessions.create()
    await parley.sessions.send(third.id, 'Paint it')
    expect((await answerOf(parley, third)).text).toBe('Not allowed: A rule of the scope forbids it.')
    expect(painted).toHaveLength(2)
  })

  it('end by the clock, and what was set for that counts', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const deaf = createPaint()
    await using denying = await open(database, folder.path, {
      tools: [deaf.tool],
      approvals: { timeoutMs: 1_000 },
    })
    const session = await denying.sessions.create()
    await denying.sessions.send(session.id, 'Paint it')
    expect((await answerOf(denying, session)).text).toBe('Nobody answered in time, so the call was not made.')
    expect(deaf.painted).toEqual([])
    expect((await denying.approvals.list({ status: 'expired' })).items).toHaveLength(1)
    expect((await denying.audit({ result: 'denied' })).items).toMatchObject([{ detail: { by: 'timeout' } }])
    await denying.close()

    const kind = createPaint()
    await using allowing = await open(database, folder.path, {
      tools: [kind.tool],
      approvals: { timeoutMs: 1_000, fallback: 'allow' },
    })
    const other = await allowing.sessions.create()
    await allowing.sessions.send(other.id, 'Paint it')
    await expect.poll(() => kind.painted.length).toBe(1)
  })

  it('outlive the process: whoever goes on with the run waits for the same answer', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const before = createPaint()
    const first = await open(database, folder.path, { tools: [before.tool] })
    const session = await first.sessions.create()
    const run = await send(first, session)
    const { id } = await pending(first)
    await first.close()

    const after = createPaint()
    // the answer of the model to a call that another process had made
    const script: Script = (request) => says(lastResult(request))
    await using second = await open(database, folder.path, { tools: [after.tool], script })
    await expect.poll(async () => (await second.store.getRun('default', run.id))?.attempt).toBeGreaterThan(0)
    expect((await second.approvals.list()).items.map((approval) => approval.id)).toEqual([id])
    await second.approvals.decide(id, { decision: 'approve' })
    expect((await answerOf(second, session)).text).toContain('"painted":"wall"')
    expect([before.painted, after.painted]).toEqual([[], [{ path: 'wall' }]])
  })

  it('that were answered while no process ran are acted on at the next start', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const before = createPaint()
    const first = await open(database, folder.path, { tools: [before.tool] })
    const session = await first.sessions.create()
    await send(first, session)
    const { id } = await pending(first)
    await first.close()
    const between = await open(database, folder.path, { tools: [], takesUpRuns: false })
    await between.approvals.decide(id, { decision: 'deny' })
    await between.close()
    const after = createPaint()
    const script: Script = (request) => says(lastResult(request))
    await using second = await open(database, folder.path, { tools: [after.tool], script })
    expect((await answerOf(second, session)).text).toMatch(/^The user said no/)
    expect(after.painted).toEqual([])
  })

  it('are found by whoever goes on, when the process died before the step named them', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const before = createPaint()
    const first = await open(database, folder.path, { tools: [before.tool] })
    const session = await first.sessions.create()
    const run = await send(first, session)
    const { id } = await pending(first)
    await first.close()

    {
      // as the step was stored before the ask
      await using store = await database.open(systemClock)
      const { lease } = (await store.claimRun(run.id, { owner: 'nobody', leaseMs: 0 }))!
      const steps = await store.listOpenSteps(lease)
      for (const step of steps)
        for (const part of step.parts.filter(({ state }) => state === 'approval-requested')) {
          part.state = 'input-available'
          delete part.approval
        }
      await store.putRunStep(lease, steps.at(-1)!)
    }
    const after = createPaint()
    const script: Script = (request) => says(lastResult(request))
    await using second = await open(database, folder.path, { tools: [after.tool], script })
    await second.approvals.decide(id, { decision: 'approve' })
    expect((await answerOf(second, session)).text).toContain('"painted":"wall"')
    expect([before.painted, after.painted]).toEqual([[], [{ path: 'wall' }]])
  })

  it('are settled when their turn is stopped', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, { tools: [tool] })
    const session = await parley.sessions.create()
    await send(parley, session)
    const { id } = await pending(parley)
    await parley.sessions.stop(session.id)
    await expect.poll(async () => (await parley.approvals.get(id)).status).toBe('cancelled')
    await expect(parley.approvals.decide(id, { decision: 'approve' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(painted).toEqual([])
  })

  it('hold up nobody else, and no slot of the background', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool } = createPaint()
    const script: Script = (request) => {
      const text = JSON.stringify(request.messages)
      if (text.includes('Paint it') && !text.includes('tool-result'))
        return calls(['paint', { path: 'wall' }])
      return text.includes('Paint it') ? says(lastResult(request)) : says('Hello.')
    }
    await using parley = await open(database, folder.path, {
      tools: [tool],
      script,
      background: { maxGlobal: 1, maxPerParent: 1, overLimit: 'queue' },
    })
    const parent = await parley.sessions.create()
    const start = (prompt: string) =>
      parley.background.trigger(
        'default',
        { prompt },
        { triggerType: 'tool_spawn', parentSessionId: parent.id, source: 'task' },
      )
    await start('Paint it')
    const approval = await pending(parley)
    expect(approval.parentSessionId).toBe(parent.id)
    expect((await parley.approvals.list({ session: parent.id })).items).toHaveLength(1)
    const { sessionId } = await start('Hi')
    await expect.poll(async () => (await parley.sessions.get(sessionId)).bgStatus).toBe('completed')
    expect((await parley.approvals.get(approval.id)).status).toBe('pending')
  })

  it('are about a tool that does not say what it touches where a rule names it, and only there', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    let count = 0
    const tool = defineTool({
      name: 'ring',
      description: 'Rings a bell',
      input: z.strictObject({}),
      execute: async () => `rang ${++count}`,
    })
    const script: Script = (request, call) =>
      call % 2 === 1 ? calls(['ring', {}]) : says(lastResult(request))
    await using parley = await open(database, folder.path, { tools: [tool], script })
    const session = await parley.sessions.create({ permissionMode: 'plan' })
    await parley.sessions.chat(session.id, { content: 'ring' })
    expect((await answerOf(parley, session)).text).toBe('rang 1')
    const rule = { tool: 'ri*', decision: 'deny' as const, message: 'Quiet.' }
    const changed = { permissionMode: null, permissionRules: [rule] }
    expect((await parley.sessions.update(session.id, changed)).permissionMode).toBeUndefined()
    await parley.sessions.chat(session.id, { content: 'ring' })
    expect((await answerOf(parley, session)).text).toContain('Quiet.')
    expect(count).toBe(1)
  })

  it('leave a task its word, whatever rules forbid', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const script: Script = () => calls(['set_result', { output: 'all done' }])
    await using parley = await open(database, folder.path, {
      tools: [],
      script,
      permissions: { rules: [{ tool: '*', decision: 'deny' }] },
    })
    const { promise } = await parley.background.trigger(
      'default',
      { prompt: 'report' },
      { triggerType: 'api' },
    )
    expect(await promise).toMatchObject({ status: 'success', output: 'all done' })
  })

  it('where nobody is there, what would be asked is refused and said so', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    const { tool, painted } = createPaint()
    await using parley = await open(database, folder.path, { tools: [tool] })
    const session = await parley.sessions.create()
    const run = await send(parley, session, { isHeadless: true })
    const { text, metadata } = await answerOf(parley, session)
    expect(text).toBe('Not allowed: It changes something. Nobody is there to be asked.')
    expect(metadata).toMatchObject({ denied: [{ toolName: 'paint', by: 'headless' }] })
    expect((await parley.store.getRun('default', run.id))?.status).toBe('completed')
    expect((await parley.approvals.list()).items).toEqual([])
    expect(painted).toEqual([])
  })

  it('for files elsewhere grant them to the session, until the grant is taken back', async () => {
    await using database = await openDatabase()
    using folder = temporaryFolder()
    using elsewhere = temporaryFolder()
    const outside = join(realpathSync(elsewhere.path), 'wall')
    writeFileSync(outside, 'white')
    const { tool, reached } = createPaint()
    await using parley = await open(database, folder.path, {
      tools: [tool],
      script: painting({ path: outside }),
      permissions: { mode: 'bypassPermissions' },
    })
    const session = await parley.sessions.create()
    await send(parley, session)
    const approval = await pending(parley)
    expect(approval).toMatchObject({ kind: 'file_access', outside: [outside] })
    await expect(
      parley.approvals.decide(approval.id, { decision: 'approve', paths: ['relative'] }),
    ).rejects.toMatchObject({ code: 'invalid_request' })
    await parley.approvals.decide(approval.id, { decision: 'approve' })
    expect((await answerOf(parley, session)).text).toContain('"painted"')
    expect(reached).toEqual([true])
    expect((await parley.sessions.get(session.id)).grantedPaths).toEqual([outside])
    await expect(
      parley.sessions.update(session.id, { grantedPaths: [outside, '/etc'] }),
    ).rejects.toMatchObject({ code: 'invalid_request' })
    await parley.sessions.update(session.id, { grantedPaths: [] })
    await send(parley, session)
    expect(await pending(parley)).toMatchObject({ kind: 'file_access' })
  })
})

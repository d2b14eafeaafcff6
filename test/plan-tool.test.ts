import { describe, expect, it } from 'vitest'
import { createParley, type Parley } from '../src/parley.ts'
import type { Part } from '../src/core/protocol/message.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { anyDatabase, toOptions, type OpenDatabase } from './harness.ts'

interface Given {
  action: string
  plan_id?: string
  parameters?: Record<string, unknown>
}

/** A session whose model makes one call when it is told to; what comes back later it takes in. */
async function open(
  openDatabase: OpenDatabase,
  next: () => Given,
  mode: 'default' | 'acceptEdits' = 'acceptEdits',
) {
  const database = await openDatabase()
  const script: Script = ({ messages, tools }) => {
    const text = JSON.stringify(messages)
    if (tools.some(({ name }) => name === 'set_result')) return calls(['set_result', { output: 'node done' }])
    const last = messages.at(-1)!
    return last.role === 'user' && JSON.stringify(last).includes('go')
      ? calls(['plan', next()])
      : says(text.includes('task_result') ? 'heard of it' : 'well')
  }
  const model = createScripted(script)
  const parley = await createParley({
    ...toOptions(database),
    permissions: { mode },
    models: { model: 'scripted/test', extra: { scripted: () => model } },
  })
  return {
    parley,
    model,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const callIn = async (parley: Parley, sessionId: string): Promise<Part> => {
  const { message } = await parley.sessions.chat(sessionId, 'go')
  return message!.parts.find(({ type }) => type === 'dynamic-tool')!
}

describe.each(anyDatabase)('the tool plan on %s', (_name, openDatabase) => {
  it('makes, changes and executes a plan in any session, and tells of the end', async () => {
    const given: Given[] = [{ action: 'create_plan', parameters: { title: 'Trip', decompose: false } }]
    await using opened = await open(openDatabase, () => given.shift()!)
    const { parley } = opened
    const { id } = await parley.sessions.create({})
    const created = await callIn(parley, id)
    const { plan_id: planId } = (created.output as { result: { plan_id: string } }).result
    // the session is what it was: it does not answer with actions now
    expect((await parley.sessions.get(id)).planId).toBeUndefined()
    given.push(
      { action: 'create_task', plan_id: planId, parameters: { name: 'Pack' } },
      { action: 'create_task', plan_id: planId, parameters: { name: 'Go', dependencies: [1] } },
      { action: 'move_task', plan_id: planId, parameters: { task_id: 1, new_parent_id: 1 } },
      { action: 'execute_plan', plan_id: planId },
    )
    await callIn(parley, id)
    await callIn(parley, id)
    expect(await callIn(parley, id)).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('below itself'),
    })
    expect(await callIn(parley, id)).toMatchObject({ output: { run_id: expect.any(String) } })
    await expect
      .poll(async () => (await parley.store.listNodes(planId)).map(({ status }) => status))
      .toEqual(['completed', 'completed'])
    await expect
      .poll(async () => JSON.stringify((await parley.sessions.messages(id)).items))
      .toContain('heard of it')
    expect((await parley.store.listPlanChanges(planId, { limit: 5 })).map(({ author }) => author)).toEqual([
      `agent:${id}`,
      `agent:${id}`,
    ])
  })

  it('asks nobody about a plan or a task that is not there, nor about parameters that do not fit', async () => {
    const given: Given[] = []
    await using opened = await open(openDatabase, () => given.shift()!, 'default')
    const { parley } = opened
    const { id: planId } = await parley.plans.create({ title: 'Trip', markdown: '- [ ] Pack' })
    const { id } = await parley.sessions.create({})
    const cases: [Given, string][] = [
      [{ action: 'delete_task', plan_id: planId, parameters: { task_id: 99 } }, '99'],
      [{ action: 'delete_task', plan_id: 'plan_none', parameters: { task_id: 1 } }, 'plan_none'],
      [{ action: 'delete_plan', plan_id: planId, parameters: { plan_id: 'plan_none' } }, 'another one'],
      [{ action: 'create_task', plan_id: planId, parameters: { name: 'Go', dependencies: [1, 7] } }, '7'],
      [{ action: 'move_task', plan_id: planId, parameters: {} }, 'task_id'],
    ]
    for (const [call, problem] of cases) {
      given.push(call)
      expect(await callIn(parley, id)).toMatchObject({
        state: 'output-error',
        errorText: expect.stringContaining(problem),
      })
    }
    // whoever asks waits for an answer; none of them did
    expect((await parley.approvals.list()).items).toEqual([])
  })

  it('says what is missing, and stays within its scope', async () => {
    const given: Given[] = [
      { action: 'show_tasks' },
      { action: 'show_tasks', plan_id: 'plan_other' },
      { action: 'create_task', plan_id: 'plan_own', parameters: { named: 'x' } },
      { action: 'explode' },
    ]
    await using opened = await open(openDatabase, () => given.shift()!)
    const { parley } = opened
    await parley.store.ensureScope('other')
    for (const [scope, id] of [
      ['other', 'plan_other'],
      ['default', 'plan_own'],
    ] as const) {
      await parley.store.ensureScope(scope)
      await parley.store.createPlan({ id, scope, title: id, description: '', metadata: {} })
    }
    const { id } = await parley.sessions.create({})
    for (const words of ['plan_id', 'plan_other', 'named', 'explode'])
      expect(await callIn(parley, id)).toMatchObject({
        state: 'output-error',
        errorText: expect.stringContaining(words),
      })
    expect((await parley.store.requirePlan('default', 'plan_own')).version).toBe(0)
  })
})

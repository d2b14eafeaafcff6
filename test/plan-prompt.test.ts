import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { changePlan } from '../src/extensions/plan/change-plan.ts'
import { addNode } from '../src/extensions/plan/nodes.ts'
import { anyDatabase } from './harness.ts'
import { caller, openPlans, operation, replies, task } from './plan-harness.ts'

const lastContext = ({ messages }: ModelRequest): string =>
  messages
    .at(-1)!
    .content.flatMap((part) => (part.type === 'text' && part.text.startsWith('<context>') ? [part.text] : []))
    .join('\n')

describe.each(anyDatabase)('what a session about a plan is sent on %s', (_name, openDatabase) => {
  it('has the same static part over 20 turns in which the plan changes', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['First'])
    const sessionId = await opened.session(planId)
    const { store } = opened.parley
    for (let turn = 1; turn <= 20; turn++) {
      await opened.say(sessionId, `turn ${turn}`)
      await changePlan(store, caller, planId, { action: 'test', now: turn }, (edit) =>
        addNode(edit, { name: `Task of turn ${turn}` }, { parentId: 0 }, turn),
      )
    }
    expect(new Set(opened.requests.map(({ system }) => system)).size).toBe(1)
    const [first] = opened.requests
    for (const words of ['plan_reply', 'task_operation/create_task', planId, 'request_subgraph stands alone'])
      expect(`${first!.system} ${first!.replyFormat!.name}`).toContain(words)
    expect(first!.tools).toEqual([])
    // the outline comes with each input, as it is then; and the window holds few of them
    for (const [index, request] of opened.requests.entries()) {
      const context = lastContext(request)
      expect(context).toContain('<plan_outline>')
      if (index > 0) expect(context).toContain(`Task of turn ${index}`)
      expect(context).not.toContain(`Task of turn ${index + 1}`)
      expect(request.messages.length).toBeLessThanOrEqual(12)
    }
    // what was sent stays as sent, between two cuts
    const [, second, third] = opened.requests
    expect(JSON.stringify(third!.messages)).toContain(JSON.stringify(second!.messages).slice(1, -1))
  })

  it('does not send an outline again that has not changed, and lists plans where there is none', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan(['First'])
    const bound = await opened.session(planId)
    await opened.say(bound, 'one')
    await opened.say(bound, 'two')
    expect(lastContext(opened.requests[0]!)).toContain('[1] First')
    expect(lastContext(opened.requests[1]!)).toBe('')
    const unbound = await opened.session()
    await opened.say(unbound, 'three')
    expect(lastContext(opened.requests[2]!)).toContain(`- ${planId} A plan (tasks: 1)`)
    expect(opened.requests[2]!.system).toContain('has no plan yet')
    expect(opened.requests[2]!.system).toContain('bind_plan')
    expect(opened.requests[2]!.system).not.toContain('create_task')
  })

  it('has what the model wrote, in its own form', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said === 'one'
          ? `Sure:\n\`\`\`json\n${replies('Adding.', task('create_task', { name: 'x' }))}\n\`\`\``
          : replies('Well.'),
    })
    const sessionId = await opened.session((await opened.plan()).planId)
    await opened.act(sessionId, 'one')
    await opened.say(sessionId, 'two')
    const said = opened.requests[1]!.messages.filter(({ role }) => role === 'assistant')
    expect(said).toHaveLength(1)
    const [text] = said[0]!.content as { text: string }[]
    expect(JSON.parse(text!.text)).toMatchObject({
      llm_reply: { message: 'Adding.' },
      actions: [{ name: 'create_task', parameters: { name: 'x' } }],
    })
    // what was done is in the outline; nobody was asked for another answer
    expect(opened.requests).toHaveLength(2)
    expect(lastContext(opened.requests[1]!)).toContain('[1] x')
  })

  it('tells a deleted plan as none', async () => {
    await using opened = await openPlans(openDatabase)
    const { planId } = await opened.plan()
    const sessionId = await opened.session(planId)
    await opened.say(sessionId, 'one')
    await opened.parley.store.deletePlan('default', planId)
    await opened.say(sessionId, 'two')
    expect(opened.requests[1]!.system).toContain('has no plan yet')
  })

  it('goes back to the model with what was wrong, twice, and then says so', async () => {
    const answers = ['no JSON at all', '{"llm_reply": {"message": ""}, "actions": []}', replies('Now.')]
    await using opened = await openPlans(openDatabase, {
      chat: (said, _request, count) =>
        said.startsWith('never') || count > 3 ? 'broken {' : answers[count - 1]!,
    })
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session(planId)
    expect((await opened.say(sessionId, 'mend')).text).toBe('Now.')
    expect(opened.requests).toHaveLength(3)
    const told = JSON.stringify(opened.requests[2]!.messages)
    expect(told).toContain('no JSON at all')
    expect(told).toContain('was not taken')
    const { error, text } = await opened.say(sessionId, 'never right')
    expect(error).toContain('3 times')
    expect(text).toBe('')
    expect(opened.requests).toHaveLength(6)
    expect((await opened.parley.store.requirePlan('default', planId)).version).toBe(1)
    expect((await opened.parley.store.listPlanRuns('default', { limit: 10 })).items).toEqual([])
  })

  it('answers results with words, and not for ever', async () => {
    await using opened = await openPlans(
      openDatabase,
      { chat: () => replies('Again.', task('show_tasks')) },
      { plans: { maxFollowUps: 2 } },
    )
    const { planId } = await opened.plan(['A'])
    const sessionId = await opened.session(planId)
    await opened.say(sessionId, 'show')
    await expect.poll(async () => (await opened.messages(sessionId)).length).toBe(6)
    await expect
      .poll(async () =>
        (await opened.parley.store.listPlanRuns('default', { limit: 10 })).items.map(({ run }) => run.status),
      )
      .toEqual(['completed', 'completed', 'completed'])
    expect((await opened.parley.sessions.get(sessionId)).chatStatus).toBe('idle')
    expect(opened.requests).toHaveLength(3)
    // what was not answered goes along with what is said next
    await opened.say(sessionId, 'and now')
    expect(lastContext(opened.requests[3]!)).toContain('recent_results')
    expect(lastContext(opened.requests[3]!)).toContain('[1] A')
  })

  it('suggests what to say next, in the language of the user', async () => {
    await using opened = await openPlans(openDatabase, {
      chat: (said) =>
        said.includes('建')
          ? replies('好的', operation('create_plan', { title: '旅行', decompose: false }))
          : replies('Hm.'),
    })
    const sessionId = await opened.session()
    const { turn } = await opened.say(sessionId, 'hello')
    expect(turn!.suggestions).toEqual(['Create a plan', 'Which plans are there?'])
    await opened.act(sessionId, '创建计划')
    const answer = (await opened.messages(sessionId))[3]!
    expect(answer.parts.find(({ type }) => type === 'data-plan')).toMatchObject({
      data: { status: 'completed', suggestions: ['把计划拆分成任务', '显示任务'] },
    })
  })
})

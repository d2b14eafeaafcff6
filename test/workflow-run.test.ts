import { describe, expect, it } from 'vitest'
import { calls, says } from './chat-harness.ts'
import { databases } from './harness.ts'
import {
  agent,
  approve,
  handsIn,
  openWorkflows,
  promptOf,
  statusesOf,
  stepOf,
  taskOf,
} from './workflow-runs-harness.ts'

const flow = (steps: object[], more: object = {}) => ({ name: 'flow', steps, ...more })

describe.each(databases)('a workflow run on %s', (_name, openDatabase) => {
  it('does one step after the other and answers with the last', async () => {
    await using opened = await openWorkflows(openDatabase)
    const run = await opened.run(flow([agent('one'), agent('two'), agent('three')]))
    expect(run).toMatchObject({ status: 'completed', output: 'three done', name: 'flow', trigger: 'api' })
    expect(statusesOf(run)).toEqual({ one: 'completed', two: 'completed', three: 'completed' })
    expect(opened.requests.map(taskOf)).toEqual(['one', 'two', 'three'])
    // the second was given what the first said, the first nothing
    expect(JSON.stringify(opened.requests[0])).not.toContain('"input"')
    expect(JSON.stringify(opened.requests[1])).toContain('one done')
    expect(JSON.stringify(opened.requests[2])).toContain('two done')
  })

  it('fails with a step that fails, and does not go on', async () => {
    await using opened = await openWorkflows(openDatabase, (request) =>
      taskOf(request) === 'two' ? [new Error('the model is gone')] : handsIn()(request, 0),
    )
    const run = await opened.run(flow([agent('one'), agent('two'), agent('three')]))
    expect(run.status).toBe('failed')
    expect(run.error).toContain('"two"')
    expect(statusesOf(run)).toEqual({ one: 'completed', two: 'failed' })
  })

  it('goes on after a failure where the definition says so, and names what failed', async () => {
    const script = handsIn({ two: { output: 'no way', status: 'failed' } })
    await using opened = await openWorkflows(openDatabase, script)
    const run = await opened.run(
      flow([agent('one'), agent('two'), agent('three', { condition: "$two.status == 'failed'" })], {
        config: { errorStrategy: 'continue' },
      }),
    )
    expect(run).toMatchObject({ status: 'completed', output: 'three done', failedSteps: ['two'] })
    // what was last completed goes on, not what failed
    expect(JSON.stringify(opened.requests.at(-1))).toContain('one done')
    const broken = await opened.run(
      flow([agent('one'), agent('two')], { config: { errorStrategy: 'continue' } }),
    )
    expect(broken.status).toBe('failed')
  })

  it('counts nothing at all as a failure, and last words as what they are', async () => {
    await using opened = await openWorkflows(openDatabase, (request) =>
      taskOf(request) === 'empty' ? says('') : says('just words'),
    )
    const words = await opened.run(flow([agent('talk')]))
    expect(stepOf(words, 'talk')).toMatchObject({ status: 'completed', degraded: true, output: 'just words' })
    const empty = await opened.run(flow([agent('empty')]))
    expect(empty.status).toBe('failed')
  })

  it('hands on structured data, args and conditions', async () => {
    const script = handsIn({ score: { output: 'scored', structured_data: { points: 7, tags: ['a', 'b'] } } })
    await using opened = await openWorkflows(openDatabase, script)
    const run = await opened.run(
      flow(
        [
          agent('score'),
          agent('high', {
            condition: '$score.data.points >= $args.limit',
            prompt: 'do high $score.data.tags[1]',
          }),
          agent('low', { condition: 'not ($score.data.points >= $args.limit)' }),
          { id: 'pick', type: 'transform', input: '$score.data', transform: 'tags[0]' },
          { id: 'gone', type: 'transform', input: '$score.data', transform: 'nowhere.x' },
          { id: 'plain', type: 'transform', transform: 'All of them.' },
          { id: 'text', type: 'transform', transform: '$pick.output/$args.limit' },
        ],
        { args: { limit: { type: 'number', default: 5 } } },
      ),
    )
    expect(statusesOf(run)).toMatchObject({ high: 'completed', low: 'skipped' })
    expect(opened.requests.map(promptOf).join()).toContain('do high b')
    expect(stepOf(run, 'pick')).toMatchObject({ output: 'a' })
    expect(stepOf(run, 'gone')).toMatchObject({ output: '', data: null })
    expect(stepOf(run, 'plain')).toMatchObject({ output: 'All of them.' })
    expect(run.output).toBe('a/5')
  })

  it('takes defaults for args that are not given, and refuses what does not fit with all of it at once', async () => {
    await using opened = await openWorkflows(openDatabase)
    const definition = flow([agent('one', { prompt: 'do one $args.topic $args.count' })], {
      args: { topic: { description: 'what' }, count: { type: 'number', default: 3 }, empty: { default: '' } },
    })
    const run = await opened.run(definition, { topic: 'tea', count: '' as never })
    expect(run.args).toEqual({ topic: 'tea', count: 3, empty: '' })
    expect(opened.requests.map(promptOf).join()).toContain('do one tea 3')
    await expect(opened.start(definition, { count: 'x', more: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      details: { problems: expect.arrayContaining([expect.stringContaining('topic')]) },
    })
    const { items } = await opened.parley.workflows.runs()
    expect(items).toHaveLength(1)
  })

  it('gives the first step its args, unless its text speaks of them', async () => {
    await using opened = await openWorkflows(openDatabase)
    await opened.run(flow([agent('one')]), { topic: 'unspoken' })
    expect(JSON.stringify(opened.requests[0])).toContain('unspoken')
  })

  it('has its last step hand in what it promises', async () => {
    const script = handsIn({ two: { title: 'T', score: 9 } })
    await using opened = await openWorkflows(openDatabase, script)
    const run = await opened.run(
      flow([agent('one'), agent('two')], {
        outputs: { title: { type: 'string' }, score: { type: 'number' } },
      }),
    )
    expect(run).toMatchObject({ status: 'completed', output: 'T', data: { title: 'T', score: 9 } })
    const tool = opened.requests.at(-1)!.tools.find(({ name }) => name === 'set_result')!
    expect(tool.inputSchema).toMatchObject({ required: ['title', 'score'] })
  })

  it('cuts long outputs', async () => {
    await using opened = await openWorkflows(openDatabase, handsIn({ long: 'x'.repeat(500) }))
    const run = await opened.run(flow([agent('long')], { config: { maxStepOutputChars: 100 } }))
    expect(run.output).toBe(`${'x'.repeat(100)}\n... (truncated)`)
  })

  it('tells each step where it stands, in a session of its own', async () => {
    await using opened = await openWorkflows(openDatabase)
    const run = await opened.run(flow([agent('one'), agent('two')]), { a: 'b'.repeat(500) })
    const { sessionId } = stepOf(run, 'two')!
    const session = await opened.parley.sessions.get(sessionId!)
    expect(session).toMatchObject({
      kind: 'background',
      parentId: run.sessionId,
      bgMeta: { source: 'workflow', sourceId: run.id, triggerType: 'workflow' },
      bgStatus: 'completed',
    })
    if (_name === 'SQLite') expect(session.bgMeta!.workspaceDir).toContain(run.sessionId)
    const { system } = opened.requests[1]!
    expect(JSON.stringify(system)).toContain('workflow_context')
    expect(JSON.stringify(system)).toContain('output of one: one done')
    expect(JSON.stringify(system)).toContain('b'.repeat(200))
    expect(JSON.stringify(system)).not.toContain('b'.repeat(202))
  })
})

describe.each(databases)('an approval of a workflow on %s', (_name, openDatabase) => {
  const definition = flow([agent('draft'), approve('check'), agent('publish')])

  it('pauses the run until somebody says yes, and passes on what it was given', async () => {
    await using opened = await openWorkflows(openDatabase)
    const paused = await opened.run(definition)
    expect(paused.status).toBe('paused')
    const step = stepOf(paused, 'check')!
    expect(step).toMatchObject({ status: 'paused', question: 'Is it good?', output: 'draft done' })
    expect(await opened.parley.background.activeCount()).toBe(0)
    await opened.parley.workflows.resume(paused.id, { token: step.token!, approved: true, comment: 'fine' })
    const run = await opened.settled(paused)
    expect(run).toMatchObject({ status: 'completed', output: 'publish done' })
    expect(stepOf(run, 'check')).toMatchObject({ approved: true, comment: 'fine' })
    expect(stepOf(run, 'check')).not.toHaveProperty('token')
    expect(JSON.stringify(opened.requests.at(-1))).toContain('draft done')
  })

  it('ends the run with a no, unless the step lets it go on', async () => {
    await using opened = await openWorkflows(openDatabase)
    const one = await opened.run(definition)
    await opened.parley.workflows.resume(one.id, {
      token: stepOf(one, 'check')!.token!,
      approved: false,
      comment: 'too long',
    })
    expect(await opened.settled(one)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('too long'),
    })
    const two = await opened.run(
      flow([
        agent('draft'),
        approve('check', { onReject: 'continue' }),
        agent('publish', { condition: '$check.approved' }),
        agent('rewrite', { condition: 'not $check.approved', prompt: 'do rewrite $check.data.comment' }),
      ]),
    )
    await opened.parley.workflows.resume(two.id, {
      token: stepOf(two, 'check')!.token!,
      approved: false,
      comment: 'shorter',
    })
    const run = await opened.settled(two)
    expect(statusesOf(run)).toMatchObject({ publish: 'skipped', rewrite: 'completed' })
    expect(promptOf(opened.requests.at(-1)!)).toContain('do rewrite shorter')
  })

  it('refuses a wrong token, a second answer and an answer to what is over', async () => {
    await using opened = await openWorkflows(openDatabase)
    const paused = await opened.run(definition)
    const other = await opened.run(definition)
    const { workflows } = opened.parley
    const token = stepOf(paused, 'check')!.token!
    await expect(workflows.resume(paused.id, { token: 'x', approved: true })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(workflows.resume(other.id, { token, approved: true })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await expect(
      workflows.resume(paused.id, { token, approved: true, scope: 'elsewhere' }),
    ).rejects.toMatchObject({ code: 'not_found' })
    // of many answers at once one counts
    const answers = await Promise.allSettled(
      [true, false, true, false].map((approved) => workflows.resume(paused.id, { token, approved })),
    )
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await opened.settled(paused)
    await expect(workflows.resume(paused.id, { token, approved: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    await workflows.cancel(other.id)
    expect(await opened.settled(other)).toMatchObject({ status: 'cancelled' })
    await expect(
      workflows.resume(other.id, { token: stepOf(other, 'check')!.token!, approved: true }),
    ).rejects.toMatchObject({ code: 'conflict' })
  })

  it('stands in the inbox of all asks, and can be answered there', async () => {
    await using opened = await openWorkflows(openDatabase)
    const paused = await opened.run(definition)
    const { items } = await opened.parley.approvals.list()
    expect(items).toMatchObject([{ kind: 'question', runId: paused.id, reason: 'Is it good?' }])
    await expect(
      opened.parley.approvals.decide(items[0]!.id, { decision: 'approve', remember: 'scope' }),
    ).rejects.toMatchObject({ code: 'invalid_request' })
    await opened.parley.approvals.decide(items[0]!.id, { decision: 'approve' })
    expect(await opened.settled(paused)).toMatchObject({ status: 'completed' })
    expect((await opened.parley.approvals.list()).items).toEqual([])
  })

  it('counts as a no when its time is over', async () => {
    await using opened = await openWorkflows(openDatabase)
    const started = await opened.start(flow([approve('check', { timeoutMs: 1_000 }), agent('after')]))
    await expect.poll(async () => (await opened.parley.workflows.getRun(started.id)).status).toBe('timeout')
    expect(opened.requests).toEqual([])
    expect((await opened.parley.approvals.list()).items).toEqual([])
  })

  it('is told of when nobody has to answer any more', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { store, workflows } = opened.parley
    const cancelled = await opened.run(definition)
    await workflows.cancel(cancelled.id)
    await opened.settled(cancelled)
    const late = await opened.start(flow([approve('check', { timeoutMs: 1_000 })]))
    await expect.poll(async () => (await workflows.getRun(late.id)).status).toBe('timeout')
    const events = await store.listEvents('default', { after: 0, limit: 200 })
    const settled = events.filter(({ type }) => type === 'approval-settled').map(({ data }) => data)
    expect(settled).toMatchObject([
      { runId: cancelled.id, status: 'cancelled' },
      { runId: late.id, status: 'expired' },
    ])
  })

  it('does not count against the time of the run, unless the definition says so', async () => {
    await using opened = await openWorkflows(openDatabase)
    const patient = await opened.start(
      flow([approve('check'), agent('after')], { config: { maxTotalTimeoutMs: 12_000 } }),
    )
    const strict = await opened.start(
      flow([approve('check'), agent('after')], { config: { maxTotalTimeoutMs: 12_000, countsPauses: true } }),
    )
    await opened.settled(patient)
    await expect.poll(async () => (await opened.parley.workflows.getRun(strict.id)).status).toBe('timeout')
    const paused = await opened.parley.workflows.getRun(patient.id)
    expect(paused.status).toBe('paused')
    await opened.parley.workflows.resume(paused.id, {
      token: stepOf(paused, 'check')!.token!,
      approved: true,
    })
    expect(await opened.settled(paused)).toMatchObject({ status: 'completed' })
  })
})

describe.each(databases)('steps in steps on %s', (_name, openDatabase) => {
  it('run side by side, and say what each came to', async () => {
    await using opened = await openWorkflows(openDatabase)
    const run = await opened.run(
      flow([
        agent('begin'),
        {
          id: 'both',
          type: 'parallel',
          branches: { left: [agent('l1'), agent('l2')], right: [agent('r1')] },
        },
        agent('end', { prompt: 'do end $both.data.left / $both.data.right / $l1.output' }),
      ]),
    )
    expect(run.status).toBe('completed')
    expect(statusesOf(run)).toMatchObject({
      both: 'completed',
      'both/l1': 'completed',
      'both/r1': 'completed',
    })
    expect(promptOf(opened.requests.at(-1)!)).toContain('do end l2 done / r1 done / l1 done')
    expect(stepOf(run, 'both')!.output).toBe('## left\n\nl2 done\n\n## right\n\nr1 done')
  })

  it('run for each item, in order and not more at once than said', async () => {
    let most = 0
    let open = 0
    const pairs = [0, 1].map(() => ({ ...Promise.withResolvers<void>(), here: 0 }))
    await using opened = await openWorkflows(openDatabase, (request) => {
      most = Math.max(most, ++open)
      // two that belong together go on when both are there
      const pair = pairs[Math.floor(Number(/item \w+ (\d)/.exec(promptOf(request))![1]) / 2)]
      if (pair && ++pair.here === 2) pair.resolve()
      const wait = Promise.resolve(pair?.promise).then(() => open--)
      return [wait, ...calls(['set_result', { output: /item (\w+) (\d)/.exec(promptOf(request))![0] }])]
    })
    const run = await opened.run(
      flow([
        {
          id: 'each',
          type: 'foreach',
          items: '$args.list',
          as: 'word',
          maxConcurrency: 2,
          steps: [{ id: 'look', type: 'agent', prompt: 'item $word $index' }],
        },
        { id: 'second', type: 'transform', transform: '$each.data[1]' },
      ]),
      { list: ['a', 'b', 'c', 'd', 'e'] },
    )
    expect(run).toMatchObject({ status: 'completed', output: 'item b 1' })
    expect(stepOf(run, 'each')!.data).toEqual(['item a 0', 'item b 1', 'item c 2', 'item d 3', 'item e 4'])
    expect(most).toBe(2)
  })

  it('fail for what is no list, and for more items than there may be', async () => {
    await using opened = await openWorkflows(openDatabase)
    const each = (more: object) => flow([{ id: 'each', type: 'foreach', steps: [agent('x')], ...more }])
    expect(await opened.run(each({ items: '$args.list' }), { list: 'no list' })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('is no list'),
    })
    expect(await opened.run(each({ items: [1, 2, 3], maxItems: 2 }))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('3 items'),
    })
    expect(await opened.run(each({ items: [] }))).toMatchObject({ status: 'completed', output: '' })
    expect(opened.requests).toEqual([])
  })

  it('take the first case that is true, or else', async () => {
    await using opened = await openWorkflows(openDatabase)
    const definition = flow([
      agent('start'),
      {
        id: 'way',
        type: 'branch',
        cases: [
          { when: "$args.way == 'a'", steps: [agent('a')] },
          { when: "$args.way == 'b'", steps: [agent('b')] },
        ],
        else: [agent('c')],
      },
      { id: 'last', type: 'transform', transform: '$prev.output' },
    ])
    expect((await opened.run(definition, { way: 'a' })).output).toBe('a done')
    expect((await opened.run(definition, { way: 'b' })).output).toBe('b done')
    expect((await opened.run(definition, { way: 'z' })).output).toBe('c done')
    const without = structuredClone(definition)
    delete (without.steps[1] as { else?: unknown }).else
    expect((await opened.run(without, { way: 'z' })).output).toBe('start done')
  })

  it('go round until it is done, and know what the round before said', async () => {
    let round = 0
    await using opened = await openWorkflows(openDatabase, (request) =>
      taskOf(request) === 'review'
        ? calls(['set_result', { output: `review ${++round}`, structured_data: { pass: round === 3 } }])
        : handsIn()(request, 0),
    )
    const run = await opened.run(
      flow([
        {
          id: 'polish',
          type: 'loop',
          until: '$review.data.pass == true',
          maxIterations: 5,
          steps: [agent('write', { prompt: 'do write $iteration after [$review.output]' }), agent('review')],
        },
        { id: 'last', type: 'transform', transform: '$polish.output, $review.output' },
      ]),
    )
    expect(run).toMatchObject({ status: 'completed', output: 'review 3, review 3' })
    expect(
      opened.requests
        .map(promptOf)
        .filter((text) => text.includes('do write'))
        .map((text) => /do write.*?\]/.exec(text)![0]),
    ).toEqual(['do write 1 after []', 'do write 2 after [review 1]', 'do write 3 after [review 2]'])
    expect(statusesOf(run)).toMatchObject({ 'polish#3/review': 'completed', polish: 'completed' })
  })

  it('give up after the last round, or when two rounds come to the same', async () => {
    await using opened = await openWorkflows(openDatabase)
    const loop = (more: object) =>
      flow([{ id: 'round', type: 'loop', until: false, maxIterations: 3, steps: [agent('try')], ...more }])
    expect(await opened.run(loop({}))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('3 rounds'),
    })
    expect(await opened.run(loop({ onLimit: 'continue' }))).toMatchObject({ status: 'completed' })
    opened.requests.length = 0
    expect(await opened.run(loop({ stopWhenRepeated: '$try.output' }))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Rounds 1 and 2'),
    })
    expect(opened.requests).toHaveLength(2)
  })

  it('ask in one branch while another goes on, and both have to be over', async () => {
    await using opened = await openWorkflows(openDatabase)
    const paused = await opened.run(
      flow([
        {
          id: 'both',
          type: 'parallel',
          branches: { asks: [approve('first'), approve('second')], works: [agent('a'), agent('b')] },
        },
      ]),
    )
    expect(statusesOf(paused)).toMatchObject({ 'both/first': 'paused', 'both/b': 'completed' })
    const answer = async (path: string) => {
      const run = await opened.parley.workflows.getRun(paused.id)
      await opened.parley.workflows.resume(run.id, { token: stepOf(run, path)!.token!, approved: true })
    }
    await answer('both/first')
    await expect
      .poll(async () => statusesOf(await opened.parley.workflows.getRun(paused.id))['both/second'])
      .toBe('paused')
    await answer('both/second')
    expect(await opened.settled(paused)).toMatchObject({ status: 'completed' })
  })
})

describe.each(databases)('retries and time limits on %s', (_name, openDatabase) => {
  it('tries again as often as it may, each in a session of its own', async () => {
    let tries = 0
    await using opened = await openWorkflows(openDatabase, () =>
      calls(['set_result', ++tries < 3 ? { output: 'no', status: 'failed' } : { output: 'yes' }]),
    )
    const run = await opened.run(flow([agent('hard', { retryConfig: { maxRetries: 3, retryDelayMs: 1 } })]))
    expect(run).toMatchObject({ status: 'completed', output: 'yes' })
    expect(stepOf(run, 'hard')!.attempt).toBe(3)
    const { items } = await opened.parley.sessions.list({ kind: 'background' })
    expect(items.map(({ bgStatus }) => bgStatus).sort()).toEqual(['completed', 'failed', 'failed'])
  })

  it('gives up when the tries are used up, or when it is not what is retried', async () => {
    let tries = 0
    await using opened = await openWorkflows(openDatabase, () => {
      tries++
      return calls(['set_result', { output: 'no', status: 'failed' }])
    })
    const hard = (retryOn: string[]) =>
      flow([agent('hard', { retryConfig: { maxRetries: 2, retryDelayMs: 1, retryOn } })])
    expect(await opened.run(hard(['failed']))).toMatchObject({ status: 'failed' })
    expect(tries).toBe(3)
    expect(await opened.run(hard(['timeout']))).toMatchObject({ status: 'failed' })
    expect(tries).toBe(4)
  })

  it('ends a step whose time is over, and the run whose time is over with what goes on in it', async () => {
    await using opened = await openWorkflows(openDatabase, () => [new Promise(() => {})])
    const step = await opened.run(flow([agent('slow', { timeoutMs: 1_000 })]))
    expect(step).toMatchObject({ status: 'timeout' })
    expect(stepOf(step, 'slow')).toMatchObject({ status: 'timeout' })
    const whole = await opened.run(flow([agent('slow')], { config: { maxTotalTimeoutMs: 5_000 } }))
    expect(whole).toMatchObject({ status: 'timeout' })
    expect(stepOf(whole, 'slow')).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => opened.parley.background.activeCount()).toBe(0)
  })

  it('may have more time than a timer can be set for', async () => {
    await using opened = await openWorkflows(openDatabase)
    const run = await opened.run(flow([agent('one')], { config: { maxTotalTimeoutMs: 30 * 86_400_000 } }))
    expect(run).toMatchObject({ status: 'completed' })
  })

  it('cancels what goes on, once', async () => {
    await using opened = await openWorkflows(openDatabase, () => [new Promise(() => {})])
    const { workflows } = opened.parley
    const run = await opened.start(
      flow([{ id: 'both', type: 'parallel', branches: { a: [agent('x')], b: [agent('y')] } }]),
    )
    await expect.poll(() => opened.requests.length).toBe(2)
    await workflows.cancel(run.id)
    expect(await opened.settled(run)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => opened.parley.background.activeCount()).toBe(0)
    await expect(workflows.cancel(run.id)).rejects.toMatchObject({ code: 'conflict' })
    await expect(workflows.cancel('run_nobody')).rejects.toMatchObject({ code: 'not_found' })
    await expect(workflows.cancel(run.id, { scope: 'elsewhere' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe.each(databases)('a rerun on %s', (_name, openDatabase) => {
  it('does a step and what follows again, and takes the rest over', async () => {
    let fails = true
    await using opened = await openWorkflows(openDatabase, (request) =>
      taskOf(request) === 'two' && fails
        ? calls(['set_result', { output: 'broken', status: 'failed' }])
        : handsIn()(request, 0),
    )
    const first = await opened.run(flow([agent('one'), agent('two'), agent('three')]), { a: 1 })
    expect(first.status).toBe('failed')
    fails = false
    opened.requests.length = 0
    const { workflows } = opened.parley
    const second = await opened.settled(await workflows.rerun(first.id, { fromStep: 'two' }))
    expect(second).toMatchObject({ status: 'completed', rerunOf: first.id, trigger: 'rerun', args: { a: 1 } })
    expect(stepOf(second, 'one')).toMatchObject({ reused: true, output: 'one done' })
    expect(opened.requests.map(taskOf)).toEqual(['two', 'three'])
    // the recorded run is as it was
    expect(await workflows.getRun(first.id)).toEqual(first)
    await expect(workflows.rerun(first.id, { fromStep: 'three' })).rejects.toMatchObject({ code: 'conflict' })
    await expect(workflows.rerun(first.id, { fromStep: 'nine' })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    const again = await opened.settled(await workflows.rerun(first.id, { args: { a: 2 } }))
    expect(again).toMatchObject({ status: 'completed', args: { a: 2 } })
  })
})

describe.each(databases)('a rerun of what was cancelled on %s', (_name, openDatabase) => {
  it('takes over no list that was done in part, where failures are passed over', async () => {
    await using opened = await openWorkflows(openDatabase)
    const { workflows } = opened.parley
    const items = {
      id: 'each',
      type: 'foreach',
      items: [1, 2, 3],
      maxConcurrency: 1,
      steps: [approve('ask')],
    }
    const paused = await opened.run(flow([items, agent('last')], { config: { errorStrategy: 'continue' } }))
    await workflows.cancel(paused.id)
    await opened.settled(paused)
    await expect(workflows.rerun(paused.id, { fromStep: 'last' })).rejects.toMatchObject({ code: 'conflict' })
  })
})

describe.each(databases)('what a workflow run must not come to on %s', (_name, openDatabase) => {
  const item = (id: string, steps: object[]) => ({
    id,
    type: 'foreach',
    items: Array.from({ length: 50 }, (_, index) => index),
    steps,
  })

  it('has no more steps than it may, however its lists are nested', async () => {
    await using opened = await openWorkflows(openDatabase, handsIn(), { workflows: { maxRunSteps: 500 } })
    const many = flow([item('a', [item('b', [item('c', [{ type: 'transform', transform: '$item' }])])])])
    expect(await opened.run(many)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('workflows.maxRunSteps'),
    })
    expect(await opened.run(flow([item('a', [{ type: 'transform', transform: '$index' }])]))).toMatchObject({
      status: 'completed',
    })
  })

  it('has no data that doubles with every step', async () => {
    await using opened = await openWorkflows(openDatabase)
    const double = (index: number) => ({
      id: `d${index}`,
      type: 'transform',
      input: { pair: index === 0 ? ['seed'] : [`$d${index - 1}.data`, `$d${index - 1}.data`] },
      transform: 'pair',
    })
    const run = await opened.run(flow(Array.from({ length: 40 }, (_, index) => double(index))))
    expect(run).toMatchObject({ status: 'failed', error: expect.stringMatching(/4.?000.?000/) })
  })

  it('cannot be changed by who looks at it', async () => {
    await using opened = await openWorkflows(openDatabase)
    const paused = await opened.run(flow([approve('check'), agent('after')]))
    const [, after] = paused.definition.steps as { prompt: string }[]
    expect(() => (after!.prompt = 'do harm')).toThrow(TypeError)
    await opened.parley.workflows.resume(paused.id, {
      token: stepOf(paused, 'check')!.token!,
      approved: true,
    })
    expect(await opened.settled(paused)).toMatchObject({ output: 'after done' })
  })

  it('does not wait for a step whose session was deleted', async () => {
    await using opened = await openWorkflows(openDatabase, () => [new Promise(() => {})])
    const { sessions, workflows } = opened.parley
    const started = await opened.start(flow([agent('one')]))
    await expect.poll(() => opened.requests.length).toBe(1)
    const { sessionId } = stepOf(await workflows.getRun(started.id), 'one')!
    await sessions.delete(sessionId!)
    expect(await opened.settled(started)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('session was deleted'),
    })
  })

  it('takes no input into its own session before its end, and loses none', async () => {
    await using opened = await openWorkflows(openDatabase, () => says('It was nothing.'))
    const { sessions, workflows } = opened.parley
    const paused = await opened.run(flow([approve('check')]))
    for (const policy of ['enqueue', 'steer', 'interrupt', 'reject'] as const)
      await expect(sessions.send(paused.sessionId, { content: 'hello', policy })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(paused.id),
      })
    expect((await workflows.getRun(paused.id)).status).toBe('paused')
    await sessions.stop(paused.sessionId)
    expect(await opened.settled(paused)).toMatchObject({ status: 'cancelled' })
    expect((await sessions.chat(paused.sessionId, 'What was it?')).run.status).toBe('completed')
  })

  it('ends where its text cannot be read any more', async () => {
    await using opened = await openWorkflows(openDatabase, handsIn(), { takesUpRuns: false })
    const { store, workflows, chats } = opened.parley
    const one = await opened.start(flow([agent('one')]))
    const two = await opened.start(flow([agent('one')]))
    for (const { id } of [one, two])
      expect(await store.editQueuedRun('default', id, { text: 'steps: of an older time', args: {} })).toBe(
        true,
      )
    chats.adopt(one.sessionId)
    expect(await opened.settled(one)).toMatchObject({ status: 'failed', name: 'flow' })
    expect(await workflows.cancel(two.id)).toMatchObject({ status: 'cancelled' })
  })
})

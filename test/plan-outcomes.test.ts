import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../src/core/models/adapter.ts'
import { ModelFault } from '../src/core/models/fault.ts'
import { executePlan, runNode } from '../src/extensions/plan/runs.ts'
import { acceptNode } from '../src/extensions/plan/node-status.ts'
import type { ExecutePlan } from '../src/extensions/plan/protocol/plan-run.ts'
import { calls, says } from './chat-harness.ts'
import { databases, temporaryFolder } from './harness.ts'
import { caller, openPlans, type NodeSpec, type OpenedPlans } from './plan-harness.ts'

const execute = async ({ parley, settled }: OpenedPlans, planId: string, wish: ExecutePlan = {}) =>
  settled((await executePlan(parley.store, parley.services.plans, caller, planId, wish)).id)
const accept = ({ parley }: OpenedPlans, planId: string, nodeId: number) =>
  acceptNode(parley.store, parley.services.plans, caller, { planId, nodeId })

const handsIn = (status: string, output = `it is ${status}`) => calls(['set_result', { output, status }])
const withheld: ModelEvent[] = [{ type: 'finish', reason: 'content-filter', usage: {} }]
/** A, and B that waits for it. */
const two: (string | NodeSpec)[] = ['A', { name: 'B', after: [1] }]

describe.each(databases)('what a node came to on %s', (_name, openDatabase) => {
  it('a node whose model only says words is not completed, and what waits for it does not begin', async () => {
    const done: string[] = []
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        done.push(name)
        return name === 'A' ? says('I am sorry, I cannot do that.') : undefined
      },
    })
    const { planId } = await opened.plan(two)
    const run = await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'partial', 2: 'blocked' })
    expect(await opened.node(planId, 1)).toMatchObject({
      reason: expect.stringContaining('handed in no result'),
      result: {
        status: 'partial',
        source: 'extracted',
        output: 'I am sorry, I cannot do that.',
        attempts: 1,
      },
    })
    expect((await opened.node(planId, 2)).reason).toBe('It waits: task 1 is done only in part.')
    // asked and reminded once, and not tried again: what it did may have had effects
    expect(done).toEqual(['A', 'A'])
    expect(run).toMatchObject({
      status: 'failed',
      summary: '0 done; 1 partial (1); 0 failed; 1 blocked (2)',
      steps: [
        { nodeId: 1, status: 'partial' },
        { nodeId: 2, status: 'skipped' },
      ],
    })
  })

  it('words are enough where checks say that the work is done, and not where they say otherwise', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'report.md'), 'all of it')
    await using opened = await openPlans(
      openDatabase,
      { node: () => says('The report is written.') },
      { plans: { nodeRetries: 0 }, scopes: { default: { root: folder.path } } },
    )
    const { planId } = await opened.plan([
      { name: 'Checked', acceptance: ['file_nonempty:report.md'] },
      { name: 'Missing', acceptance: ['file_nonempty:other.md'] },
      { name: 'Warned', acceptance: ['?file_nonempty:report.md'] },
    ])
    await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'failed', 3: 'partial' })
  })

  it('what is handed in as a part is partial, also where its checks pass', async () => {
    await using opened = await openPlans(openDatabase, {
      node: (name) => (name === 'A' ? handsIn('partial', 'three of five') : undefined),
    })
    const { planId } = await opened.plan([{ name: 'A', acceptance: ['result_contains:three'] }, two[1]!])
    await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'partial', 2: 'blocked' })
    expect(await opened.node(planId, 1)).toMatchObject({
      reason: 'Only a part of it was done.',
      result: { output: 'three of five', checks: [{ passed: true }] },
    })
  })

  it.each([
    [
      'the model says so',
      () => handsIn('refused', 'This is against the rules.'),
      'This is against the rules.',
    ],
    ['its provider withholds the answer', () => withheld, 'withheld'],
  ])('a node is refused when %s, and is not tried again', async (_case, node, reason) => {
    let tries = 0
    await using opened = await openPlans(openDatabase, {
      node: (name) => {
        if (name !== 'A') return undefined
        tries++
        return node()
      },
    })
    const { planId } = await opened.plan(two)
    const run = await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'refused', 2: 'blocked' })
    expect((await opened.node(planId, 1)).reason).toContain(reason)
    expect((await opened.node(planId, 2)).reason).toBe('It waits: task 1 was refused.')
    expect(run.summary).toBe('0 done; 1 refused (1); 0 failed; 1 blocked (2)')
    expect(tries).toBe(1)
  })

  it.each(['partial', 'refused'])(
    'what waits for a %s node goes on when a person accepts it',
    async (status) => {
      await using opened = await openPlans(openDatabase, {
        node: (name) => (name === 'A' ? handsIn(status) : undefined),
      })
      const { planId } = await opened.plan(two)
      await execute(opened, planId)
      const accepted = await accept(opened, planId, 1)
      expect(accepted).toMatchObject({ status: 'completed', result: { accepted: true } })
      expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'pending' })
      await execute(opened, planId)
      expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed' })
      await expect(accept(opened, planId, 2)).rejects.toThrow('only one that is partial, refused or failed')
    },
  )

  it('is done again by the next execution, or alone with all that it had blocked', async () => {
    let status = 'partial'
    await using opened = await openPlans(openDatabase, {
      node: (name) => (name === 'A' ? handsIn(status) : undefined),
    })
    const { planId } = await opened.plan(two)
    await execute(opened, planId)
    status = 'refused'
    await execute(opened, planId)
    expect(await opened.statuses(planId)).toEqual({ 1: 'refused', 2: 'blocked' })
    status = 'success'
    const { store } = opened.parley
    const { plans: planDeps } = opened.parley.services
    await opened.settled((await runNode(store, planDeps, caller, { planId, nodeId: 1 }, {})).id)
    expect(await opened.statuses(planId)).toEqual({ 1: 'completed', 2: 'completed' })
  })

  it('stops at a part where it is told to stop at a failure', async () => {
    await using opened = await openPlans(openDatabase, { node: () => handsIn('partial') })
    const { planId } = await opened.plan(['A', 'B'])
    await execute(opened, planId, { onFailure: 'stop', maxParallel: 1 })
    expect(await opened.statuses(planId)).toEqual({ 1: 'partial', 2: 'pending' })
  })

  it('the session of a node is told how to say what became of it', async () => {
    await using opened = await openPlans(openDatabase, { node: () => says('hm') })
    const { planId } = await opened.plan(['A'])
    await execute(opened, planId)
    const [first, reminded] = opened.requests
    expect(first!.system).toContain('## How you hand it in')
    const tool = first!.tools.find(({ name }) => name === 'set_result')!
    expect(tool.inputSchema).toMatchObject({
      properties: { status: { enum: ['success', 'partial', 'failed', 'refused'] } },
    })
    expect(JSON.stringify(reminded!.messages)).toContain('or \\"refused\\" when you will not do it')
  })

  it('a result shows which files were changed, which calls were made and what was said last', async () => {
    using folder = temporaryFolder()
    await using opened = await openPlans(
      openDatabase,
      {
        node: (_node, { messages }) => {
          const steps = messages.filter(({ role }) => role === 'assistant').length
          const write = { action: 'write', path: 'out/report.md', content: 'done' }
          if (steps === 0) return calls(['file', write], ['file', { action: 'read', path: 'nowhere.md' }])
          if (steps === 1)
            return [
              { type: 'text-delta', text: 'The report is there.' },
              ...calls(['set_result', { output: 'See out/report.md', artifacts: ['claimed.md'] }]),
            ]
          return undefined
        },
      },
      {
        plans: { nodeRetries: 0 },
        scopes: { default: { root: folder.path } },
        permissions: { mode: 'acceptEdits' },
      },
    )
    const { planId } = await opened.plan(['A'])
    await execute(opened, planId)
    expect((await opened.node(planId, 1)).result).toMatchObject({
      status: 'success',
      evidence: {
        files: ['out/report.md'],
        calls: { file: 1 },
        failedCalls: 1,
        lastWords: 'The report is there.',
      },
    })
  })

  it('a result shows what the tries before it changed as well', async () => {
    using folder = temporaryFolder()
    let tries = 0
    await using opened = await openPlans(
      openDatabase,
      {
        node: (_node, { messages }) => {
          if (messages.some(({ role }) => role === 'assistant'))
            return handsIn(tries === 1 ? 'failed' : 'success')
          tries++
          return calls(['file', { action: 'write', path: `try-${tries}.md`, content: 'x' }])
        },
      },
      { scopes: { default: { root: folder.path } }, permissions: { mode: 'acceptEdits' } },
    )
    const { planId } = await opened.plan(['A'])
    await execute(opened, planId)
    expect((await opened.node(planId, 1)).result).toMatchObject({
      attempts: 2,
      evidence: { files: ['try-1.md', 'try-2.md'] },
    })
  })

  it.each([
    ['what it sends is wrong', new ModelFault('bad-request', 'no such field', { status: 400 })],
    ['its key is wrong', new ModelFault('auth', 'wrong key', { status: 401 })],
    ['there is no such model', new ModelFault('not-found', 'no such model', { status: 404 })],
  ])('a node is not tried again when the provider says that %s', async (_case, fault) => {
    let tries = 0
    await using opened = await openPlans(openDatabase, {
      node: () => {
        tries++
        return [fault]
      },
    })
    const { planId } = await opened.plan(['A'])
    await execute(opened, planId)
    expect(tries).toBe(1)
    expect(await opened.node(planId, 1)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(fault.message),
    })
  })

  it('outline, Markdown, figures and what a model may ask for show these states', async () => {
    await using opened = await openPlans(openDatabase, {
      node: (name) => handsIn(name === 'A' ? 'partial' : 'refused'),
    })
    const { planId } = await opened.plan(['A', 'B'])
    await execute(opened, planId)
    const { plans } = opened.parley
    expect((await plans.outline(planId)).outline).toContain('- [1] A (partial)\n- [2] B (refused)')
    const { markdown } = await plans.markdown(planId)
    expect(markdown).toBe('- [/] A <!-- #1 -->\n- [=] B <!-- #2 -->\n')
    const copy = await plans.create({ title: 'A copy', markdown })
    expect((await plans.tree(copy.id)).nodes.map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect((await plans.get(planId)).counts).toEqual({ partial: 1, refused: 1 })
    expect(await plans.results(planId)).toMatchObject({
      items: [{ status: 'partial' }, { status: 'refused' }],
      counts: { partial: 1, refused: 1 },
    })
  })
})

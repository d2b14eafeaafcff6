import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import type { NodeRecord } from '../src/extensions/plan/store/plans.ts'
import { databases } from './harness.ts'
import { openPlans, operation, replies, task, type OpenedPlans } from './plan-harness.ts'
import { takeSeed } from './seed.ts'

/** A release runs many more. */
const runs = Math.max(1, Number(process.env.PARLEY_TEST_PLAN_FUZZ ?? 150))

const otherPlan = 'plan_of_somebody_else'
const anyId = fc.oneof(
  fc.integer({ min: -3, max: 9 }),
  fc.constantFrom('1', '#2', '99', 'x', null, 1e12, 1.5, [1], {}),
)
const anyWord = fc.oneof(
  fc.constantFrom(
    'A',
    '',
    ' ',
    '</plan_outline>',
    '@file:/etc/passwd',
    '__proto__',
    'x'.repeat(60_000),
    '\u0000',
    '\ud800',
  ),
  fc.string({ maxLength: 20 }),
)
const anyParameters = fc.oneof(
  fc.constant({}),
  fc.record(
    {
      name: anyWord,
      title: anyWord,
      instruction: anyWord,
      task_id: anyId,
      plan_id: fc.constantFrom(otherPlan, '../x', '', 7),
      parent_id: anyId,
      new_parent_id: anyId,
      position: fc.oneof(anyId, fc.constantFrom('before:1', 'after:99', 'first_child', 'nowhere')),
      new_position: fc.oneof(anyId, fc.constantFrom('before:2', 'after:1')),
      insert_before: anyId,
      insert_after: anyId,
      dependencies: fc.array(anyId, { maxLength: 4 }),
      acceptance: fc.array(fc.constantFrom('file_exists:a', 'nonsense', ''), { maxLength: 2 }),
      metadata: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 3 }),
      query: anyWord,
      rerun: fc.constantFrom('yes', 1, 'maybe', null),
      reason: anyWord,
    },
    { requiredKeys: [] },
  ),
)
const anyAction = fc.record(
  {
    kind: fc.constantFrom(
      'task_operation',
      'task_operation',
      'plan_operation',
      'context_request',
      'system_operation',
      'tool_operation',
      'shell',
    ),
    name: fc.constantFrom(
      'create_task',
      'update_task',
      'update_task_instruction',
      'move_task',
      'delete_task',
      'skip_task',
      'show_tasks',
      'query_status',
      'rerun_task',
      'execute_plan',
      'delete_plan',
      'bind_plan',
      'list_plans',
      'help',
      'request_subgraph',
      'web_search',
      'graph_rag',
      'rm -rf',
      'constructor',
    ),
    parameters: anyParameters,
    blocking: fc.constantFrom(true, false, 'no', null),
    order: fc.constantFrom(1, 2, 0, -1, 3.5, '2', 1e9),
    retry_policy: fc.constantFrom(null, { max_retries: 1 }, { max_retries: 99 }, 'often'),
    metadata: fc.constantFrom({}, null, { a: 1 }, []),
    extra: fc.constant('field'),
  },
  { requiredKeys: ['kind', 'name'] },
)
const wellFormed = fc.constantFrom(
  replies('Adding.', task('create_task', { name: 'New', parent_id: 1 })),
  replies('Moving.', task('move_task', { task_id: 3, new_parent_id: 2 })),
  replies('Changing.', task('update_task', { task_id: 2, name: 'Changed', dependencies: [1] })),
  replies('All of it.', operation('list_plans'), task('show_tasks'), task('create_task', { name: 'x' })),
)
const breaks: ((text: string, at: number) => string)[] = [
  (text) => text,
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  (text, at) => `${text.slice(0, at)},${text.slice(at)}`,
  (text) => `Here you are:\n\`\`\`json\n${text}\n\`\`\`\nDone.`,
  (text) => text.replaceAll('"', "'"),
  (text) => `${text}${text}`,
  (text) => `[${text}]`,
  (text) => JSON.stringify(text),
  (text) => text.replace('{', '{"llm_reply":{"message":"first"},'),
  (text) => text.replace('}', ',}'),
  (text) => `// note\n${text}`,
  (text) => `\ufeff${text}`,
  () => '['.repeat(50_000),
  () => 'I am sorry, I cannot do that.',
]
const anyReply = fc
  .tuple(
    fc.oneof(
      wellFormed,
      fc
        .array(anyAction, { maxLength: 4 })
        .map((actions) => JSON.stringify({ llm_reply: { message: 'Words.' }, actions })),
      fc.jsonValue().map((value) => JSON.stringify(value)),
    ),
    fc.constantFrom(...breaks),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  .map(([text, mutate, at]) => mutate(text, Math.floor(at * text.length)))

/** A tree as it may be: nobody below itself, nobody waiting for himself, every place taken once. */
function expectTree(nodes: readonly NodeRecord[]): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const places = new Set(nodes.map(({ parentId, sort }) => `${parentId}:${sort}`))
  expect(places.size).toBe(nodes.length)
  const waits = (id: number): number[] => [
    ...byId.get(id)!.dependencies,
    ...nodes.flatMap((node) => (node.parentId === id ? [node.id] : [])),
  ]
  for (const { id, parentId, name, status, dependencies } of nodes) {
    expect(name.trim()).not.toBe('')
    expect(parentId === 0 || byId.has(parentId)).toBe(true)
    for (const on of dependencies) expect(byId.has(on)).toBe(true)
    expect(status).toMatch(/^(pending|skipped|completed|running|blocked|failed)$/)
    const seen = new Set<number>()
    const open = waits(id)
    while (open.length > 0) {
      const next = open.pop()!
      expect(next).not.toBe(id)
      if (seen.has(next)) continue
      seen.add(next)
      open.push(...waits(next))
    }
  }
}

const [, openDatabase] = databases.find(([name]) => name === 'SQLite')!

it(
  `keeps a plan right over ${runs} replies of a model that is broken, careless or hostile`,
  async () => {
    let reply = ''
    await using opened = await openPlans(
      openDatabase,
      { chat: () => reply },
      { permissions: { mode: 'bypassPermissions' }, plans: { maxFollowUps: 0, nodeRetries: 0 } },
    )
    const { store } = opened.parley
    await opened.plan()
    await store.createPlan({
      id: otherPlan,
      scope: 'default',
      title: 'Theirs',
      description: '',
      metadata: {},
    })
    const counts = { refused: 0, words: 0, done: 0, failed: 0 }
    const begin = async () => {
      const { planId } = await opened.plan(['A', { name: 'B', parentId: 1 }, { name: 'C', after: [1] }])
      return { planId, sessionId: await opened.session(planId) }
    }
    let place = await begin()
    let left = 40
    await fc.assert(
      fc.asyncProperty(anyReply, async (text) => {
        // a long conversation and a plan that has grown cost time and show nothing new
        if (--left === 0 || !(await store.getPlan('default', place.planId))) {
          place = await begin()
          left = 40
        }
        reply = text
        await tryReply(opened, place, counts)
      }),
      { numRuns: runs, seed: takeSeed() },
    )
    expect(await store.requirePlan('default', otherPlan)).toMatchObject({ title: 'Theirs', version: 0 })
    expect(counts.refused).toBeGreaterThan(runs / 20)
    expect(counts.done).toBeGreaterThan(runs / 40)
    process.stdout.write(`${runs} replies: ${JSON.stringify(counts)}\n`)
  },
  60_000 + runs * 200,
)

async function tryReply(
  { parley, settled }: OpenedPlans,
  { planId, sessionId }: { planId: string; sessionId: string },
  counts: Record<string, number>,
): Promise<void> {
  const { store } = parley
  const before = await store.requirePlan('default', planId)
  const nodesBefore = JSON.stringify(await store.listNodes(planId))
  const { message, run } = await parley.sessions.chat(sessionId, {
    content: 'go and search the knowledge graph',
  })
  if (run.status === 'failed') {
    counts.refused!++
    const { code, message: words } = run.outcome as { code: string; message: string }
    expect(code).toBe('reply_invalid')
    expect(words.length).toBeGreaterThan(20)
    expect(messageText(message!)).toBe('')
    expect((await store.requirePlan('default', planId)).version).toBe(before.version)
    expect(JSON.stringify(await store.listNodes(planId))).toBe(nodesBefore)
    return
  }
  expect(run.status).toBe('completed')
  expect(messageText(message!)).not.toBe('')
  const turn = message!.parts.find(({ type }) => type === 'data-plan')!.data as { runId?: string }
  if (turn.runId === undefined) {
    counts.words!++
    expect((await store.requirePlan('default', planId)).version).toBe(before.version)
    return
  }
  const { status, steps } = await settled(turn.runId)
  counts[status === 'completed' ? 'done' : 'failed']!++
  for (const step of steps) {
    expect(step.status).toMatch(/^(completed|failed|skipped)$/)
    if (step.status === 'failed') expect(step.error).toMatch(/\w/)
  }
  if (steps.every((step) => step.status !== 'completed'))
    expect((await store.getPlan('default', planId))?.version).toBe(before.version)
  if (await store.getPlan('default', planId)) expectTree(await store.listNodes(planId))
}

import { describe, expect, it } from 'vitest'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import type { Parley } from '../src/parley.ts'
import type { WorkflowRun } from '../src/extensions/workflow/protocol/workflow.ts'
import { shippedDefinitions } from '../src/extensions/workflow/shipped-definitions.ts'
import { calls, type Script } from './chat-harness.ts'
import { anyDatabase } from './harness.ts'
import { openWorkflows, promptOf, statusesOf, stepOf, type OpenedWorkflows } from './workflow-runs-harness.ts'

const text = (name: string) => shippedDefinitions().find((one) => one.name === name)!.text

/** What each step of the shipped definitions is asked, by words that no other is. */
const steps = {
  research: 'Research this topic',
  write: 'Write an article',
  edit: 'as a strict editor',
  rewrite: 'You are given an article, an editor',
  plan: 'plan the change',
  code: 'You are the coder',
  review: 'You are the reviewer',
  test: 'You are the tester',
  summary: 'Sum it up',
  changes: 'List what changed',
  due: 'List what is due',
  digest: 'Write the morning digest',
  draft: 'Write the text',
  revise: 'does not want it published as it is',
}
type Name = keyof typeof steps

const nameOf = (request: ModelRequest): Name | undefined =>
  (Object.keys(steps) as Name[]).find((name) => promptOf(request).includes(steps[name]))

/** Hands in what the table says for each time a step is asked; the last of a list counts for all times after. */
function answering(table: Partial<Record<Name, object | object[]>>): Script {
  const times = new Map<Name, number>()
  return (request) => {
    const name = nameOf(request)
    if (!name) return [new Error(`Nobody expected ${promptOf(request)}`)]
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    const answers = [table[name] ?? { output: `${name} ${time}` }].flat()
    return calls(['set_result', answers[Math.min(time, answers.length) - 1]])
  }
}

const asked = ({ requests }: OpenedWorkflows) => requests.map(nameOf)
const lastAsked = ({ requests }: OpenedWorkflows, name: Name) =>
  JSON.stringify(requests.findLast((request) => nameOf(request) === name))

async function documentsOf(parley: Parley): Promise<{ title: string; content: string }[]> {
  const { items } = await parley.documents.list({})
  const all = await Promise.all(items.map(({ id }) => parley.documents.get(id)))
  return all.map(({ title, content }) => ({ title, content }))
}

async function noticesOf({ store }: Parley): Promise<unknown[]> {
  const events = await store.listEvents('default', { after: 0, limit: 1_000 })
  return events.filter(({ type }) => type === 'notification').map(({ data }) => data)
}

describe.each(anyDatabase)('what comes with Parley, run on %s:', (_name, openDatabase) => {
  describe('research-write-review', () => {
    const flow = text('research-write-review')

    it('keeps an article that passes', async () => {
      const script = answering({ edit: { verdict: 'pass', points: [] } })
      await using opened = await openWorkflows(openDatabase, script)
      const run = await opened.run(flow, { topic: 'tea' })
      expect(run).toMatchObject({ status: 'completed', output: 'write 1' })
      expect(statusesOf(run)).toMatchObject({ 'revise/keep': 'completed' })
      expect(asked(opened)).toEqual(['research', 'write', 'edit'])
      expect(lastAsked(opened, 'write')).toContain('research 1')
      expect(lastAsked(opened, 'write')).toContain('about 800 words in English about: tea')
    })

    it('has another revised by the points of the editor, once', async () => {
      const script = answering({ edit: { verdict: 'revise', points: ['Tea is no coffee.'] } })
      await using opened = await openWorkflows(openDatabase, script)
      const run = await opened.run(flow, { topic: 'tea', words: 50, language: 'German' })
      expect(run).toMatchObject({ status: 'completed', output: 'rewrite 1' })
      expect(asked(opened)).toEqual(['research', 'write', 'edit', 'rewrite'])
      expect(lastAsked(opened, 'rewrite')).toContain('Tea is no coffee.')
      expect(lastAsked(opened, 'rewrite')).toContain('about 50 words in German')
    })
  })

  describe('coder-reviewer-tester', () => {
    const flow = text('coder-reviewer-tester')
    const pass = { verdict: 'pass', mustFix: [] }
    const fail = (...mustFix: string[]) => ({ verdict: 'fail', mustFix })
    const summary = { summary: 'Blank lines are skipped', files: ['importer.ts'] }

    it('passes in the second round, with what had to be fixed handed to it', async () => {
      const script = answering({ review: pass, test: [fail('a.ts:3 throws'), pass], summary })
      await using opened = await openWorkflows(openDatabase, script)
      const run = await opened.run(flow, { task: 'Skip blank lines' })
      expect(run).toMatchObject({ status: 'completed', data: summary })
      expect(asked(opened).join(' ')).toBe('plan code review test code review test summary')
      expect(lastAsked(opened, 'code')).toContain('a.ts:3 throws')
      expect(lastAsked(opened, 'summary')).toContain('code 2')
    })

    it('does not test what the reviewer sends back', async () => {
      const script = answering({ review: [fail('a.ts:1 is wrong'), pass], test: pass, summary })
      await using opened = await openWorkflows(openDatabase, script)
      const run = await opened.run(flow, { task: 'Skip blank lines' })
      expect(run.status).toBe('completed')
      expect(statusesOf(run)).toMatchObject({ 'rounds#1/test': 'skipped', 'rounds#2/test': 'completed' })
      expect(lastAsked(opened, 'code')).toContain('a.ts:1 is wrong')
    })

    it('stops when two rounds end with the same list', async () => {
      await using opened = await openWorkflows(
        openDatabase,
        answering({ review: [fail('one'), fail('two'), fail('two')] }),
      )
      const run = await opened.run(flow, { task: 'Skip blank lines' })
      expect(run.status).toBe('failed')
      expect(run.error).toMatch(/Rounds 2 and 3 came to the same: .*two/)
      expect(asked(opened).join(' ')).toBe('plan code review code review code review')
    })

    it('stops after five rounds', async () => {
      const lists = ['one', 'two', 'three', 'four', 'five'].map((point) => fail(point))
      await using opened = await openWorkflows(openDatabase, answering({ review: lists }))
      const run = await opened.run(flow, { task: 'Skip blank lines' })
      expect(run).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('not done after 5 rounds'),
      })
      expect(asked(opened).filter((name) => name === 'code')).toHaveLength(5)
      expect(asked(opened)).not.toContain('summary')
    })
  })

  describe('daily-digest', () => {
    const flow = text('daily-digest')
    const digest = { digest: '# Today\n\n- Water the plants', headline: 'One thing is due.' }

    it('makes one document and one notice of both lists', async () => {
      await using opened = await openWorkflows(openDatabase, answering({ digest }))
      const run = await opened.run(flow, { maxItems: 3 })
      expect(run).toMatchObject({ status: 'completed', data: digest })
      expect(stepOf(run, 'digest')).not.toHaveProperty('linkErrors')
      expect(lastAsked(opened, 'digest')).toMatch(/changes 1.*due 1|due 1.*changes 1/)
      expect(lastAsked(opened, 'digest')).toContain('At most 3 points')
      expect(await documentsOf(opened.parley)).toEqual([{ title: 'Daily digest', content: digest.digest }])
      expect(await noticesOf(opened.parley)).toMatchObject([{ title: 'Daily digest', body: digest.headline }])
    })

    it('does without a list that cannot be had', async () => {
      const script = answering({ due: { output: 'no calendar', status: 'failed' }, digest })
      await using opened = await openWorkflows(openDatabase, script)
      const run = await opened.run(flow)
      expect(run).toMatchObject({ status: 'completed', failedSteps: ['gather/due'] })
      expect(lastAsked(opened, 'digest')).toContain('changes 1')
      expect(await documentsOf(opened.parley)).toHaveLength(1)
    })
  })

  describe('approve-then-publish', () => {
    const flow = text('approve-then-publish')
    const args = { title: 'News', brief: 'We are open' }
    const answer = async (opened: OpenedWorkflows, run: WorkflowRun, approved: boolean, comment?: string) => {
      expect(run.status).toBe('paused')
      const { token } = run.steps.find(({ status }) => status === 'paused')!
      await opened.parley.workflows.resume(run.id, { token: token!, approved, comment })
      return opened.settled(run)
    }

    it('publishes the draft after a yes', async () => {
      await using opened = await openWorkflows(openDatabase, answering({}))
      const asking = await opened.run(flow, args)
      expect(stepOf(asking, 'firstLook')!.question).toContain('draft 1')
      expect(await documentsOf(opened.parley)).toEqual([])
      const run = await answer(opened, asking, true)
      expect(run).toMatchObject({ status: 'completed', output: 'draft 1' })
      expect(await documentsOf(opened.parley)).toEqual([{ title: 'News', content: 'draft 1' }])
      expect(await noticesOf(opened.parley)).toMatchObject([
        { title: 'Published', body: '"News" was approved and published.' },
        { title: 'approve-then-publish' },
      ])
    })

    it('works in what was said with a no, and publishes that after a yes', async () => {
      await using opened = await openWorkflows(openDatabase, answering({}))
      const again = await answer(opened, await opened.run(flow, args), false, 'Say until when')
      expect(lastAsked(opened, 'revise')).toContain('Say until when')
      expect(stepOf(again, 'settle/secondLook')!.question).toContain('revise 1')
      const run = await answer(opened, again, true)
      expect(run).toMatchObject({ status: 'completed', output: 'revise 1' })
      expect(await documentsOf(opened.parley)).toEqual([{ title: 'News', content: 'revise 1' }])
    })

    it('publishes nothing after a second no', async () => {
      await using opened = await openWorkflows(openDatabase, answering({}))
      const again = await answer(opened, await opened.run(flow, args), false)
      const run = await answer(opened, again, false, 'Forget it')
      expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('Forget it') })
      expect(await documentsOf(opened.parley)).toEqual([])
      expect(await noticesOf(opened.parley)).toMatchObject([
        { title: 'approve-then-publish', level: 'error' },
      ])
    })
  })
})

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { nodeOf, operation, replies, task } from '../plan-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers } from './barriers.ts'
import { boxOf, lastWords } from './composer-arrange.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

/** Nodes whose name says so wait here until they are let go. */
const gates = new Map<string, PromiseWithResolvers<void>>()
const gateOf = (name: string) => {
  const gate = gates.get(name) ?? Promise.withResolvers<void>()
  gates.set(name, gate)
  return gate
}
const broken = new Set<string>()

const script: Script = (request) => {
  const words = lastWords(request)
  if (request.replyFormat?.name === 'plan_reply') return says(answer(words))
  if (words.includes('Take the '))
    return calls([
      'set_result',
      {
        children: [
          { name: 'Boil water', instruction: 'Boil it.', leaf: true },
          { name: 'Steep', instruction: 'Wait.', dependencies: [1], leaf: true },
        ],
      },
    ])
  const name = nodeOf(request)
  const handedIn = calls(['set_result', { output: `# ${name}\n\nIt is **done**.` }])
  if (broken.has(name)) return calls(['set_result', { output: 'It did not work.', status: 'failed' }])
  if (name === 'Forbidden')
    return calls(['set_result', { output: 'This is against the rules.', status: 'refused' }])
  return name.startsWith('Wait') ? [gateOf(name).promise, ...handedIn] : handedIn
}

function answer(words: string): string {
  if (words.includes('add sugar')) return replies('I add **sugar**.', task('create_task', { name: 'Sugar' }))
  if (words.includes('do all of it')) return replies('Here we go.', operation('execute_plan'))
  if (words.includes('move 99'))
    return replies('I move it.', task('move_task', { task_id: 99, new_parent_id: 1 }))
  if (words.includes('drop 1')) return replies('I delete it.', task('delete_task', { task_id: 1 }))
  return replies(`I heard: ${words.slice(0, 40)}`)
}

let workbench: Workbench
let client: ParleyClient
beforeAll(async () => {
  workbench = await openWorkbench({
    script,
    plans: { nodeRetries: 0 },
    prices: { 'scripted/test': { input: 3, output: 15 } },
  })
  client = createClient({ baseUrl: workbench.url })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const make = async (title: string, markdown: string) => {
  const { id } = await client.plans.create({ title, markdown })
  const { nodes } = await client.plans.tree(id)
  return { id, idOf: (name: string) => nodes.find((node) => node.name === name)!.id }
}
const rowOf = (page: Page, name: string) =>
  page.getByRole('treeitem').filter({ has: page.locator('bdi').getByText(name, { exact: true }) })
const statusOf = (page: Page, name: string) => rowOf(page, name).getAttribute('data-status')
const detail = (page: Page) => page.getByRole('complementary', { name: 'Node' })
const toast = (page: Page, text: string) => page.getByRole('dialog').filter({ hasText: text })
const strip = (page: Page) => page.getByRole('region', { name: 'Run', exact: true })
const expectStatus = async (page: Page, name: string, status: string) => {
  await expect.poll(() => statusOf(page, name), soon).toBe(status)
}

describe('a plan that is executed', () => {
  it('is shown live: nodes, steps, progress, cost and what came of it', async () => {
    const { id } = await make('Tea', '- [ ] Wait for water\n- [ ] Pour\n  - [ ] Cup\n- [ ] Wait for tea\n')
    const page = await workbench.open(`plans/${id}`)
    await page.getByRole('button', { name: 'Execute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Execute plan' })
    await dialog.getByText('Models work on the 4 open nodes').waitFor()
    await dialog.getByRole('button', { name: 'Execute' }).click()
    await expectStatus(page, 'Wait for water', 'running')
    await expectStatus(page, 'Pour', 'completed')
    await strip(page).getByText('2 of 4 done').waitFor(soon)
    await strip(page).getByRole('button', { name: 'Execution' }).click()
    const steps = strip(page).getByRole('group', { name: 'Steps' })
    await steps.getByRole('button', { name: 'Cup' }).waitFor()
    await expect.poll(() => steps.locator('[data-status="running"]').count(), soon).toBe(2)
    expect(await findBarriers(page)).toEqual([])
    gateOf('Wait for water').resolve()
    await expectStatus(page, 'Wait for water', 'completed')
    gateOf('Wait for tea').resolve()
    await expectStatus(page, 'Wait for tea', 'completed')
    await strip(page).getByText('Done', { exact: true }).first().waitFor(soon)
    await page.getByText('4/4').waitFor(soon)
    await page.getByRole('button', { name: 'Execute' }).waitFor(soon)
    await rowOf(page, 'Cup').getByText('15 tokens').waitFor(soon)
    await rowOf(page, 'Cup').click()
    await detail(page).getByText('It is done.').waitFor()
    await detail(page).getByText('10 in, 5 out').waitFor()
    await detail(page).getByRole('link', { name: 'Open session' }).click()
    const place = page.getByRole('region', { name: 'Part of' })
    await place.getByRole('link', { name: 'Open plan' }).click()
    await detail(page).getByRole('heading', { level: 2, name: 'Cup' }).waitFor()
  })

  it('is stopped after it was asked, and shows its runs', async () => {
    const { id } = await make('Stopped', '- [ ] Wait for ever\n- [ ] After\n')
    const page = await workbench.open(`plans/${id}`)
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Execute' }).click()
    await expectStatus(page, 'Wait for ever', 'running')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('dialog', { name: 'Stop this run?' }).getByRole('button', { name: 'Stop' }).click()
    await toast(page, 'Run stopped').waitFor()
    await expectStatus(page, 'Wait for ever', 'pending')
    await page.getByRole('button', { name: 'Actions for “Stopped”' }).click()
    await page.getByRole('menuitem', { name: 'Runs' }).click()
    const runs = page.getByRole('dialog', { name: 'Runs' })
    await runs.getByText('Stopped', { exact: true }).first().waitFor()
    await runs.getByRole('button', { name: 'Execution' }).click()
    await runs.getByRole('button', { name: 'Wait for ever' }).click()
    await detail(page).getByRole('heading', { level: 2, name: 'Wait for ever' }).waitFor()
  })

  it('has single nodes stopped, told something and done by a person', async () => {
    const { id, idOf } = await make(
      'Single',
      '- [ ] Wait, stop\n- [ ] Wait, hear\n- [ ] Wait, mine\n- [ ] Last\n',
    )
    const [heard, mine] = ['Wait, hear', 'Wait, mine'].map(idOf)
    await client.plans.updateNode(id, idOf('Last'), { dependencies: [mine!] })
    const page = await workbench.open(`plans/${id}`)
    await client.plans.execute(id)
    for (const name of ['Wait, stop', 'Wait, hear', 'Wait, mine']) await expectStatus(page, name, 'running')
    await rowOf(page, 'Wait, stop').click()
    await detail(page).getByRole('button', { name: 'Stop', exact: true }).click()
    await expectStatus(page, 'Wait, stop', 'failed')
    await detail(page).getByText('It was stopped.').first().waitFor(soon)
    await rowOf(page, 'Wait, hear').click()
    await detail(page).getByRole('button', { name: 'Message' }).click()
    const message = page.getByRole('dialog', { name: 'Message to “Wait, hear”' })
    await message.getByRole('textbox', { name: 'Message' }).fill('Use milk.')
    expect(await findBarriers(page)).toEqual([])
    await message.getByRole('button', { name: 'Message' }).click()
    const { sessionId } = await client.plans.node(id, heard!)
    await expect.poll(async () => (await workbench.parley.store.listInbox(sessionId!)).length, soon).toBe(1)
    await rowOf(page, 'Wait, mine').click()
    await detail(page).getByRole('button', { name: 'Mark as done' }).click()
    const done = page.getByRole('dialog', { name: 'Mark “Wait, mine” as done' })
    await done.getByRole('textbox', { name: 'Result' }).fill('Fetched by hand.')
    await done.getByRole('button', { name: 'Mark as done' }).click()
    await expectStatus(page, 'Wait, mine', 'completed')
    await expectStatus(page, 'Last', 'completed')
    await detail(page).getByText('Done by a person').waitFor(soon)
    gateOf('Wait, hear').resolve()
    await expectStatus(page, 'Wait, hear', 'completed')
    // another result makes stale what was made from the one before
    await client.plans.doneNode(id, mine!, { note: 'Bought.' })
    await rowOf(page, 'Last').getByText('Stale').first().waitFor(soon)
  })

  it('is taken apart by a model', async () => {
    const { id } = await make('Taken apart', '- [ ] Make tea\n')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Make tea').hover()
    await rowOf(page, 'Make tea').getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Decompose' }).click()
    const dialog = page.getByRole('dialog', { name: 'Decompose “Make tea”' })
    await dialog.getByLabel('Levels to add').fill('1')
    await dialog.getByRole('button', { name: 'Decompose' }).click()
    await rowOf(page, 'Steep').waitFor(soon)
    await expect.poll(() => rowOf(page, 'Steep').getAttribute('aria-level'), soon).toBe('2')
    await rowOf(page, 'Steep')
      .getByRole('button', { name: /“Boil water”$/ })
      .waitFor()
  })
})

describe('who is not there', () => {
  itInLongTier('is told once that a plan is executed, and not of every node', async () => {
    const { id } = await make('Unwatched', '- [ ] One\n- [ ] Two\n')
    const page = await workbench.open('usage')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await client.plans.execute(id)
    const notice = toast(page, 'Plan “Unwatched” finished')
    // it stays as long as the mouse is there
    await notice.hover(soon)
    expect(await page.getByRole('dialog').count()).toBe(1)
    await notice.getByRole('button', { name: 'Open' }).click()
    await rowOf(page, 'Two').waitFor()
  })
})

describe('a node', () => {
  it('is run with what it waits for, run again, skipped and reset', async () => {
    const { id, idOf } = await make('Nodes', '- [ ] First\n- [ ] Second\n- [ ] Third\n')
    await client.plans.updateNode(id, idOf('Second'), { dependencies: [idOf('First')] })
    const page = await workbench.open(`plans/${id}?node=${idOf('Second')}`)
    await detail(page).getByRole('button', { name: 'Run', exact: true }).click()
    const waits = page.getByRole('dialog', { name: '“Second” has unfinished dependencies' })
    await waits.getByRole('listitem').getByText('First').waitFor()
    await waits.getByRole('button', { name: 'Run them too' }).click()
    await expectStatus(page, 'First', 'completed')
    await expectStatus(page, 'Second', 'completed')
    expect(await statusOf(page, 'Third')).toBe('pending')
    const before = (await client.plans.node(id, idOf('Second'))).sessionId
    await detail(page).getByRole('button', { name: 'Run again' }).click()
    await expect
      .poll(async () => {
        const { sessionId, status } = await client.plans.node(id, idOf('Second'))
        return status === 'completed' && sessionId !== before
      }, soon)
      .toBe(true)
    await rowOf(page, 'Third').click()
    await detail(page).getByRole('heading', { level: 2, name: 'Third' }).waitFor()
    await detail(page).getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Nobody wants it')
    await page.getByRole('dialog').getByRole('button', { name: 'Skip' }).click()
    await expectStatus(page, 'Third', 'skipped')
    await detail(page).getByText('Nobody wants it').waitFor()
    await detail(page).getByRole('button', { name: 'Reset' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await expectStatus(page, 'Third', 'pending')
  })

  it('that was refused says so, also in the report of its run, and can be accepted', async () => {
    const { id, idOf } = await make('Refusals', '- [ ] Forbidden\n- [ ] Allowed\n')
    const page = await workbench.open(`plans/${id}?node=${idOf('Forbidden')}`)
    await client.plans.execute(id)
    await expectStatus(page, 'Forbidden', 'refused')
    await expectStatus(page, 'Allowed', 'completed')
    await detail(page).getByText('Rejected').first().waitFor(soon)
    await page.getByRole('button', { name: 'Actions for “Refusals”' }).click()
    await page.getByRole('menuitem', { name: 'Runs' }).click()
    const runs = page.getByRole('dialog', { name: 'Runs' })
    await runs.getByRole('button', { name: 'Execution' }).click()
    const report = runs.getByRole('group', { name: 'Report' })
    await report.getByText('This is against the rules.').first().waitFor(soon)
    await report.getByRole('heading', { name: 'Results' }).waitFor()
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await detail(page).getByRole('button', { name: 'Accept', exact: true }).click()
    await expectStatus(page, 'Forbidden', 'completed')
  })

  it('that failed says why, blocks others, and counts as done when somebody accepts it', async () => {
    broken.add('Hard')
    const { id, idOf } = await make('Failures', '- [ ] Hard\n- [ ] Later\n')
    await client.plans.updateNode(id, idOf('Later'), { dependencies: [idOf('Hard')] })
    const page = await workbench.open(`plans/${id}?node=${idOf('Hard')}`)
    await client.plans.execute(id)
    await expectStatus(page, 'Hard', 'failed')
    await expectStatus(page, 'Later', 'blocked')
    await detail(page).getByText('It did not work.').first().waitFor(soon)
    expect(await findBarriers(page)).toEqual([])
    await detail(page).getByRole('button', { name: 'Accept', exact: true }).click()
    await expectStatus(page, 'Hard', 'completed')
    await detail(page).getByText('Accepted by a person').waitFor(soon)
    await expectStatus(page, 'Later', 'pending')
  })
})

describe('the plan of a session', () => {
  it('is in the dock, live, and can be taken away and chosen again', async () => {
    const { id } = await make('Docked', '- [ ] Wait in the dock\n- [ ] Rest\n')
    const { id: sessionId } = await client.sessions.create({ planId: id })
    const page = await workbench.open(`sessions/${sessionId}?dock=plan`)
    await rowOf(page, 'Rest').waitFor()
    await page
      .getByRole('complementary', { name: 'Side panel' })
      .getByRole('button', { name: 'Execute' })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Execute' }).click()
    await expectStatus(page, 'Wait in the dock', 'running')
    expect(await findBarriers(page)).toEqual([])
    gateOf('Wait in the dock').resolve()
    await expectStatus(page, 'Wait in the dock', 'completed')
    await rowOf(page, 'Rest').click()
    await page.getByRole('heading', { level: 2, name: 'Rest', exact: true }).waitFor()
    await page.getByRole('button', { name: 'All nodes' }).click()
    const chip = page.getByRole('region', { name: 'Plan of this session' })
    await chip.getByRole('button', { name: 'Remove plan' }).click()
    await page.getByText('This session has no plan.').waitFor()
    expect((await client.sessions.get(sessionId)).planId).toBeUndefined()
    await page.getByRole('button', { name: 'Session menu' }).click()
    await page.getByRole('menuitem', { name: 'Choose a plan…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Choose a plan for this session' })
    await dialog.getByRole('searchbox').fill('Docked')
    await dialog.getByRole('button', { name: /Docked/ }).click()
    await chip.getByRole('link', { name: 'Docked' }).waitFor()
    expect((await client.sessions.get(sessionId)).planId).toBe(id)
  })

  itInLongTier('begins without one from the menu of sessions', async () => {
    const page = await workbench.open('')
    await page.getByRole('button', { name: 'Session options' }).click()
    await page.getByRole('menuitem', { name: 'New plan session' }).click()
    await page.getByText('Plan session without a plan').waitFor()
    await expect.poll(() => page.url(), soon).toContain('sessions/ses_')
    const sessionId = /sessions\/(ses_\w+)/.exec(page.url())![1]!
    expect((await client.sessions.get(sessionId)).mode).toBe('plan')
  })

  it('is changed by answers, whose actions are shown as they are done', async () => {
    const { id } = await make('Talked', '- [ ] Wait and see\n')
    const { id: sessionId } = await client.sessions.create({ planId: id })
    const page = await workbench.open(`sessions/${sessionId}?dock=plan`)
    await boxOf(page).fill('please add sugar')
    await page.keyboard.press('Enter')
    const actions = page.getByRole('region', { name: 'Actions', exact: true })
    await actions.getByText('Add node').waitFor(soon)
    await actions.getByText('Done', { exact: true }).first().waitFor(soon)
    await rowOf(page, 'Sugar').waitFor(soon)
    // nothing of the object that the model wrote is seen
    expect(await page.getByText('llm_reply').count()).toBe(0)
    await boxOf(page).fill('do all of it')
    await page.keyboard.press('Enter')
    const going = actions.filter({ hasText: 'Execute plan' })
    // which nodes, what they may use and where it stops is seen before anything runs
    await going.getByText('wants to run plan nodes').waitFor(soon)
    await going.getByText(/\[1\] Wait and see/).waitFor()
    await going.getByText(/tokens.*based on the average of/).waitFor()
    await going.getByText('Limit', { exact: true }).waitFor()
    expect(await statusOf(page, 'Wait and see')).toBe('pending')
    await going.getByRole('button', { name: 'Approve' }).click()
    await going.getByText('Running').first().waitFor(soon)
    await expectStatus(page, 'Wait and see', 'running')
    expect(await findBarriers(page)).toEqual([])
    await going.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog', { name: 'Stop this run?' }).getByRole('button', { name: 'Stop' }).click()
    await going.getByText('Stopped').first().waitFor(soon)
    gateOf('Wait and see').resolve()
    await going.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => going.getAttribute('data-plan-status'), soon).toBe('completed')
    await expectStatus(page, 'Sugar', 'completed')
  })

  it('has suggestions under the last answer, which say what is in them', async () => {
    const { id } = await make('Suggested', '- [ ] One\n')
    const { id: sessionId } = await client.sessions.create({ planId: id })
    const page = await workbench.open(`sessions/${sessionId}`)
    await boxOf(page).fill('hello')
    await page.keyboard.press('Enter')
    const suggestion = page.getByRole('list', { name: 'Suggestions' }).getByRole('button').last()
    const words = await suggestion.innerText()
    await suggestion.click()
    await page.locator('[data-role="user"]').getByText(words, { exact: true }).waitFor(soon)
    // what is read aloud says it once more
    await page.locator('[data-role="assistant"]').getByText(`I heard: ${words}`).waitFor(soon)
    const { items } = await client.sessions.messages(sessionId)
    expect(items.filter(({ role }) => role === 'user')).toHaveLength(2)
    const lists = page.getByRole('list', { name: 'Suggestions' })
    await expect.poll(() => lists.count(), soon).toBe(1)
  })

  it('asks at an action whether it may delete, and is found among the sessions of a person', async () => {
    const { id } = await make('Asked', '- [ ] One\n- [ ] Two\n')
    const { id: sessionId } = await client.sessions.create({ planId: id, mode: 'plan', title: 'Asking' })
    const page = await workbench.open(`sessions/${sessionId}`)
    await page.getByRole('link', { name: /Asking/ }).waitFor(soon)
    await boxOf(page).fill('drop 1')
    await page.keyboard.press('Enter')
    const action = page.getByRole('region', { name: 'Actions', exact: true }).locator('[data-action="1"]')
    await action.getByText('"task_id": 1').waitFor(soon)
    await action.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => action.getAttribute('data-status'), soon).toBe('completed')
    expect((await client.plans.tree(id)).nodes).toMatchObject([{ name: 'Two' }])
  })

  itInLongTier('says which action failed', async () => {
    const { id } = await make('Refused', '- [ ] One\n')
    const { id: sessionId } = await client.sessions.create({ planId: id })
    const page = await workbench.open(`sessions/${sessionId}`)
    await boxOf(page).fill('move 99')
    await page.keyboard.press('Enter')
    const actions = page.getByRole('region', { name: 'Actions', exact: true })
    await expect.poll(() => actions.getAttribute('data-plan-status'), soon).toBe('failed')
    await actions.locator('[data-action="1"]').getByText(/99/).last().waitFor()
    await actions.getByRole('link', { name: 'Show node #99' }).waitFor()
    await actions.getByRole('button', { name: 'Try again' }).waitFor()
  })
})

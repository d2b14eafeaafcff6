import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import { calls, type Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriers } from './barriers.ts'
import { lastWords } from './composer-arrange.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

const script: Script = (request) => {
  const words = lastWords(request)
  // until it is stopped
  if (words.includes('Wait')) return [new Promise(() => {})]
  return calls(['set_result', { output: `About ${words.slice(-20)}` }])
}

let workbench: Workbench
let client: ParleyClient
beforeAll(async () => {
  workbench = await openWorkbench({ script })
  client = createClient({ baseUrl: workbench.url })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const create = (text: string) => client.workflows.create({ text })
const nodeOf = (page: Page, id: string) => page.locator(`.react-flow [data-step="${id}"]`)
const rowOf = (page: Page, path: string) => page.locator(`tr[data-path="${path}"]`)
const toast = (page: Page, text: string) => page.getByRole('dialog').filter({ hasText: text })
const until = async (runId: string, status: string) => {
  await expect.poll(async () => (await client.workflows.getRun(runId)).status, soon).toBe(status)
}

const asking = (name: string) => `name: ${name}
steps:
  - { id: ok, type: approve, approvePrompt: 'May it go on?' }
`
const noticing = (name: string) => `name: ${name}
config: { notifyOnComplete: true }
args: { what: { default: tea } }
steps:
  - id: brew
    type: transform
    transform: 'A cup of $args.what'
    linkedActions:
      - type: notify
        params: { title: 'The kettle of ${name}', body: $brew.output }
`
const many = (name: string) => `name: ${name}
args:
  items: { type: array, default: ${JSON.stringify(Array.from({ length: 300 }, (_, index) => `item ${index + 1}`))} }
steps:
  - id: all
    type: foreach
    items: $args.items
    steps:
      - { id: clean, type: transform, transform: 'clean $item' }
      - { id: done, type: transform, transform: 'done $clean.output' }
`

/** Everything that was ever said at the edge of the page, also what is gone again. */
async function keepToasts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said = new Set<Element>()
    const words: string[] = []
    const look = () =>
      document.querySelectorAll('[role="dialog"]').forEach((element) => {
        if (said.has(element)) return
        said.add(element)
        words.push(element.textContent ?? '')
      })
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
    Object.assign(globalThis, { words })
  })
  return () => page.evaluate(() => (globalThis as unknown as { words: string[] }).words)
}

/** Nobody sees the page, and what it would show outside of itself is kept. */
const hide = (page: Page) =>
  page.evaluate(() => {
    const shown: string[] = []
    class Recorded extends EventTarget {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(_: string, { body }: { body: string }) {
        super()
        shown.push(body)
      }
      close() {}
    }
    Object.assign(globalThis, { Notification: Recorded, shown })
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
const shownBySystem = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)

describe('what a run wants to be told', () => {
  it('is shown with its words, once for its end, and leads to the run', async () => {
    const { id } = await create(noticing('Brewed'))
    const page = await workbench.open('settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const said = await keepToasts(page)
    const { id: runId } = await client.workflows.run(id)
    const notice = toast(page, 'The kettle of Brewed')
    await notice.getByText('A cup of tea').waitFor(soon)
    await toast(page, 'Workflow “Brewed” finished').getByText('A cup of tea').waitFor(soon)
    await notice.getByRole('button', { name: 'Open' }).click()
    await expect.poll(() => page.url(), soon).toContain(runId)
    expect((await said()).filter((words) => words.includes('“Brewed”'))).toHaveLength(1)
    expect(await said()).toHaveLength(2)
  })

  it('is told by the system while nobody sees the page, in one tab, and only if somebody wants it', async () => {
    const { id } = await create(noticing('Unseen'))
    const first = await workbench.open('settings')
    const second = await workbench.openBeside(first, 'usage')
    for (const page of [first, second]) {
      await page.getByRole('heading', { level: 1 }).waitFor()
      await hide(page)
    }
    const all = async () => (await Promise.all([first, second].map(shownBySystem))).flat()
    const { id: runId } = await client.workflows.run(id)
    const told = () => first.evaluate(() => localStorage.getItem('parley-told'))
    await expect.poll(told, soon).toMatch(new RegExp(`notice:.*${runId}:end|${runId}:end.*notice:`))
    const button = first.getByRole('button', { name: /^Theme, language/ })
    await button.click()
    await first.getByRole('menuitemcheckbox', { name: 'Notify me when a run finishes' }).click()
    await first.keyboard.press('Escape')
    await second.reload()
    await second.getByRole('heading', { level: 1 }).waitFor()
    await hide(second)
    await client.workflows.run(id, { args: { what: 'cocoa' } })
    await expect.poll(all, soon).toHaveLength(2)
    expect((await all()).toSorted()).toEqual([
      'The kettle of Unseen\nA cup of cocoa',
      'Workflow “Unseen” finished\nA cup of cocoa',
    ])
  })

  it('says how it ended: out of time, stopped, or as a part of another', async () => {
    const late = await create(
      'name: Late\nconfig: { maxTotalTimeoutMs: 1000, notifyOnFail: true }\nsteps:\n  - { id: a, type: agent, prompt: Wait }\n',
    )
    const stopped = await create(asking('Halted'))
    await create('name: Inner\nsteps:\n  - { id: a, type: transform, transform: "$args" }\n')
    const outer = await create('name: Outer\nsteps:\n  - { id: b, type: workflow, workflow: Inner }\n')
    const page = await workbench.open('settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const said = await keepToasts(page)
    const { id: lateId } = await client.workflows.run(late.id)
    await toast(page, 'Workflow “Late” timed out').waitFor(soon)
    const { id: stoppedId } = await client.workflows.run(stopped.id)
    await until(stoppedId, 'paused')
    await client.workflows.cancel(stoppedId)
    await toast(page, 'Workflow “Halted” was stopped').waitFor(soon)
    await client.workflows.run(outer.id)
    await toast(page, 'Workflow “Outer” finished').waitFor(soon)
    expect((await said()).filter((words) => words.includes('“Inner”'))).toEqual([])
    expect((await said()).filter((words) => words.includes('“Late” timed out'))).toHaveLength(1)
    await page.goto(`${workbench.url}/#/workflow-runs/${lateId}`)
    await page.getByRole('main').getByText('Timed out').first().waitFor()
  })
})

describe('the page of a run', () => {
  itInLongTier('repeats it with other args, beginning with those it had', async () => {
    const { id } = await create(noticing('Again'))
    const { id: runId } = await client.workflows.run(id, { args: { what: 'milk' } })
    await until(runId, 'completed')
    const page = await workbench.open(`workflow-runs/${runId}`)
    await page.getByRole('button', { name: 'Rerun' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rerun' })
    await expect.poll(() => dialog.getByLabel('what').inputValue(), soon).toBe('milk')
    await dialog.getByLabel('what').fill('juice')
    await dialog.getByRole('button', { name: 'Rerun' }).click()
    await page.getByRole('region', { name: 'Output' }).first().getByText('A cup of juice').waitFor(soon)
    await expect.poll(() => page.url(), soon).not.toContain(runId)
    await page.getByRole('link', { name: 'another run' }).waitFor()
  })

  itInLongTier('brings the step that it is at into sight, and lets a person look elsewhere', async () => {
    const steps = (letter: string) =>
      Array.from(
        { length: 14 },
        (_, index) => `  - { id: ${letter}${index}, type: transform, transform: '$args' }\n`,
      ).join('')
    const ask = (step: string) => `  - { id: ${step}, type: approve, approvePrompt: 'Go on?' }\n`
    const { id } = await create(`name: Tall\nsteps:\n${steps('a')}${ask('first')}${steps('b')}${ask('last')}`)
    const { id: runId } = await client.workflows.run(id)
    await until(runId, 'paused')
    const page = await workbench.open(`workflow-runs/${runId}`)
    const frame = page.locator('.react-flow')
    const isInSight = async (step: string) => {
      const [inner, outer] = await Promise.all([nodeOf(page, step).boundingBox(), frame.boundingBox()])
      return (
        inner !== null &&
        outer !== null &&
        inner.y >= outer.y &&
        inner.y + inner.height <= outer.y + outer.height
      )
    }
    await expect.poll(() => isInSight('first'), soon).toBe(true)
    expect(await isInSight('a0')).toBe(false)

    const viewport = () => page.locator('.react-flow__viewport').getAttribute('style')
    const before = await viewport()
    const pane = page.locator('.react-flow__pane')
    // in its corner, where no step lies
    await pane.hover({ position: { x: 10, y: 10 } })
    const { x, y } = (await pane.boundingBox())!
    await page.mouse.down()
    await page.mouse.move(x + 10, y + 130, { steps: 4 })
    await page.mouse.up()
    await expect.poll(viewport, soon).not.toBe(before)
    const moved = await viewport()
    await page.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(() => nodeOf(page, 'last').getAttribute('data-status'), soon).toBe('paused')
    expect(await viewport()).toBe(moved)
  })

  it('stays short when there are hundreds of rounds, and shows each that one wants', async () => {
    const { id } = await create(many('Many'))
    const { id: runId } = await client.workflows.run(id)
    await until(runId, 'completed')
    const page = await workbench.open(`workflow-runs/${runId}`)
    await nodeOf(page, 'all').getByText('300 rounds').waitFor(soon)
    await expect.poll(() => page.locator('tr[data-round]').count(), soon).toBe(20)
    await expect.poll(() => page.locator('tr[data-path]').count(), soon).toBe(1)
    await page.getByText('300 rounds').last().waitFor()
    await page.getByRole('button', { name: 'Round 7', exact: true }).click()
    await rowOf(page, 'all#7/done').getByText('done clean item 7').waitFor()
    await page.getByRole('button', { name: 'Show 100 more' }).click()
    await expect.poll(() => page.locator('tr[data-round]').count(), soon).toBe(120)
    await nodeOf(page, 'clean').getByRole('button').click()
    await rowOf(page, 'all#1/clean').waitFor()
    expect(await findBarriers(page)).toEqual([])

    await rowOf(page, 'all#7/done').getByText('done clean item 7').scrollIntoViewIfNeeded()
    await expectToFitPhone(page)
  })
})

describe('the sessions of workflows', () => {
  it('are one line for each run beside tasks, lead to it, and say where they belong', async () => {
    const { id } = await create(
      'name: Spread\nsteps:\n  - { id: one, type: agent, prompt: Oolong }\n  - { id: two, type: agent, prompt: Assam }\n',
    )
    const { id: runId, sessionId } = await client.workflows.run(id)
    await until(runId, 'completed')
    const { id: chatId } = await client.workflows.managementSession(id)
    await client.sessions.create({ title: 'Mine alone' })
    const page = await workbench.open('settings?list=background')
    const list = page.getByRole('navigation', { name: 'Sessions' })
    const row = list.getByRole('link', { name: 'Spread' })
    await row.getByText('2 sessions').waitFor(soon)
    await expect.poll(() => row.count(), soon).toBe(1)
    await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('Oolong')
    await list.getByRole('link', { name: 'Spread: one' }).waitFor(soon)
    await page.getByRole('searchbox', { name: 'Search titles and messages' }).fill('')
    await row.getByText('2 sessions').click()
    await expect.poll(() => page.url(), soon).toContain(runId)

    await rowOf(page, 'two').getByRole('link', { name: 'Open session' }).click()
    const place = page.getByRole('region', { name: 'Part of' })
    await place.getByText('Step “two” in a run of workflow “Spread”.').waitFor()
    await page.getByRole('navigation', { name: 'Started by' }).getByRole('link').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await place.getByRole('link', { name: 'Open run' }).click()
    await expect.poll(() => page.url(), soon).toContain(`/workflow-runs/${runId}`)

    await page.goto(`${workbench.url}/#/sessions/${sessionId}`)
    await place.getByText('Session of a run of workflow “Spread”.').waitFor()
    await page.goto(`${workbench.url}/#/sessions/${chatId}`)
    await place.getByRole('link', { name: 'Open workflow' }).click()
    await expect.poll(() => page.url(), soon).toContain(`/workflows/${id}`)
    await list.getByRole('link', { name: 'Mine alone' }).waitFor()
    expect(await list.getByRole('link', { name: 'Spread' }).count()).toBe(0)
  })
})

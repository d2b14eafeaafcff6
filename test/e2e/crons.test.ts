import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { says, type Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

/** Answers at once, except to those who ask it to hang. */
const script: Script = ({ messages }) =>
  JSON.stringify(messages).includes('Never answer') ? [new Promise(() => {})] : says('All is well.')

// a busy machine
const patience = { timeout: 200_000 }

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench({ script })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const rowOf = (page: Page, name: string) => page.locator('main li').filter({ hasText: name })

const choose = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

describe('schedules', () => {
  it('are made with a look at their next fires, run by hand, and lead to what they started', async () => {
    const page = await workbench.open('crons')
    await page.getByRole('button', { name: 'New schedule' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New schedule' })
    await dialog.getByLabel('Prompt').fill('List what is urgent.')
    await dialog.getByLabel('Name').fill('Morning report')
    await dialog.getByLabel('When').selectOption('Monday to Friday')
    await dialog.getByLabel('Time', { exact: true }).fill('09:30')
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    const fires = dialog.getByRole('list', { name: 'Next runs, in Europe/Berlin time' })
    await expect.poll(() => fires.getByRole('listitem').count(), patience).toBe(5)
    await expect.poll(() => fires.first().textContent(), patience).toContain('09:30')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.waitFor({ state: 'detached' })

    const row = rowOf(page, 'Morning report')
    await row.getByText('At 09:30, Monday through Friday · Europe/Berlin').waitFor()
    await choose(page, 'Morning report', 'Run now')
    await row.getByText('Done').waitFor()
    await row.getByRole('link', { name: 'Morning report' }).click()
    const fire = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
    await fire.getByText('Manual').waitFor()
    await fire.getByRole('link', { name: 'Open session' }).click()
    await expect.poll(() => page.url(), patience).toMatch(/#\/sessions\/ses_/)
    await page.getByText('List what is urgent.').first().waitFor()
  })

  it('show at its field what the server does not accept', async () => {
    const page = await workbench.open('crons?form=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('When').selectOption('Cron expression')
    const line = dialog.getByRole('textbox', { name: 'Cron expression' })
    await expect.poll(() => line.inputValue(), patience).toBe('0 9 * * *')
    await line.fill('60 * * * *')
    await dialog.getByText('"60" is no value of the minute').waitFor()
    await expect.poll(() => line.getAttribute('aria-invalid'), patience).toBe('true')
    await line.fill('0 9 * * *')
    await dialog.getByLabel('Time zone').fill('Europe/Berlim')
    await dialog.getByText('such as "Europe/Berlin"').waitFor()
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const prompt = dialog.getByLabel('Prompt')
    await expect.poll(() => prompt.getAttribute('aria-invalid'), patience).toBe('true')
    // the refusals are meant: the page may say so on its console
    workbench.expectProblems(refusedRequest)
  })

  itInLongTier('say in Chinese what does not fit, each at its field', async () => {
    const page = await workbench.open('crons?form=new', { preferences: { language: 'zh' } })
    const dialog = page.getByRole('dialog')
    const described = async (label: string) => {
      const ids = (await dialog.getByLabel(label).getAttribute('aria-describedby'))?.split(' ') ?? []
      const texts = ids.map((id) => dialog.locator(`[id="${id}"][role="alert"]`).allTextContents())
      return (await Promise.all(texts)).flat()
    }
    await dialog.getByText('更多选项').click()
    await dialog.getByLabel('服务器停机期间错过的时间').selectOption('补跑最近的几次')
    await dialog.getByLabel('最多次数').fill('0')
    await dialog.getByLabel('连续失败几次后暂停').fill('1.5')
    await dialog.getByRole('button', { name: '创建' }).click()
    await expect.poll(() => described('提示词'), patience).toEqual(['不能为空。'])
    await expect.poll(() => described('最多次数'), patience).toEqual(['不能小于 1。'])
    await expect.poll(() => described('连续失败几次后暂停'), patience).toEqual(['必须是整数。'])
    expect(await described('时区')).toEqual([])
    await dialog.getByLabel('提示词').fill('x')
    await dialog.getByLabel('最多次数').fill('1')
    await dialog.getByLabel('连续失败几次后暂停').fill('1')
    // no schema knows this one: the words are those of the server, the field is told by its name
    await dialog.getByLabel('模型').fill('nobody/knows')
    await dialog.getByRole('button', { name: '创建' }).click()
    await expect.poll(() => described('模型'), patience).toEqual([expect.stringContaining('nobody/knows')])
    expect(await described('提示词')).toEqual([])
    workbench.expectProblems(refusedRequest)
  })

  itInLongTier('say where clocks are changed between two fires', async () => {
    const page = await workbench.open('crons?form=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    await dialog.getByLabel('When').selectOption('Cron expression')
    await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('0 3 1 1,7 *')
    const shifts = dialog.getByText(/^Clock change: now/)
    await expect.poll(() => shifts.count(), patience).toBeGreaterThanOrEqual(4)
    await expect.poll(() => shifts.allTextContents(), patience).toContain('Clock change: now +02:00')
  })

  it('are edited, and keep what was not touched', async () => {
    const { id } = await workbench.parley.crons.create({
      name: 'Edited',
      schedule: '0 9 * * MON#2',
      prompt: 'One',
      expectedOutput: 'a list',
    })
    const page = await workbench.open(`crons?cron=${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit “Edited”' })
    const line = dialog.getByRole('textbox', { name: 'Cron expression' })
    await expect.poll(() => line.inputValue(), patience).toBe('0 9 * * MON#2')
    await dialog.getByText('More options').click()
    await dialog.getByLabel('Pause after consecutive failures').fill('2')
    await dialog.getByLabel('If the previous run is still running').selectOption('Wait for it')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('waits for the previous run · pauses after 2 failures in a row').waitFor()
    expect(await workbench.parley.crons.get(id)).toMatchObject({
      schedule: '0 9 * * MON#2',
      expectedOutput: 'a list',
      overlap: 'queue',
      maxFailures: 2,
    })
  })

  it('are paused with a reason, resumed, and deleted after a question', async () => {
    const { id } = await workbench.parley.crons.create({ name: 'Paused', schedule: '@yearly', prompt: 'Two' })
    const page = await workbench.open('crons')
    const row = rowOf(page, 'Paused')
    await choose(page, 'Paused', 'Pause')
    await row.getByText('Paused by local.').waitFor()
    await row.getByText('No upcoming runs').waitFor()
    await choose(page, 'Paused', 'Resume')
    await row.getByText('Active').waitFor()
    await choose(page, 'Paused', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete “Paused”?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await workbench.parley.crons.get(id)).toMatchObject({ status: 'active' })
    await choose(page, 'Paused', 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('tell of every time that was left out, and why', async () => {
    const { id } = await workbench.parley.crons.create({
      name: 'Every second',
      schedule: '* * * * * *',
      prompt: 'Never answer',
    })
    const page = await workbench.open(`crons?cron=${id}`)
    const fires = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
    await fires.filter({ hasText: 'Running' }).getByRole('link', { name: 'Open session' }).waitFor()
    const skipped = fires.filter({ hasText: 'Skipped' }).first()
    await expect.poll(() => skipped.textContent(), patience).toContain('is not over (overlap: skip)')
    await workbench.parley.crons.delete(id)
    await page.getByRole('alert').filter({ hasText: 'There is no cron' }).waitFor()
    workbench.expectProblems(refusedRequest)
  })
})

describe('event hooks', () => {
  it('are made with a filter, count what they start, and are paused and deleted', async () => {
    const page = await workbench.open('crons?tab=hooks')
    await page.getByRole('button', { name: 'New event hook' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New event hook' })
    await dialog.getByLabel('Event').fill('bg:session.completed')
    await dialog.getByLabel('Conditions').fill('label nightly')
    await dialog.getByText('Not “field = value”: label nightly').waitFor()
    await dialog.getByLabel('Conditions').fill('label = nightly')
    await dialog.getByLabel('Prompt').fill('Look at it.')
    await dialog.getByLabel('Name').fill('Watcher')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const row = rowOf(page, 'Watcher')
    await row.getByText('0 starts').waitFor()
    for (const label of ['other', 'nightly'])
      await workbench.parley.sessions.create({ kind: 'background', prompt: 'Report', label })
    await expect.poll(() => row.textContent(), patience).toContain('1 start ·')
    await choose(page, 'Watcher', 'Pause')
    await row.getByText('Paused by local.').waitFor()
    await choose(page, 'Watcher', 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('show at its field what the server does not accept', async () => {
    const page = await workbench.open('crons?tab=hooks&form=new')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Event').fill('Not an event')
    await dialog.getByLabel('Prompt').fill('Look')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const event = dialog.getByLabel('Event')
    await dialog.getByText('Enter an event type, or a prefix').waitFor()
    await expect.poll(() => event.getAttribute('aria-invalid'), patience).toBe('true')
    workbench.expectProblems(refusedRequest)
  })
})

describe('the page of schedules', () => {
  it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
    const { id } = await workbench.parley.crons.create({ schedule: '@daily', prompt: 'Barriers' })
    const hook = await workbench.parley.eventHooks.create({ event: 'run-ended', prompt: 'Barriers' })
    await workbench.parley.eventHooks.update(hook.id, { status: 'paused' })
    const page = await workbench.open('crons', look)
    for (const path of [
      'crons',
      `crons?cron=${id}`,
      'crons?form=new',
      'crons?tab=hooks',
      'crons?tab=hooks&form=new',
    ]) {
      await page.goto(`${workbench.url}/#/${path}`)
      await page
        .locator(path.includes('form') ? '[role=dialog] form' : 'main h2, main li')
        .first()
        .waitFor()
      expect(await findBarriersInBothThemes(page), path).toEqual([])
      await expectToFitPhone(page, path)
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import {
  answerOf,
  buttonsOf,
  cardOf,
  openApprovalsWorkbench,
  press,
  type ApprovalsWorkbench,
} from './approvals-arrange.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { boxOf, expectSoon } from './composer-arrange.ts'
import { refusedRequest } from './workbench.ts'
import { expectFocus, expectGone, recordSaid } from './expect-page.ts'
import { intercept } from './intercept.ts'

let workbench: ApprovalsWorkbench

beforeAll(async () => {
  workbench = await openApprovalsWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

const paintedPaths = () => workbench.painted.map(({ path }) => path)

describe('an ask in the conversation', () => {
  it('says what is wanted, why, and how long there is time; a yes lets it go on', async () => {
    const { id, approval } = await workbench.ask('Approved', 'door-1')
    const page = await workbench.open(`sessions/${id}`)
    const card = cardOf(page, 'asks')
    await card.getByText('wants to change files').waitFor()
    await card.getByRole('list', { name: 'Files' }).getByText(approval.resources[0]!).waitFor()
    await card.getByText('It changes something. Denied if nobody answers.').waitFor()
    expect(await card.getByRole('timer').innerText()).toMatch(/^\d:\d\d left$/)
    const before = await card.getByRole('timer').innerText()
    await expectSoon(() => card.getByRole('timer').innerText()).not.toBe(before)
    await card.getByRole('list', { name: 'Arguments' }).getByText('door-1').waitFor()
    await press(page, 'Approve')
    await cardOf(page, 'done').waitFor()
    await answerOf(page).getByText('{"painted":"door-1"}').waitFor()
    expect(paintedPaths()).toContain('door-1')
  })

  it('comes while one watches, is said aloud once, and leaves the focus alone', async () => {
    const { id } = await workbench.parley.sessions.create({ title: 'Watched' })
    const page = await workbench.open(`sessions/${id}`)
    await boxOf(page).focus()
    const said = await recordSaid(page)
    await page.keyboard.type('paint watched')
    await page.keyboard.press('Enter')
    await buttonsOf(page).waitFor()
    const asks = async () => (await said()).filter((text) => text.includes('needs your answer'))
    await expectSoon(asks).toEqual(['paint wants to change files. It needs your answer.'])
    expect(await boxOf(page).evaluate((box) => box === document.activeElement)).toBe(true)
    await press(page, 'Approve')
    await cardOf(page, 'done').waitFor()
    expect(await asks()).toHaveLength(1)
  })

  itInLongTier('is denied with words that the model reads, and stays drawn as denied', async () => {
    const { id } = await workbench.ask('Denied', 'door-2')
    const page = await workbench.open(`sessions/${id}`)
    await press(page, 'Deny…')
    const words = page.getByLabel('Message to the model (optional)')
    await expectFocus(words)
    await words.fill('Not that door.')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await answerOf(page).getByText('The user said no: Not that door.').waitFor()
    await cardOf(page, 'denied').getByText('denied').waitFor()
    await page.reload()
    await cardOf(page, 'denied').getByRole('button').first().click()
    await page.getByText('Message to the model').waitFor()
    expect(paintedPaths()).not.toContain('door-2')
  })

  it('is not made again once it is always allowed', async () => {
    const { id } = await workbench.ask('Always', 'door-3')
    const page = await workbench.open(`sessions/${id}`)
    await press(page, 'Always allow exactly this in this session')
    await cardOf(page, 'done').waitFor()
    await workbench.parley.sessions.send(id, 'paint door-3 again')
    await expectSoon(() => cardOf(page, 'done').count()).toBe(2)
    expect(paintedPaths().filter((path) => path === 'door-3')).toHaveLength(2)
    expect((await workbench.parley.sessions.get(id)).permissionRules).toHaveLength(1)
  })

  itInLongTier('is approved with other arguments, if they are an object', async () => {
    const { id } = await workbench.ask('Edited', 'door-4')
    const page = await workbench.open(`sessions/${id}`)
    await press(page, 'Edit…')
    const box = page.getByLabel('Arguments, as JSON')
    const approve = page.getByRole('button', { name: 'Approve with these' })
    await box.fill('[1]')
    await page.getByText('Must be a JSON object').waitFor()
    await expectSoon(() => approve.isDisabled()).toBe(true)
    await box.fill('{"path":')
    await page.getByText('Invalid JSON').waitFor()
    await box.fill('{"path": "door-5", "colour": "blue"}')
    await approve.click()
    await answerOf(page).getByText('{"painted":"door-5"}').waitFor()
    expect(workbench.painted).toContainEqual({ path: 'door-5', colour: 'blue' })
    expect(paintedPaths()).not.toContain('door-4')
  })

  itInLongTier('says plainly that it grants a place outside the folders', async () => {
    const { id } = await workbench.ask('Outside', '/somewhere/else')
    const page = await workbench.open(`sessions/${id}`)
    const card = cardOf(page, 'asks')
    await card.getByText('Approving gives this session access to these places outside its folders').waitFor()
    await card.getByRole('list', { name: 'Files' }).getByText('/somewhere/else').waitFor()
    await press(page, 'Approve')
    await cardOf(page, 'done').waitFor()
    expect((await workbench.parley.sessions.get(id)).grantedPaths).toEqual(['/somewhere/else'])
  })

  it('that is answered in another tab goes on in this one', async () => {
    const { id } = await workbench.ask('Two tabs', 'door-6')
    const [one, other] = [await workbench.open(`sessions/${id}`), await workbench.open(`sessions/${id}`)]
    await buttonsOf(other).waitFor()
    await press(one, 'Approve')
    await cardOf(other, 'done').waitFor()
    await expectGone(buttonsOf(other))
  })

  itInLongTier('says so when somebody else was faster', async () => {
    const { id, approval } = await workbench.ask('Too late', 'door-7')
    const page = await workbench.open(`sessions/${id}`)
    await intercept(page, '**/api/approvals/*', async (route) => {
      if (route.request().method() === 'POST')
        await workbench.parley.approvals.decide(approval.id, { decision: 'deny' })
      await route.continue()
    })
    await press(page, 'Approve')
    await page.getByText('Someone has already answered, or time is up.').first().waitFor()
    await cardOf(page, 'denied').waitFor()
    expect(paintedPaths()).not.toContain('door-7')
    // the browser tells of the answer 409 by itself
    workbench.expectProblems(/409/)
  })

  it('that nobody answers runs out, and is drawn so', async () => {
    await using hasty = await openApprovalsWorkbench({ approvals: { timeoutMs: 100 } })
    const { id } = await hasty.parley.sessions.create({ title: 'Expired' })
    await hasty.parley.sessions.send(id, 'paint wall')
    const page = await hasty.open(`sessions/${id}`)
    await cardOf(page, 'expired').getByText('not answered').waitFor()
    await answerOf(page).getByText('Nobody answered in time, so the call was not made.').waitFor()
    await page.goto(`${hasty.url}/#/approvals?status=expired`)
    await page.getByRole('list', { name: 'Not answered in time' }).getByText('Expired').waitFor()
    expect(hasty.painted).toEqual([])
  })

  it('outlives the server, and is answered after its restart', async () => {
    const { id } = await workbench.ask('Restarted', 'door-10')
    const page = await workbench.open(`sessions/${id}`)
    await buttonsOf(page).waitFor()
    await workbench.restart()
    const lived = async () => (await workbench.parley.approvals.list()).items.length
    await expectSoon(lived).toBeGreaterThan(0)
    await page.reload()
    await press(page, 'Approve')
    await cardOf(page, 'done').waitFor()
    await answerOf(page).getByText('{"painted":"door-10"}').waitFor()
    expect(await cardOf(page, 'done').count()).toBe(1)
    // the connection that was lost
    workbench.expectProblems(refusedRequest)
  })

  itInLongTier('is settled when the turn is stopped', async () => {
    const { id, approval } = await workbench.ask('Stopped', 'door-8')
    const page = await workbench.open(`sessions/${id}`)
    await buttonsOf(page).waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await buttonsOf(page).waitFor({ state: 'detached' })
    expect((await workbench.parley.approvals.get(approval.id)).status).toBe('cancelled')
  })

  it('is answered by keyboard alone, and the focus is never nowhere', async () => {
    const { id } = await workbench.ask('By keys', 'door-9')
    const page = await workbench.open(`sessions/${id}`)
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
    await buttonsOf(page).getByRole('button', { name: 'Approve', exact: true }).focus()
    for (const _ of [1, 2]) await page.keyboard.press('Tab')
    await expectSoon(focused).toBe('Deny…')
    await page.keyboard.press('Enter')
    await page.getByLabel('Message to the model (optional)').waitFor()
    await page.keyboard.press('Escape')
    await expectSoon(focused).toBe('Deny…')
    await page.keyboard.press('Enter')
    await page.getByLabel('Message to the model (optional)').waitFor()
    await page.keyboard.type('No')
    await page.keyboard.press('Enter')
    await cardOf(page, 'denied').waitFor()
    await expectSoon(() => page.evaluate(() => document.activeElement?.tagName)).toBe('BUTTON')
  })
})

describe('asks of tasks', () => {
  itInLongTier('are answered above the box of the session that started them', async () => {
    const { id } = await workbench.parley.sessions.create({ title: 'Parent' })
    const { sessionId } = await workbench.askInTask(id, 'Paint the fence')
    const page = await workbench.open(`sessions/${id}`)
    const strip = page.getByRole('region', { name: 'Requests from tasks' })
    await strip.getByText('Task “Paint the fence” needs approval').waitFor()
    await strip.getByRole('button', { name: 'Approve', exact: true }).click()
    await strip.waitFor({ state: 'detached' })
    await expectSoon(async () => (await workbench.parley.sessions.get(sessionId)).bgStatus).toBe('completed')
  })
})

describe('asks', () => {
  it.each(looks)('have no barriers %s, and fit a phone', async (name, look) => {
    const { id } = await workbench.ask(`Looked at ${name}`, `wall-${'long'.repeat(60)}`)
    await workbench.askInTask(id, 'Asks too')
    const page = await workbench.open(`sessions/${id}`, look)
    await page.locator('[data-tool-state="asks"] [data-answer="approve"]').waitFor()
    await page.locator('section [data-answer="approve"]').waitFor()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await page.locator('[data-tool-state="asks"] [data-answer="edit"]').click()
    await page.locator('[data-tool-state="asks"] textarea').waitFor()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await expectToFitPhone(page)
  })
})

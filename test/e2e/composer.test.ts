import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriers, findBarriersInBothThemes, widthOf } from './barriers.ts'
import { phone } from './browser.ts'
import { boxOf, createListener, expectSoon, openSession } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

const listener = createListener()
let workbench: Workbench

beforeAll(async () => {
  workbench = await openWorkbench({ script: listener.script })
})
afterAll(() => workbench?.[Symbol.asyncDispose]())

it('sends with Enter and makes a new line with Shift+Enter', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await page.keyboard.type('one')
  const before = (await box.boundingBox())!.height
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('two')
  await page.keyboard.press('Shift+Enter')
  await expectSoon(async () => (await box.boundingBox())!.height).toBeGreaterThan(before)
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await session.expectSaid('one\ntwo')
  await expectSoon(() => box.inputValue()).toBe('')
  await page.getByText('Heard: one').first().waitFor()
  await expectFocus(box)
})

itInLongTier('sends nothing when there is nothing', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await page.keyboard.press('Enter')
  await page.keyboard.type('   ')
  await page.keyboard.press('Enter')
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  await page.keyboard.type('x')
  await page.getByRole('button', { name: 'Send' }).click()
  await session.expectSaid('   x')
})

itInLongTier('does not send a half-typed word of an input method', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Input.imeSetComposition', { text: 'nihao', selectionStart: 5, selectionEnd: 5 })
  await page.keyboard.press('Enter')
  await devtools.send('Input.insertText', { text: '你好' })
  await expectSoon(() => box.inputValue()).toContain('你好')
  expect(await session.log()).toEqual([])
  // as some input methods tell it: the key counts as theirs though the word is over
  await box.evaluate((element) =>
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })),
  )
  expect(await session.log()).toEqual([])
  await box.fill('你好')
  await page.keyboard.press('Enter')
  await session.expectSaid('你好')
})

it('keeps what was typed for each session, over a reload, until it is sent', async () => {
  const session = await openSession(workbench)
  const { page, box, id } = session
  const other = await workbench.parley.sessions.create()
  await page.keyboard.type('half a thou')
  await page.getByRole('button', { name: 'Thinking' }).click()
  await page.goto(`${workbench.url}/#/sessions/${other.id}`)
  await expectSoon(() => box.inputValue()).toBe('')
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  await expectSoon(() => box.inputValue()).toBe('half a thou')
  await page.reload()
  await expectSoon(() => box.inputValue()).toBe('half a thou')
  await page.getByRole('button', { name: 'Thinking', pressed: true }).waitFor()
  await box.press('End')
  await page.keyboard.type('ght')
  await page.keyboard.press('Enter')
  await session.expectSaid('half a thought')
  await expectSoon(() => listener.requests.at(-1)).toMatchObject({ thinking: true })
  await expectSoon(() => box.inputValue()).toBe('')
  await page.reload()
  await box.waitFor()
  expect(await box.inputValue()).toBe('')
})

it('gives back what could not be sent, and sends it when told to', async () => {
  const session = await openSession(workbench)
  const { page, box } = session
  await intercept(page, '**/chat', (route) => route.abort())
  await page.keyboard.type('precious words')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert').filter({ hasText: 'Not sent' })
  await alert.waitFor()
  await expectSoon(() => box.inputValue()).toBe('precious words')
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.unroute('**/chat')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await session.expectSaid('precious words')
  await alert.waitFor({ state: 'detached' })
  workbench.expectProblems(/ERR_FAILED/)
})

it('says something once though the answer to it was lost', async () => {
  const session = await openSession(workbench)
  const { page } = session
  let tries = 0
  await intercept(page, '**/chat', async (route) => {
    tries++
    if (tries > 1) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.keyboard.type('only once')
  await page.keyboard.press('Enter')
  await expectSoon(() => tries).toBe(2)
  await page.getByText('Heard: only once').first().waitFor()
  await session.expectSaid('only once')
  expect(await page.getByRole('alert').count()).toBe(0)
  workbench.expectProblems(refusedRequest)
})

it('sets the model of the session, also one that is not listed', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await page.getByRole('button', { name: /^Model:/ }).click()
  const search = page.getByRole('combobox', { name: 'Model' })
  await search.waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.type('scripted/another')
  await page.getByRole('option', { name: 'Use “scripted/another”' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const chosen = page.getByRole('button', { name: 'Model: scripted/another' })
  await chosen.waitFor()
  const modelOf = async () => (await workbench.parley.sessions.get(session.id)).model
  await expectSoon(modelOf).toBe('scripted/another')
  await expectFocus(chosen)
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: /^Default/ }).click()
  await expectSoon(modelOf).toBeUndefined()
})

it('fits a phone, where Enter makes a line and the button sends', async () => {
  const session = await openSession(workbench, phone)
  const { page, box } = session
  await page.keyboard.type('one')
  await page.keyboard.press('Enter')
  await page.keyboard.type('x'.repeat(200))
  await expectSoon(() => box.inputValue()).toContain('one\nxxx')
  await expectSoon(() => widthOf(page)).toBe(360)
  const { x, width } = (await page.getByRole('button', { name: 'Send' }).boundingBox())!
  expect(x + width).toBeLessThanOrEqual(360)
  await page.getByRole('button', { name: 'Send' }).tap()
  await session.expectSaid(`one\n${'x'.repeat(200)}`)
})

itInLongTier('holds its layout with text that is made to break it', async () => {
  const session = await openSession(workbench)
  const { page } = session
  await boxOf(page).fill(`\u202Eevil ${'long'.repeat(5_000)}\n${'\n'.repeat(200)}end`)
  const { height } = page.viewportSize()!
  await expectSoon(async () => (await boxOf(page).boundingBox())!.height).toBeLessThan(height / 2)
  expect(await widthOf(page)).toBe(1280)
  await expectToFitPhone(page)
})

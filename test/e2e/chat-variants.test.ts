import { afterAll, beforeAll, expect, it } from 'vitest'
import { itInLongTier } from '../runner/tier.ts'
import {
  answers,
  expectEventually,
  openChatWorkbench,
  questions,
  timeline,
  words,
  finish,
  type ChatWorkbench,
} from './chat-arrange.ts'
import { expectFocus, expectSeen } from './expect-page.ts'

let workbench: ChatWorkbench
beforeAll(async () => {
  workbench = await openChatWorkbench()
  let count = 0
  workbench.answerWith(() => [words(`Answer number ${++count}.`), finish])
})
afterAll(() => workbench[Symbol.asyncDispose]())

const sessionIdOf = (url: string) => /sessions\/(\w+)/.exec(url)?.[1]

it('sends an edited message as a variant, keeps what was there, and leads from one to the other', async () => {
  const id = await workbench.talk('Edited', 'First question', 'Second question')
  const before = (await workbench.parley.sessions.messages(id)).items
  const page = await workbench.open(`sessions/${id}`)
  const second = questions(page).filter({ hasText: 'Second question' })
  await second.hover()
  await second.getByRole('button', { name: 'Edit' }).click()
  const box = page.getByRole('textbox', { name: 'Edit your message' })
  await expectEventually(() => box.inputValue()).toBe('Second question')
  await box.fill('Another question')
  await box.press('Enter')
  await questions(page).filter({ hasText: 'Another question' }).waitFor()
  await page.getByText('Variant 2 of 2').waitFor({ state: 'attached' })
  await expectEventually(() => answers(page).count()).toBe(2)
  await second.waitFor({ state: 'detached' })
  const variantId = sessionIdOf(page.url())!
  expect(variantId).not.toBe(id)
  // nothing of the first one is gone
  expect((await workbench.parley.sessions.messages(id)).items).toEqual(before)
  await page.getByRole('button', { name: 'Previous variant' }).click()
  await second.waitFor()
  await expectEventually(() => sessionIdOf(page.url())).toBe(id)
  await page.getByText('Variant 1 of 2').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Next variant' }).click()
  await questions(page).filter({ hasText: 'Another question' }).waitFor()
  await expectEventually(() => sessionIdOf(page.url())).toBe(variantId)
})

itInLongTier('goes from variant to variant by [ and ], except where they are typed', async () => {
  const id = await workbench.talk('By keys', 'The first wording')
  const page = await workbench.open(`sessions/${id}`)
  await questions(page).hover()
  await questions(page).getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Edit your message' }).fill('The second wording')
  await page.keyboard.press('Enter')
  await page.getByText('Variant 2 of 2').waitFor({ state: 'attached' })
  await timeline(page).focus()
  await page.keyboard.press('[')
  await questions(page).filter({ hasText: 'The first wording' }).waitFor()
  await expectEventually(() => sessionIdOf(page.url())).toBe(id)
  await page.getByText('Variant 1 of 2').waitFor({ state: 'attached' })
  await page.keyboard.press(']')
  await questions(page).filter({ hasText: 'The second wording' }).waitFor()
  const box = page.getByRole('textbox', { name: 'Message', exact: true })
  await box.focus()
  await page.keyboard.type('[]')
  expect(await box.inputValue()).toBe('[]')
  expect(sessionIdOf(page.url())).not.toBe(id)
})

itInLongTier(
  'edits the last message by the up arrow in the empty box, however far up one reads',
  async () => {
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: `Message number ${index + 1}.`,
    }))
    const stored = { format: 'parley.session', version: 1, session: { title: 'Up' }, messages }
    const { id } = await workbench.parley.sessions.import(JSON.stringify(stored))
    const page = await workbench.open(`sessions/${id}`)
    await page.getByText('Message number 60.').waitFor()
    await timeline(page).focus()
    const last = page.getByText('Message number 59.')
    const goUp = async () => {
      await page.keyboard.press('Home')
      return last.count()
    }
    await expectEventually(goUp).toBe(0)
    const box = page.getByRole('textbox', { name: 'Message', exact: true })
    await box.focus()
    // there are words to move in
    await page.keyboard.type('a')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await page.keyboard.press('Delete')
    expect(await page.getByRole('textbox', { name: 'Edit your message' }).count()).toBe(0)
    await page.keyboard.press('ArrowUp')
    const edit = page.getByRole('textbox', { name: 'Edit your message' })
    await edit.waitFor()
    expect(await edit.inputValue()).toBe('Message number 59.')
    await expectFocus(edit)
    await page.keyboard.press('Escape')
    await edit.waitFor({ state: 'detached' })
    await expectFocus(box)
  },
)

itInLongTier('counts another edit of an edited message as a third variant', async () => {
  const id = await workbench.talk('Edited twice', 'The question')
  const page = await workbench.open(`sessions/${id}`)
  for (const [number, text] of [
    [2, 'The second'],
    [3, 'The third'],
  ] as const) {
    await questions(page).first().hover()
    await questions(page).first().getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Edit your message' }).fill(text)
    await page.getByRole('button', { name: 'Send as variant' }).click()
    await questions(page).filter({ hasText: text }).waitFor()
    await page.getByText(`Variant ${number} of ${number}`).waitFor({ state: 'attached' })
  }
  await page.getByRole('button', { name: 'Previous variant' }).click()
  await questions(page).filter({ hasText: 'The second' }).waitFor()
  await expectSeen(page.getByText('Variant 2 of 3'), 'attached')
})

itInLongTier('leaves everything as it was when the edit is given up', async () => {
  const id = await workbench.talk('Given up', 'A question')
  const page = await workbench.open(`sessions/${id}`)
  await questions(page).hover()
  await questions(page).getByRole('button', { name: 'Edit' }).click()
  const box = page.getByRole('textbox', { name: 'Edit your message' })
  await box.fill('Something else')
  await box.press('Escape')
  await questions(page).filter({ hasText: 'A question' }).waitFor()
  expect(sessionIdOf(page.url())).toBe(id)
  await expectEventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Edit',
  )
})

it('answers again in a variant, with the same question', async () => {
  const id = await workbench.talk('Again', 'The same question')
  const page = await workbench.open(`sessions/${id}`)
  const answer = () =>
    answers(page)
      .getByText(/^Answer number \d+\.$/)
      .innerText()
  const first = await answer()
  await answers(page).hover()
  await answers(page).getByRole('button', { name: 'Regenerate' }).click()
  await page.getByText('Variant 2 of 2').waitFor({ state: 'attached' })
  await expectEventually(answer).not.toBe(first)
  await questions(page).getByText('The same question').waitFor()
})

it('forks from any message, into a session of its own', async () => {
  const id = await workbench.talk('Forked', 'One', 'Two')
  const page = await workbench.open(`sessions/${id}`)
  await answers(page).first().hover()
  await answers(page).first().getByRole('button', { name: 'Fork from here' }).click()
  await page.getByRole('heading', { name: 'Forked (fork)' }).waitFor()
  await expectEventually(() => page.locator('article').count()).toBe(2)
  const forkId = sessionIdOf(page.url())!
  expect((await workbench.parley.sessions.get(forkId)).forkedFrom?.sessionId).toBe(id)
  // no variant: there is nothing to page through
  expect(await page.getByRole('group', { name: 'Variants' }).count()).toBe(0)
})

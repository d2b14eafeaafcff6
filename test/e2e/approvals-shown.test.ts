/** What a person sees of an ask is what is done: all of it, or a mark that there is more. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/core/tools/tool.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { findBarriers } from './barriers.ts'
import { expectSoon, lastWords } from './composer-arrange.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const ran: unknown[] = []
const shell = defineTool({
  name: 'shell',
  description: 'Runs a command',
  input: z.looseObject({ command: z.string() }),
  access: ({ command }) => ({ action: 'execute', effect: 'execute', resources: [command] }),
  async execute(input) {
    ran.push(input)
    return `did \u001b[31m${'x\u202Ey'}`
  },
})
/** Told some JSON, it makes the call with that. */
const script: Script = (request) =>
  request.messages.at(-1)?.role === 'tool'
    ? says('Done: \u001b[2Ja\u202Eb \u{E0072}👩‍👧 שלום')
    : calls(['shell', lastWords(request)])

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench({ script, tools: [shell] })
})
// what waits would be seen by the next test
afterEach(async () => {
  for (const { id } of (await workbench.parley.approvals.list()).items)
    await workbench.parley.approvals.decide(id, { decision: 'deny' })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const row = (page: Page) => page.locator('li[data-approval]')
const approve = (page: Page) => row(page).getByRole('button', { name: 'Approve', exact: true })

async function ask(input: object, title = 'Asks'): Promise<string> {
  const { id } = await workbench.parley.sessions.create({ title })
  await workbench.parley.sessions.send(id, JSON.stringify(input))
  return id
}

const isInView = (page: Page, text: string) =>
  row(page)
    .getByText(text)
    .evaluate((element, words) => {
      const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!
      const range = document.createRange()
      const at = node.textContent!.indexOf(words)
      range.setStart(node, at)
      range.setEnd(node, at + words.length)
      return range.getBoundingClientRect().width > 0
    }, text)

it('offers no yes to a long command before all of it was shown', async () => {
  const command = `echo ${'a'.repeat(2_400)}\n${'echo b\n'.repeat(60)}rm -rf /the-end`
  const given = { command, note: 'n'.repeat(3_000) }
  await ask(given)
  const page = await workbench.open('approvals')
  await row(page).getByText('… 1,841 more characters, 61 more lines.').waitFor()
  expect(await row(page).getByText('/the-end').count()).toBe(0)
  expect(await approve(page).isDisabled()).toBe(true)
  expect(
    await row(page).getByRole('button', { name: 'Always allow exactly this in this session' }).isDisabled(),
  ).toBe(true)
  expect(await row(page).getByRole('button', { name: 'Deny…' }).isEnabled()).toBe(true)
  expect(await findBarriers(page)).toEqual([])
  await row(page).getByRole('button', { name: 'Show all' }).click()
  await row(page).getByText('2,841 characters, 62 lines').waitFor()
  expect(await isInView(page, '/the-end')).toBe(true)
  await approve(page).click()
  await expectSoon(() => ran).toEqual([given])
})

it('marks what cannot be seen in commands, titles, answers and outputs', async () => {
  const command = `ls\u202E\u200B \u001b[1A\rrm${' '.repeat(300)};${'\n'.repeat(40)}x\u00a0<U+0041>`
  const id = await ask({ command }, 'Title \u202Egnp.exe')
  const page = await workbench.open('approvals')
  const list = row(page).getByRole('list', { name: 'Command' })
  await row(page).getByRole('button', { name: 'Show all' }).click()
  const shown =
    'ls<U+202E><U+200B> <U+001B>[1A<U+000D>rm<U+0020 ×300>;\n<U+000A ×39>\nx<U+00A0><U+003C>U+0041>'
  await expectSoon(() => list.locator('code').innerText()).toBe(shown)
  await row(page).getByRole('link').locator('[data-hidden="U+202E"]').waitFor()
  expect(await page.getByRole('link', { name: /Title <U\+202E>gnp\.exe/ }).count()).toBeGreaterThan(1)
  await approve(page).click()
  await page.goto(`${workbench.url}/#/sessions/${id}`)
  const answer = page.locator('article[data-role="assistant"]').last()
  await answer.getByText('Done: <U+001B>[2Ja<U+202E>b <U+E0072>👩‍👧 שלום').waitFor()
  await answer.locator('[data-tool-state="done"] button').first().click()
  await answer.getByText('did <U+001B>[31mx<U+202E>y').waitFor()
  await expectSoon(() => page.title()).toContain('<U+202E>')
  expect(ran.at(-1)).toEqual({ command })
})

it('shows the arguments to be edited without anything that cannot be seen, and means the same', async () => {
  const command = 'a\u202Eb\u0085'
  await ask({ command, keep: '\u{E0072}' })
  const page = await workbench.open('approvals', { preferences: { language: 'zh' } })
  await row(page).getByRole('button', { name: '编辑……' }).click()
  const box = page.getByLabel('参数（JSON）')
  const text = await box.inputValue()
  expect(text).not.toMatch(/[\u202E\u0085]|\p{Cs}|\u{E0072}/u)
  await page.getByRole('button', { name: '按此批准' }).click()
  await expectSoon(() => ran.at(-1)).toEqual({ command, keep: '\u{E0072}' })
})

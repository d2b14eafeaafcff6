/** The context inspector, as a person uses it who wants to know what the model saw. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ModelEvent } from '../../src/core/models/adapter.ts'
import { isMemoRequest } from '../window-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSeen } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

let workbench: Workbench
/** A session with three cuts and three versions of its memo. */
let id: string
let runs: string[]
let memos = 0
/** Whether the provider finds what the call before left in its cache. */
let isCached = false

const usage = () => ({ inputTokens: 1_000, outputTokens: 7, cacheReadTokens: isCached ? 950 : 0 })
const says = (text: string): ModelEvent[] => [
  { type: 'text-delta', text },
  { type: 'finish', reason: 'stop', usage: usage() },
]
const describes: ModelEvent[] = [
  { type: 'tool-call', toolCallId: 'call-2', toolName: 'use_tool', input: '{"name":"cron"}' },
]
const looksUp: ModelEvent[] = [
  { type: 'tool-call', toolCallId: 'call-1', toolName: 'recall', input: '{"query":"deploy"}' },
]

beforeAll(async () => {
  workbench = await openWorkbench({
    script: (request) => {
      if (isMemoRequest(request))
        return says(JSON.stringify({ facts: [`fact ${++memos}`], recent_summary: `summary ${memos}` }))
      const asked = JSON.stringify(request.messages.at(-1))
      if (asked.includes('please look'))
        return [...looksUp, { type: 'finish', reason: 'tool-calls', usage: usage() }]
      if (asked.includes('what can cron do'))
        return [...describes, { type: 'finish', reason: 'tool-calls', usage: usage() }]
      return says(`An answer to ${asked.includes('question') ? 'a question' : 'that'}.`)
    },
    prices: { 'scripted/test': { input: 2, output: 10 } },
  })
  const { sessions } = workbench.parley
  ;({ id } = await sessions.create({
    title: 'Deployment',
    window: { mode: 'memo', limit: { messages: 6 } },
    // all of them would be most of the prompt, and hide where the cache ends
    allowedTools: ['recall'],
  }))
  for (let turn = 1; turn <= 7; turn++) {
    await sessions.chat(id, `question ${turn}`)
    await workbench.parley.windows.settled(id)
  }
  isCached = true
  await sessions.chat(id, 'please look it up')
  await vi.waitUntil(async () => (await sessions.memo(id)).version === 3, { timeout: 200_000 })
  const { items } = await workbench.parley.store.listRuns('default', { sessionId: id, limit: 50 })
  runs = items.map((run) => run.id)
})
afterAll(() => workbench[Symbol.asyncDispose]())

const inspect = (search: string, options: Parameters<Workbench['open']>[1] = {}) =>
  workbench.open(`sessions/${id}?dock=context${search}`, options)
/** The open view: what is in the log beside it has the same words. */
const panelOf = (page: Page, name: string) => page.getByRole('tabpanel', { name, exact: true })
const heading = (page: Page, name: RegExp) => page.getByRole('button', { name, expanded: true })

describe('the prompt', () => {
  it('is shown as it would be sent now, piece by piece, each with its text', async () => {
    const page = await inspect('')
    await heading(page, /System prompt/).waitFor()
    await page.getByRole('button', { name: /^identity static/ }).click()
    await page
      .getByRole('region', { name: 'identity' })
      .filter({ hasText: 'You are a helpful assistant' })
      .waitFor()
    await page.getByRole('button', { name: /^memo static/ }).click()
    await page.getByRole('region', { name: 'memo' }).filter({ hasText: 'fact 3' }).waitFor()
    await page.getByRole('button', { name: /^Tools/ }).click()
    await panelOf(page, 'Prompt').getByText('recall', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Copy as JSON' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect
      .poll(async () => toObject(await copied()))
      .toEqual(await workbench.parley.sessions.prompt(id))
  })

  it('of an earlier turn and step is one choice away, and a link leads to it', async () => {
    const page = await inspect('')
    await page
      .getByLabel('Turn', { exact: true })
      .selectOption({ label: await optionWith(page, 'please look') })
    await expect.poll(() => page.getByLabel('Step').inputValue()).toBe('2')
    await page.getByText('Cache hit: the provider had the start of this prompt cached.').waitFor()
    for (const fact of ['scripted/test', '1,000 tokens', '950 tokens', '7 tokens', '$0.00207'])
      await panelOf(page, 'Prompt').getByText(fact, { exact: true }).waitFor()
    await panelOf(page, 'Prompt').getByText('Tool results').waitFor()
    await page.getByText('cached', { exact: true }).first().waitFor()
    await page.getByText('not cached', { exact: true }).first().waitFor()
    await page.getByLabel('Step').selectOption('1')
    await expect.poll(() => page.getByText('Tool results').count()).toBe(0)

    const other = await workbench.open(new URL(page.url()).hash.slice(2))
    await expect.poll(() => other.getByLabel('Step').inputValue()).toBe('1')
  })

  it('names the tools that are offered by a line, and says where they were described', async () => {
    const { sessions } = workbench.parley
    const { id: other } = await sessions.create({ title: 'Described' })
    await sessions.chat(other, 'what can cron do')
    const page = await workbench.open(`sessions/${other}?dock=context`)
    await page.getByRole('button', { name: /^Tools/ }).click()
    const panel = panelOf(page, 'Prompt')
    await panel.getByText('use_tool', { exact: true }).waitFor()
    await panel.getByText('cron', { exact: true }).waitFor()
    await panel.getByText('described in message 2, step 1', { exact: true }).waitFor()
    expect(await panel.getByText('by a line', { exact: true }).count()).toBeGreaterThan(3)
  })

  it('is what was sent then, not what would be sent now', async () => {
    const page = await inspect(`&run=${runs.at(-1)}`)
    await page.getByText('First call of the session').waitFor()
    await page.getByText('question 1', { exact: true }).first().waitFor()
    const panel = panelOf(page, 'Prompt')
    await expect.poll(() => panel.getByText('question 7').count()).toBe(1)
    expect(await panel.getByRole('button', { name: /^memo/ }).count()).toBe(0)
    expect(await panel.getByRole('link', { name: 'Go to message 1' }).count()).toBe(1)
  })

  itInLongTier('grows on the screen while the session goes on', async () => {
    const { sessions } = workbench.parley
    const { id: other } = await sessions.create({ title: 'Live' })
    const page = await workbench.open(`sessions/${other}?dock=context`)
    await heading(page, /System prompt/).waitFor()
    expect(await page.getByRole('button', { name: /^Window/ }).count()).toBe(0)
    await sessions.chat(other, 'a question that comes later')
    await page.getByRole('link', { name: 'Go to message 2' }).waitFor()
  })

  it('of a hundred thousand tokens opens, and only what can be seen is drawn', async () => {
    const { sessions } = workbench.parley
    const { id: long } = await sessions.create({ title: 'Long', window: { preset: 'unlimited' } })
    await sessions.append(long, { role: 'user', content: 'word '.repeat(100_000) })
    for (let turn = 0; turn < 300; turn++)
      await sessions.append(long, { role: turn % 2 ? 'user' : 'assistant', content: `said ${turn}` })
    const page = await workbench.open(`sessions/${long}?dock=context`)
    await page.getByRole('link', { name: 'Go to message 1', exact: true }).waitFor()
    const panel = panelOf(page, 'Prompt')
    expect(await panel.getByRole('link').count()).toBeLessThan(40)
    await panel.getByRole('button', { name: /^User word word/ }).click()
    await panel.getByRole('button', { name: 'Show all 500,000 characters' }).click()
    const shownLength = () =>
      panel.getByRole('region', { name: 'User' }).evaluate(({ textContent }) => textContent.length)
    await expect.poll(shownLength).toBe(500_000)
    await panel.getByRole('button', { name: /^User/ }).first().click()
    await panel
      .getByRole('button', { name: /^Assistant/ })
      .last()
      .hover()
    // heights become known on the way
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 100_000)
        return page.getByRole('link', { name: 'Go to message 301', exact: true }).count()
      })
      .toBe(1)
  })
})

describe('what changed', () => {
  it('is said in words for a miss by a cut, with the messages that left', async () => {
    const afterCut = await findRun((prompt, before) => prompt.windowStart > before.windowStart)
    const page = await inspect(`&run=${afterCut.run}&step=1`)
    await page.getByRole('button', { name: 'See what changed' }).click()
    await page
      .getByText(`It started at message ${afterCut.before} and now starts at message ${afterCut.now}.`)
      .waitFor()
    const changes = panelOf(page, 'Changes')
    await changes.getByText(/The first difference is/).waitFor()
    await changes.getByRole('region', { name: `message #${afterCut.before} (User)` }).waitFor()
    await changes.getByRole('region', { name: 'the fragment “memo”' }).waitFor()
    await changes.locator('del').first().waitFor()
    await expectSeen(changes.locator('ins').first())
  })

  it('is shown between any two turns, by words and by lines', async () => {
    const page = await inspect('&view=changes')
    await page.getByText(/The prompt only grew at the end/).waitFor()
    await page
      .getByLabel('Before', { exact: true })
      .selectOption({ label: await optionWith(page, 'question 3', 'Before') })
    await page.getByRole('region', { name: 'the fragment “memo”' }).waitFor()
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByRole('button', { name: 'Lines', pressed: true }).waitFor()
    await expect.poll(() => page.url()).toContain(`base=${runs.at(-3)}`)
  })

  itInLongTier('says so where there is nothing to compare with', async () => {
    const page = await inspect(`&view=changes&run=${runs.at(-1)}`)
    await expect.poll(() => page.getByText('No earlier call to compare with.').count()).toBe(1)
  })
})

describe('the window', () => {
  it('is shown with its place in the log, its limits and every cut', async () => {
    const page = await inspect('&view=window')
    const { startSeq, logMessages } = await workbench.parley.sessions.window(id)
    await page.getByText(`The model sees messages ${startSeq} to ${logMessages}.`).waitFor()
    await page.getByRole('meter', { name: 'Messages' }).waitFor()
    await expect.poll(() => page.getByText('too many messages').count()).toBe(3)
    await page.getByRole('row', { name: /Messages 6 this session/ }).waitFor()
    await page.getByRole('row', { name: /Characters 400,000 the server’s settings/ }).waitFor()
    await page.getByRole('link', { name: `First message in the window: #${startSeq}` }).click()
    const { items } = await workbench.parley.sessions.messages(id, { after: startSeq - 1, limit: 1 })
    await expect.poll(() => new URL(page.url()).hash).toContain(`message=${items[0]!.id}`)
  })

  it('is changed by hand; what the server refuses is said at the field', async () => {
    const { sessions } = workbench.parley
    const { id: own } = await sessions.create({ window: { memo: { max_length: 900 } } })
    for (let turn = 1; turn <= 3; turn++) await sessions.chat(own, `question ${turn}`)
    const page = await workbench.open(`sessions/${own}?dock=context&view=window`)
    const form = page.getByRole('form', { name: 'Session settings' })
    await form.getByLabel('Characters').fill('-1')
    await form.getByLabel('Messages').fill('4')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('alert').getByText('Must be at least 0.').waitFor()
    await expect.poll(() => form.getByLabel('Characters').getAttribute('aria-invalid')).toBe('true')
    expect(await form.getByLabel('Messages').getAttribute('aria-invalid')).toBeNull()
    await form.getByLabel('Characters').fill('')
    await form.getByLabel('Messages').press('Enter')
    await page.getByRole('row', { name: /Messages 4 this session/ }).waitFor()
    expect((await sessions.window(own)).settings).toEqual({
      limit: { messages: 4 },
      memo: { max_length: 900 },
    })

    await page.getByText('Nothing trimmed yet.').waitFor()
    await page.getByRole('button', { name: 'Trim now' }).click()
    await page.getByText('requested').waitFor()
    await page.getByText('The model sees messages 5 to 6.').waitFor()
    workbench.expectProblems(refusedRequest)
  })
})

describe('the memo', () => {
  it('is read key by key, pinned, and compared over its versions', async () => {
    const page = await inspect('&view=memo')
    await page.getByText('summary 3', { exact: true }).first().waitFor()
    const compared = page.getByRole('region', { name: 'Compare versions' })
    await compared.locator('del', { hasText: 'fact 2' }).waitFor()
    await compared.locator('ins', { hasText: 'fact 3' }).waitFor()
    await compared.getByLabel('Before', { exact: true }).selectOption('1')
    await compared.locator('del', { hasText: 'fact 1' }).waitFor()
    const version = page.getByRole('listitem', { name: 'Version 2' })
    await version.getByText(/added messages \d+ to \d+/).waitFor()
    await version.getByText('model', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Pin “facts”' }).click()
    await page.getByRole('button', { name: 'Unpin “facts”' }).waitFor()
    expect((await workbench.parley.sessions.memo(id)).pinned).toEqual(['facts'])
  })

  it('is edited as JSON; mistakes and a version that came meanwhile are said, and nothing is lost', async () => {
    const { sessions } = workbench.parley
    const { id: own } = await sessions.create()
    await sessions.setMemo(own, { memo: { facts: ['one'] } })
    const page = await workbench.open(`sessions/${own}?dock=context&view=memo`)
    await panelOf(page, 'Memo').getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit memo' })
    const box = dialog.getByLabel('Memo as JSON')
    await box.fill('{"facts": ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/Invalid JSON/).waitFor()
    await box.fill('{"unheard_of": 1}')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog
      .getByText(/unheard_of/)
      .last()
      .waitFor()

    await box.fill('{"facts": ["mine"]}')
    await sessions.setMemo(own, { memo: { facts: ['theirs'] } })
    await dialog.getByText(/now at version 2/).waitFor()
    expect(await box.inputValue()).toBe('{"facts": ["mine"]}')
    await dialog.getByRole('button', { name: 'Overwrite with my text' }).click()
    await expect.poll(() => dialog.count()).toBe(0)
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Edit')
    expect((await sessions.memo(own)).memo).toEqual({ facts: ['mine'] })
    workbench.expectProblems(refusedRequest)
  })

  itInLongTier('goes back to an earlier version, after a question', async () => {
    const { sessions } = workbench.parley
    const { id: own } = await sessions.create()
    await sessions.setMemo(own, { memo: { facts: ['one'] } })
    await sessions.setMemo(own, { memo: { facts: ['two'] } })
    const page = await workbench.open(`sessions/${own}?dock=context&view=memo`)
    await page
      .getByRole('listitem', { name: 'Version 1' })
      .getByRole('button', { name: 'Restore this version' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Restore version 1?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await sessions.memo(own)).version).toBe(2)
    await page
      .getByRole('listitem', { name: 'Version 1' })
      .getByRole('button', { name: 'Restore this version' })
      .click()
    await dialog.getByRole('button', { name: 'Restore this version' }).click()
    await page.getByRole('listitem', { name: 'Version 3' }).getByText('undo').waitFor()
    expect((await sessions.memo(own)).memo).toEqual({ facts: ['one'] })
  })

  itInLongTier('is written by hand where there is none', async () => {
    const { id: own } = await workbench.parley.sessions.create()
    const page = await workbench.open(`sessions/${own}?dock=context&view=memo`)
    await page.getByText('No memo yet.').waitFor()
    await panelOf(page, 'Memo').getByRole('button', { name: 'Write a memo' }).click()
    await page.getByLabel('Memo as JSON').fill('{"facts": ["<script>alert(1)</script>"]}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('<script>alert(1)</script>').first().waitFor()
    expect((await workbench.parley.sessions.memo(own)).memo).toEqual({ facts: ['<script>alert(1)</script>'] })
  })
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  const page = await inspect(`&run=${runs[0]}`, look)
  for (const view of ['prompt', 'changes', 'window', 'memo']) {
    await page.goto(`${workbench.url}/#/sessions/${id}?dock=context&view=${view}&run=${runs[0]}`)
    await page.getByRole('tabpanel').last().locator('h3, select').first().waitFor()
    expect(await findBarriersInBothThemes(page), view).toEqual([])
    await expectToFitPhone(page, view)
  }
})

itInLongTier('walks through its views by keys alone', async () => {
  const page = await inspect('')
  await page.getByRole('tab', { name: 'Prompt' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await panelOf(page, 'Changes').waitFor()
  await page.getByRole('tab', { name: 'Memo', exact: true }).focus()
  await page.keyboard.press('Enter')
  await panelOf(page, 'Memo').getByRole('button', { name: 'Edit' }).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  for (let presses = 0; presses < 3 && (await focused()) !== 'Edit'; presses++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Edit memo' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
})

itInLongTier(
  'says what is wrong when the server does not know the session, and where there is none',
  async () => {
    const page = await workbench.open('sessions/ses_none?dock=context&view=window')
    await panelOf(page, 'Window').getByRole('alert').waitFor()
    const none = await workbench.open('crons?dock=context')
    await expect.poll(() => none.getByText('Open a session to see what its model receives.').count()).toBe(1)
    workbench.expectProblems(refusedRequest)
  },
)

/** Undefined for what is no JSON. */
function toObject(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function optionWith(page: Page, words: string, label = 'Turn'): Promise<string> {
  const option = page.getByLabel(label, { exact: true }).locator('option', { hasText: words })
  return (await option.first().textContent())!
}

/** The run whose first step stands so to the last one of the run before. */
async function findRun(
  isIt: (prompt: { windowStart: number }, before: { windowStart: number }) => boolean,
): Promise<{ run: string; before: number; now: number }> {
  const { chats } = workbench.parley
  for (let index = 0; index < runs.length - 1; index++) {
    const now = await chats.inspectStep('default', runs[index]!, 1)
    const before = await chats.inspectStep('default', runs[index + 1]!, 1)
    if (now.cache.verdict === 'miss' && isIt(now, before))
      return { run: runs[index]!, before: before.windowStart, now: now.windowStart }
  }
  throw new Error('no such run')
}

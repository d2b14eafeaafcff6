import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers, findBarriersInBothThemes, widthOf } from './barriers.ts'
import { phone } from './browser.ts'
import { lastWords } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

const definitionOf = (name: string) => `name: ${name}
description: Writes about a topic, and asks before it is out.
args:
  topic: { description: What to write about, type: string }
  words: { type: number, default: 20 }
steps:
  - id: write
    type: agent
    prompt: 'Write about $args.topic in $args.words words'
  - id: ok
    type: approve
    approvePrompt: 'Is this good? $write.output'
  - id: publish
    type: agent
    prompt: 'Publish this: $write.output'
`

/** Steps hand in what they were asked for; in a chat it changes the description when it is told to. */
const script: Script = (request) => {
  const words = lastWords(request)
  if (request.messages.at(-1)?.role === 'tool') return says('That is all.')
  if (words.includes('describe it better')) {
    const text = definitionOf('Chatted').replace('Writes about a topic', 'Writes well about a topic')
    return calls(['workflow', { action: 'update', text }])
  }
  if (words.includes('Publish this')) return calls(['set_result', { output: 'It is **out**.' }])
  if (words.includes('Write about')) return calls(['set_result', { output: 'Tea is a drink.' }])
  return says('Hello.')
}

let workbench: Workbench
let client: ParleyClient
beforeAll(async () => {
  workbench = await openWorkbench({ script })
  client = createClient({ baseUrl: workbench.url })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const make = (name: string) => client.workflows.create({ text: definitionOf(name) })
const editor = (page: Page) => page.getByRole('textbox', { name: 'Definition in YAML' })
const nodeOf = (page: Page, id: string) => page.locator(`.react-flow [data-step="${id}"]`)
const rowOf = (page: Page, path: string) => page.locator(`tr[data-path="${path}"]`)

/** At the end of the text, as a person would. */
const append = async (page: Page, text: string) => {
  await editor(page).focus()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.insertText(text)
}

describe('a workflow', () => {
  it('begins with a template, and is drawn', async () => {
    const page = await workbench.open('workflows')
    await page.getByRole('button', { name: 'New workflow' }).first().click()
    const templates = page.getByRole('dialog').getByRole('list', { name: 'From a template' })
    const first = templates.getByRole('button').first()
    const name = await first.locator('bdi').first().textContent()
    await first.click()
    await page.getByRole('heading', { name: name!, level: 1 }).waitFor()
    await page.getByText('No problems').waitFor()
    const { items } = await client.workflows.list({ q: name! })
    await expect.poll(() => page.url(), soon).toContain(`/workflows/${items[0]!.id}`)
    await expect.poll(() => page.locator('.react-flow [data-step]').count(), soon).toBe(items[0]!.stepCount)
  })

  it('shows what is wrong at its line, is not saved with it, and is saved without', async () => {
    const { id } = await make('Edited')
    const page = await workbench.open(`workflows/${id}`)
    await page.getByText('No problems').waitFor()
    await nodeOf(page, 'publish').waitFor()
    await append(page, '  - { id: extra, type: agnt }\n')
    const problems = page.getByRole('list', { name: /problem/ })
    await problems.getByRole('button', { name: 'Line 16' }).first().waitFor()
    await page.getByText('Showing the last valid text').waitFor()
    expect(await findBarriers(page)).toEqual([])
    expect(await nodeOf(page, 'publish').count()).toBe(1)
    await expect.poll(() => page.locator('.cm-lint-marker-error').count(), soon).toBe(1)
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Not saved: fix the problems first.').first().waitFor()
    expect((await client.workflows.get(id)).version).toBe(1)
    // the refusal is meant: the browser says so on its console
    workbench.expectProblems(refusedRequest)

    await problems.getByRole('button').first().click()
    await page.keyboard.press('End')
    for (let count = 0; count < ' agnt }'.length; count++) await page.keyboard.press('Backspace')
    await page.keyboard.insertText(" agent, prompt: 'Again: $publish.output' }")
    await page.getByText('No problems').waitFor()
    await nodeOf(page, 'extra').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await page.getByText('Version 2', { exact: true }).waitFor()
    const saved = await client.workflows.get(id)
    expect(saved).toMatchObject({ version: 2, stepCount: 4 })
    expect(saved.text).toContain("prompt: 'Again: $publish.output'")
  })

  it('offers keys, values and names', async () => {
    const { id } = await make('Completed')
    const page = await workbench.open(`workflows/${id}`)
    await page.getByText('No problems').waitFor()
    const choices = page.getByRole('listbox', { name: 'Completions' })
    await append(page, 'con')
    await page.keyboard.type('f')
    await choices.getByRole('option', { name: /^config/ }).click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('  errorStrategy: c')
    await choices.getByRole('option', { name: 'continue' }).click()
    await page.getByText('No problems').waitFor()
    await append(page, '\n# ')
    await page.keyboard.type('$args.t')
    await choices.getByRole('option', { name: '$args.topic' }).click()
    await expect.poll(() => editor(page).textContent(), soon).toContain('# $args.topic')
  })

  it('is searched by the keys that one knows', async () => {
    const { id } = await make('Searched')
    const page = await workbench.open(`workflows/${id}`)
    await page.getByText('No problems').waitFor()
    await editor(page).focus()
    await page.keyboard.press('ControlOrMeta+Home')
    await page.keyboard.press('ControlOrMeta+f')
    const find = page.getByRole('textbox', { name: 'Find' })
    await expectFocus(find)
    await page.keyboard.type('publish')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.cm-searchMatch-selected').textContent(), soon).toBe('publish')
    expect(await findBarriers(page)).toEqual([])
    await page.keyboard.press('Escape')
    await find.waitFor({ state: 'detached' })
  })

  itInLongTier('leads from a step of the graph to its text and back', async () => {
    const { id } = await make('Walked')
    const page = await workbench.open(`workflows/${id}`)
    await nodeOf(page, 'ok').getByRole('button').click()
    await expect.poll(() => page.locator('.cm-activeLine').textContent(), soon).toContain('id: ok')
    await expectFocus(editor(page))
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => nodeOf(page, 'publish').getAttribute('class'), soon).toContain('ring-accent')
  })

  it('asks before unsaved changes are left, and when somebody else saved meanwhile', async () => {
    const { id, text } = await make('Contended')
    const page = await workbench.open(`workflows/${id}`)
    await page.getByText('No problems').waitFor()
    await append(page, '# mine\n')
    await page.getByRole('button', { name: 'All workflows' }).click()
    const guard = page.getByRole('dialog', { name: 'Leave without saving?' })
    await guard.getByRole('button', { name: 'Cancel' }).click()
    await guard.waitFor({ state: 'detached' })

    await client.workflows.update(id, { text: `${text}# theirs\n` })
    await page.getByText('Version 2 was saved in the meantime.').waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    const conflict = page.getByRole('dialog', { name: 'Changed in the meantime' })
    await conflict.getByRole('textbox', { name: 'Yours' }).getByText('mine').waitFor()
    await conflict.getByRole('button', { name: 'Save mine' }).click()
    await conflict.waitFor({ state: 'detached' })
    await expect.poll(async () => (await client.workflows.get(id)).version, soon).toBe(3)
    expect((await client.workflows.get(id)).text).toBe(`${text}# mine\n`)
    workbench.expectProblems(refusedRequest)
  })

  it('has versions, which are compared and brought back', async () => {
    const { id, text } = await make('Versioned')
    await client.workflows.update(id, { text: text.replace('Is this good?', 'May this go out?') })
    const page = await workbench.open(`workflows/${id}?tab=versions`)
    const diff = page.getByRole('region', { name: 'Changes in version 2' })
    await expect.poll(() => diff.locator('ins').textContent(), soon).toContain('May this go out?')
    await expect.poll(() => diff.locator('del').textContent(), soon).toContain('Is this good?')
    await page.getByRole('button', { name: 'Roll back to this version' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('list', { name: 'Versions' }).getByText('Version 3').waitFor()
    expect(await client.workflows.get(id)).toMatchObject({ version: 3, text })
  })

  it('is deleted from the list, after a question', async () => {
    await make('Doomed')
    const page = await workbench.open('workflows?q=Doomed')
    await page.getByRole('button', { name: 'Actions for Doomed' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No matching workflows.').waitFor()
    expect((await client.workflows.list({ q: 'Doomed' })).items).toEqual([])
  })

  it('is changed by talking, with the change seen before it is accepted', async () => {
    const { id } = await make('Chatted')
    const page = await workbench.open(`workflows/${id}?tab=chat`)
    await page.locator('#composer').fill('Please describe it better.')
    await page.keyboard.press('Enter')
    const proposal = page.getByRole('region', { name: 'Proposed change to “Chatted”' }).first()
    await expect.poll(() => proposal.locator('ins').textContent(), soon).toContain('Writes well about')
    expect((await client.workflows.get(id)).version).toBe(1)
    await page
      .getByRole('group', { name: 'Answer to workflow' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await expect.poll(async () => (await client.workflows.get(id)).version, soon).toBe(2)
    await page.getByText('That is all.', { exact: true }).waitFor()
    await page.getByText('Changes in version 2').waitFor()
  })
})

describe('a run', () => {
  it('is given args, asks, goes on when it is answered, and is repeated from a step', async () => {
    const { id } = await make('Published')
    const page = await workbench.open(`workflows/${id}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Run “Published”' })
    await expect.poll(() => form.getByLabel('words').inputValue(), soon).toBe('20')
    await form.getByRole('button', { name: 'Start' }).click()
    await form.getByText('Required.').waitFor()
    await form.getByLabel('topic').fill('tea')
    await form.getByRole('button', { name: 'Start' }).click()

    const question = page.getByRole('region', { name: 'Answer to ok' })
    await question.getByText('Is this good? Tea is a drink.').waitFor(soon)
    await expect.poll(() => nodeOf(page, 'write').getAttribute('data-status'), soon).toBe('completed')
    await expect.poll(() => nodeOf(page, 'ok').getAttribute('data-status'), soon).toBe('paused')
    expect(await nodeOf(page, 'publish').getAttribute('data-status')).toBeNull()
    await question.getByRole('timer').waitFor()
    await question.getByLabel('Comment').fill('Well done.')
    await question.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('region', { name: 'Output' }).first().getByText('It is out.').waitFor(soon)
    await rowOf(page, 'ok').getByText('“Well done.”').waitFor()
    await rowOf(page, 'publish').getByRole('link', { name: 'Open session' }).waitFor()
    await expect.poll(() => nodeOf(page, 'publish').getAttribute('data-status'), soon).toBe('completed')

    const first = page.url()
    await page.getByRole('button', { name: 'Rerun' }).click()
    const dialog = page.getByRole('dialog', { name: 'Rerun' })
    await dialog.getByLabel('Start at').selectOption('publish')
    await dialog.getByRole('button', { name: 'Rerun' }).click()
    await expect.poll(() => page.url(), soon).not.toContain(new URL(first).hash.slice(1).split('?')[0]!)
    await rowOf(page, 'write').getByText('Reused').waitFor(soon)
    await page.getByRole('region', { name: 'Output' }).first().getByText('It is out.').waitFor(soon)
    await page.getByRole('link', { name: 'another run' }).click()
    await expect.poll(() => page.url(), soon).toContain(new URL(first).hash.slice(1).split('?')[0]!)
  })

  itInLongTier('fails when it is refused, and is found in the list by its status', async () => {
    const { id } = await make('Refused')
    const { id: runId } = await client.workflows.run(id, { args: { topic: 'tea' } })
    const page = await workbench.open(`workflow-runs/${runId}`)
    await page.getByRole('button', { name: 'Reject' }).click(soon)
    await page.getByRole('main').getByText('Failed').first().waitFor(soon)
    await page.goto(`${workbench.url}/#/workflow-runs?workflow=${id}&status=failed`)
    await page.locator(`[data-run="${runId}"]`).waitFor()
    await page.getByLabel('Status').selectOption('completed')
    await page.getByText('No matching runs.').waitFor()
    await expect.poll(() => page.url(), soon).toContain('status=completed')
  })

  itInLongTier('is answered in the inbox of all asks too', async () => {
    const { id } = await make('Asked')
    const { id: runId } = await client.workflows.run(id, { args: { topic: 'tea' } })
    const page = await workbench.open('approvals')
    const ask = page.locator('[data-approval]').filter({ has: page.locator(`a[href*="${runId}"]`) })
    await ask.getByText('Is this good? Tea is a drink.').first().waitFor(soon)
    expect(await ask.getByRole('button', { name: 'Always allow exactly this in this session' }).count()).toBe(
      0,
    )
    expect(await findBarriers(page)).toEqual([])
    await ask.getByRole('button', { name: 'Approve' }).click()
    await expect.poll(async () => (await client.workflows.getRun(runId)).status, soon).toBe('completed')
  })

  itInLongTier('is stopped while it waits', async () => {
    const { id } = await make('Stopped')
    const { id: runId } = await client.workflows.run(id, { args: { topic: 'tea' } })
    const page = await workbench.open(`workflow-runs/${runId}`)
    await page.getByRole('region', { name: 'Answer to ok' }).waitFor(soon)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Rerun' }).waitFor()
    expect((await client.workflows.getRun(runId)).status).toBe('cancelled')
  })

  it('tells elsewhere that it needs an answer, and leads there', async () => {
    const { id } = await make('Told')
    const page = await workbench.open('settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const { id: runId } = await client.workflows.run(id, { args: { topic: 'tea' } })
    await page
      .getByRole('dialog')
      .filter({ hasText: 'Workflow “Told” needs an answer' })
      .getByRole('button', { name: 'Open', exact: true })
      .click(soon)
    await expect.poll(() => page.url(), soon).toContain(runId)
  })
})

describe('the pages', () => {
  it('can be used by everybody', async () => {
    const { id } = await make('Open to all')
    const { id: runId } = await client.workflows.run(id, { args: { topic: 'tea' } })
    const asked = async () => (await client.workflows.getRun(runId)).status
    await expect.poll(asked, soon).toBe('paused')
    const pages: [path: string, text: string][] = [
      ['workflows', 'Open to all'],
      ['workflows?form=new', 'From a template'],
      [`workflows/${id}`, 'No problems'],
      [`workflows/${id}?steps=table`, 'No problems'],
      [`workflows/${id}?form=run`, 'What to write about'],
      [`workflows/${id}?tab=runs`, 'Needs an answer'],
      [`workflows/${id}?tab=versions`, 'Current'],
      [`workflows/${id}?tab=chat`, 'No messages yet.'],
      ['workflow-runs', 'Needs an answer'],
      [`workflow-runs/${runId}`, 'Waiting for an answer'],
    ]
    const page = await workbench.open('workflows')
    for (const [path, text] of pages) {
      await page.goto(`${workbench.url}/#/${path}`)
      await page.getByText(text).filter({ visible: true }).first().waitFor()
      expect(await findBarriersInBothThemes(page), path).toEqual([])
    }
  })

  itInLongTier('fit on a phone, in Chinese', async () => {
    const { id } = await make('窄')
    const { id: runId } = await client.workflows.run(id, { args: { topic: '茶' } })
    const page = await workbench.open('workflows', { ...phone, preferences: { language: 'zh' } })
    for (const [path, text] of [
      ['workflows', '新建工作流'],
      [`workflows/${id}`, '没有问题'],
      [`workflows/${id}?tab=versions`, '当前'],
      [`workflow-runs/${runId}`, '等待答复'],
    ]) {
      await page.goto(`${workbench.url}/#/${path}`)
      await page.getByText(text!).first().waitFor(soon)
      await expect.poll(() => widthOf(page), { ...soon, message: path }).toBe(360)
    }
  })
})

import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import type { TreeNode } from '../../src/extensions/plan/protocol/plan-node.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriers, findBarriersInBothThemes, isThorough, widthOf } from './barriers.ts'
import { phone } from './browser.ts'
import { expectFocus } from './expect-page.ts'
import { intercept } from './intercept.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
const soon = { timeout: 200_000 }

let workbench: Workbench
let client: ParleyClient
beforeAll(async () => {
  workbench = await openWorkbench({ script: demo })
  client = createClient({ baseUrl: workbench.url })
})
afterAll(() => workbench[Symbol.asyncDispose]())

const markdown = `- [x] Find sources
  - [x] Papers
  - [x] Interviews
- [ ] Read them
  - [ ] Take notes
    - [ ] By author
- [ ] Write
- [ ] Publish
`
const make = async (title: string, list = markdown) => {
  const plan = await client.plans.create({ title, markdown: list })
  const { nodes } = await client.plans.tree(plan.id)
  return { id: plan.id, idOf: (name: string) => nodes.find((node) => node.name === name)!.id }
}
const treeOf = (page: Page) => page.getByRole('tree')
const rowOf = (page: Page, name: string) =>
  page.getByRole('treeitem').filter({ has: page.locator('bdi').getByText(name, { exact: true }) })
const focused = (page: Page) => page.evaluate(() => document.activeElement?.querySelector('bdi')?.textContent)
const detail = (page: Page) => page.getByRole('complementary', { name: 'Node' })
const toast = (page: Page, text: string) => page.getByRole('dialog').filter({ hasText: text })
const shape = (nodes: readonly TreeNode[]) => nodes.map(({ name, depth }) => `${'>'.repeat(depth)}${name}`)
const stored = async (id: string) => shape((await client.plans.tree(id)).nodes)
/** As it is shown, with how deep. */
const shown = async (page: Page) =>
  treeOf(page)
    .getByRole('treeitem')
    .evaluateAll((rows) =>
      rows.map(
        (row) =>
          '>'.repeat(Number(row.getAttribute('aria-level')) - 1) +
          (row.querySelector('bdi')?.textContent ?? ''),
      ),
    )
const openMenu = async (page: Page, name: string) => {
  await rowOf(page, name).hover()
  await rowOf(page, name).getByRole('button', { name: 'Menu' }).click()
}

/** Drops one row on another: on its upper edge, its middle or its lower edge. */
async function drag(page: Page, from: Locator, to: Locator, share: number) {
  const [start, end] = await Promise.all([from.boundingBox(), to.boundingBox()])
  await page.mouse.move(start!.x + 60, start!.y + start!.height / 2)
  await page.mouse.down()
  await page.mouse.move(end!.x + 60, end!.y + end!.height / 2, { steps: 4 })
  await page.mouse.move(end!.x + 60, end!.y + end!.height * share, { steps: 4 })
  await page.mouse.up()
}

describe('the list of plans', () => {
  it('makes one of a title and a todo list, shows how far it is, and deletes it after it asked', async () => {
    const page = await workbench.open('plans')
    await page.getByRole('button', { name: 'New plan' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New plan' })
    await dialog.getByLabel('Title').fill('Made here')
    await dialog.getByLabel('To-do list in Markdown').fill('- [x] One\n- [ ] Two\n  - [ ] Three\n')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Made here' }).waitFor()
    await expect.poll(() => shown(page), soon).toEqual(['One', 'Two', '>Three'])
    await page.getByRole('button', { name: 'All plans' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Made here' })
    await row.getByText('1/3').waitFor()
    await row.getByRole('button', { name: 'Actions for “Made here”' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await expect.poll(async () => (await client.plans.list({ q: 'Made here' })).items).toEqual([])
  })

  it('is found by words, and by the palette', async () => {
    await make('Needle in a plan')
    await make('Something else')
    const page = await workbench.open('plans?q=needle')
    await page.getByRole('link', { name: 'Needle in a plan' }).waitFor()
    expect(await page.getByRole('link', { name: 'Something else' }).count()).toBe(0)
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').fill('something el')
    await page.getByRole('option', { name: 'Something else' }).click()
    await page.getByRole('heading', { level: 1, name: 'Something else' }).waitFor()
  })
})

describe('the tree', () => {
  it('goes by the keys that people know, and Enter opens what is known of a node', async () => {
    const { id, idOf } = await make('Keys')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Find sources').focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => rowOf(page, 'Find sources').getAttribute('aria-expanded')).toBe('false')
    await rowOf(page, 'Papers').waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => focused(page)).toBe('By author')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focused(page)).toBe('Take notes')
    await page.keyboard.press('End')
    await expect.poll(() => focused(page)).toBe('Publish')
    await page.keyboard.press('r')
    await expect.poll(() => focused(page)).toBe('Read them')
    await page.keyboard.press('Enter')
    await detail(page).getByRole('heading', { level: 2, name: 'Read them' }).waitFor()
    await expect.poll(() => page.url()).toContain(`node=${idOf('Read them')}`)
    await expectFocus(detail(page))
    await page.keyboard.press('Escape')
    await detail(page).waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('Read them')
  })

  it('renames in place, by F2 and by a double click', async () => {
    const { id } = await make('Names')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Write').focus()
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Write it down')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Write it down').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.role)).toBe('treeitem')
    await rowOf(page, 'Publish').dblclick()
    await page.getByRole('textbox', { name: 'New name' }).fill('lost')
    await page.keyboard.press('Escape')
    await rowOf(page, 'Publish').waitFor()
    await expect.poll(async () => (await stored(id)).slice(-2), soon).toEqual(['Write it down', 'Publish'])
  })

  it('takes nodes that are dragged before, after and into others, and not below themselves', async () => {
    const { id } = await make('Dragged')
    const page = await workbench.open(`plans/${id}`)
    /** Both as wanted: a row that is still on its way would be missed by the next drag. */
    const expectTree = async (pick: (tree: string[]) => unknown, wanted: unknown) => {
      await expect.poll(async () => pick(await stored(id)), soon).toEqual(wanted)
      await expect.poll(async () => shown(page), soon).toEqual(await stored(id))
    }
    await drag(page, rowOf(page, 'Publish'), rowOf(page, 'Write'), 0.1)
    await expectTree((tree) => tree.slice(-3), ['>>By author', 'Publish', 'Write'])
    await drag(page, rowOf(page, 'Write'), rowOf(page, 'Interviews'), 0.5)
    await expectTree((tree) => tree.slice(0, 4), ['Find sources', '>Papers', '>Interviews', '>>Write'])
    await drag(page, rowOf(page, 'Papers'), rowOf(page, 'Publish'), 0.9)
    await expectTree((tree) => tree.at(-1), 'Papers')
    const { version } = await client.plans.get(id)
    await drag(page, rowOf(page, 'Read them'), rowOf(page, 'By author'), 0.5)
    await rowOf(page, 'Read them').focus()
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Read')
    await page.keyboard.press('Enter')
    // of the two only the second was a change
    await expect.poll(async () => (await stored(id)).includes('Read'), soon).toBe(true)
    expect((await client.plans.get(id)).version).toBe(version + 1)
  })

  itInLongTier('moves nodes by keys and by their menu', async () => {
    const { id } = await make('Moved')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Publish').focus()
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowUp'])
      await page.keyboard.press(`Alt+Shift+${key}`)
    const after = ['Find sources', '>Papers', '>Publish', '>Interviews', 'Read them']
    await expect.poll(async () => (await stored(id)).slice(0, 5), soon).toEqual(after)
    await expect.poll(() => focused(page)).toBe('Publish')
    await page.keyboard.press('Alt+Shift+ArrowLeft')
    await expect.poll(async () => (await stored(id)).slice(3, 5), soon).toEqual(['Publish', 'Read them'])
    await openMenu(page, 'Publish')
    await page.getByRole('menuitem', { name: /^Move down/ }).click()
    await expect.poll(async () => (await stored(id)).slice(3, 5), soon).toEqual(['Read them', '>Take notes'])
    expect(page.url()).not.toContain('node=')
    await openMenu(page, 'Find sources')
    await page.getByRole('menuitem', { name: /^Move up/, disabled: true }).waitFor()
  })

  it('takes new nodes as fast as they are written, and deletes a part after it asked', async () => {
    const { id } = await make('Written')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Papers').focus()
    await page.keyboard.press('Insert')
    const box = page.getByRole('textbox', { name: 'New node name' })
    await box.fill('Books')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Books').waitFor()
    await expect.poll(() => box.inputValue()).toBe('')
    await box.fill('Letters')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Letters').waitFor()
    await expect.poll(() => box.inputValue()).toBe('')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await openMenu(page, 'Write')
    await page.getByRole('menuitem', { name: /^Add inside/ }).click()
    await box.fill('Draft')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Draft').waitFor()
    await page.keyboard.press('Escape')
    await expect
      .poll(() => stored(id), soon)
      .toEqual([
        'Find sources',
        '>Papers',
        '>Books',
        '>Letters',
        '>Interviews',
        'Read them',
        '>Take notes',
        '>>By author',
        'Write',
        '>Draft',
        'Publish',
      ])
    await rowOf(page, 'Read them').focus()
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete “Read them”?' })
    await dialog.getByText('The 2 nodes below it are deleted too.').waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await rowOf(page, 'Read them').waitFor({ state: 'detached' })
    await toast(page, 'Node deleted').getByRole('button', { name: 'Undo' }).click()
    await rowOf(page, 'By author').waitFor()
    await expect
      .poll(async () => (await stored(id)).slice(5, 8), soon)
      .toEqual(['Read them', '>Take notes', '>>By author'])
  })

  itInLongTier('leads from a node to what it waits for', async () => {
    const { id, idOf } = await make('Linked')
    await client.plans.updateNode(id, idOf('Publish'), { dependencies: [idOf('By author')] })
    const page = await workbench.open(`plans/${id}`)
    await page.getByRole('button', { name: 'Collapse all' }).click()
    await rowOf(page, 'By author').waitFor({ state: 'detached' })
    await rowOf(page, 'Publish')
      .getByRole('button', { name: /“By author”$/ })
      .click()
    await expect.poll(() => rowOf(page, 'By author').getAttribute('aria-selected')).toBe('true')
    await detail(page).getByRole('heading', { level: 2, name: 'By author' }).waitFor()
  })

  it('shows what others change, and takes back the last change and any before it', async () => {
    const { id, idOf } = await make('Versions')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Write').waitFor()
    await client.plans.updateNode(id, idOf('Write'), { name: 'Write a book' })
    await rowOf(page, 'Write a book').waitFor()
    await client.plans.addNode(id, { name: 'Sell', after: idOf('Publish') })
    await rowOf(page, 'Sell').waitFor()
    await page.getByRole('button', { name: 'Undo last change' }).click()
    await rowOf(page, 'Sell').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Actions for “Versions”' }).click()
    await page.getByRole('menuitem', { name: 'Versions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Versions' })
    await dialog.getByText('Undid version 3').waitFor()
    await dialog.getByRole('button', { name: 'Undo version 2' }).click()
    await dialog.getByText('Undid version 2').waitFor()
    await page.keyboard.press('Escape')
    await rowOf(page, 'Write').waitFor()
    await expect.poll(async () => shown(page), soon).toEqual(await stored(id))
    expect((await stored(id)).includes('Write')).toBe(true)
  })

  it('draws only what is seen of two thousand nodes', async () => {
    const parts = Array.from(
      { length: 40 },
      (_, part) =>
        `- [ ] Part ${part + 1}\n${Array.from({ length: 49 }, (__, index) => `  - [ ] Task ${part + 1}.${index + 1}\n`).join('')}`,
    )
    const { id } = await make('Large', parts.join(''))
    const page = await workbench.open(`plans/${id}`)
    const rows = () => page.getByRole('treeitem').count()
    await rowOf(page, 'Part 1').waitFor(soon)
    // a large one begins folded
    expect(await rows()).toBeLessThanOrEqual(40)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await rowOf(page, 'Task 1.1').waitFor()
    expect(await rows()).toBeLessThan(80)
    await treeOf(page).evaluate((tree) => (tree.parentElement!.scrollTop = 1e9))
    await rowOf(page, 'Task 40.49').waitFor()
    expect(await rows()).toBeLessThan(80)
    await rowOf(page, 'Task 40.49').focus()
    await page.keyboard.press('Home')
    await expect.poll(() => focused(page)).toBe('Part 1')
    expect(await rows()).toBeLessThan(80)
    await page.getByRole('button', { name: 'List', exact: true }).click()
    await page.locator('tr[data-node]').first().waitFor()
    expect(await page.locator('tr[data-node]').count()).toBeLessThan(80)
    await page.getByRole('button', { name: 'Graph', exact: true }).click()
    await page.locator('[data-graph-node]').first().waitFor(soon)
    expect(await page.locator('[data-graph-node]').count()).toBe(40)
    await page.getByRole('button', { name: 'Show the 49 below “Part 2”' }).click()
    await expect.poll(() => page.locator('[data-graph-node]').count(), soon).toBe(50)
    await expect.poll(() => page.url(), soon).toContain('from=')
  })
})

describe('what is refused', () => {
  it('is told, and the tree goes back to what is stored', async () => {
    const { id, idOf } = await make('Conflict')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Publish').waitFor()
    // what others did does not come through for a while
    const gate = Promise.withResolvers<void>()
    await intercept(page, '**/api/plans/*/tree*', async (route) => {
      await gate.promise
      await route.continue()
    })
    await client.plans.deleteNode(id, idOf('Read them'))
    await drag(page, rowOf(page, 'Publish'), rowOf(page, 'Read them'), 0.5)
    await toast(page, 'Someone else changed the plan').getByText('version 1').waitFor()
    gate.resolve()
    await expect
      .poll(() => shown(page), soon)
      .toEqual(['Find sources', '>Papers', '>Interviews', 'Write', 'Publish'])
    workbench.expectProblems(/409/)
  })

  itInLongTier('is told when it would be a circle', async () => {
    const { id, idOf } = await make('Circle')
    await client.plans.updateNode(id, idOf('Publish'), { dependencies: [idOf('Write')] })
    const page = await workbench.open(`plans/${id}?node=${idOf('Write')}`)
    await detail(page).getByRole('button', { name: 'Add dependency' }).click()
    await detail(page).getByRole('combobox', { name: 'Add dependency' }).fill('publ')
    await detail(page)
      .getByRole('option', { name: /Publish/ })
      .click()
    await toast(page, 'Something went wrong').getByText('which waits for it').waitFor()
    await detail(page).getByText('None', { exact: true }).waitFor()
    expect((await client.plans.node(id, idOf('Write'))).dependencies).toEqual([])
    workbench.expectProblems(/40\d/)
  })

  it('is not lost when two wrote the same', async () => {
    const { id, idOf } = await make('Twice')
    const page = await workbench.open(`plans/${id}?node=${idOf('Write')}`)
    await detail(page).getByRole('button', { name: 'Edit: Instruction' }).click()
    const box = detail(page).getByRole('textbox', { name: 'Instruction' })
    await box.fill('In my words')
    // a look at another one loses nothing
    await rowOf(page, 'Papers').click()
    await detail(page).getByRole('heading', { level: 2, name: 'Papers' }).waitFor()
    await rowOf(page, 'Write').click()
    await expect.poll(() => box.inputValue()).toBe('In my words')
    await client.plans.updateNode(id, idOf('Publish'), { name: 'Publish it' })
    await client.plans.updateNode(id, idOf('Write'), { instruction: 'In their words' })
    await rowOf(page, 'Publish it').waitFor()
    await detail(page).getByRole('button', { name: 'Save' }).click()
    const note = detail(page).getByRole('alert')
    await note.getByText('In their words').waitFor()
    expect((await client.plans.node(id, idOf('Write'))).instruction).toBe('In their words')
    await detail(page).getByRole('button', { name: 'Keep mine' }).click()
    await box.waitFor({ state: 'detached' })
    await expect
      .poll(async () => (await client.plans.node(id, idOf('Write'))).instruction, soon)
      .toBe('In my words')
    workbench.expectProblems(/409/)
  })
})

describe('the detail of a node', () => {
  it('changes its name, what it is told, what it waits for and how it is checked', async () => {
    const { id, idOf } = await make('Detail')
    const page = await workbench.open(`plans/${id}?node=${idOf('Write')}`)
    const panel = detail(page)
    await panel.getByRole('button', { name: 'Edit: Instruction' }).click()
    await panel.getByRole('textbox', { name: 'Instruction' }).fill('Ten pages.\nNo more.')
    await page.keyboard.press('ControlOrMeta+Enter')
    await panel.getByText('Ten pages.').waitFor()
    await panel.getByRole('button', { name: 'Add dependency' }).click()
    await panel.getByRole('combobox', { name: 'Add dependency' }).fill('read')
    await page.keyboard.press('Enter')
    await panel.getByRole('list', { name: 'Depends on' }).getByText('Read them').waitFor()
    await panel.getByRole('button', { name: 'Edit: Acceptance checks' }).click()
    await panel
      .getByRole('textbox', { name: 'Acceptance checks' })
      .fill('file_nonempty:report.md\n\n?text_contains:report.md:sources')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel
      .getByRole('list', { name: 'Acceptance checks' })
      .getByText('file_nonempty:report.md')
      .waitFor()
    await panel.getByRole('heading', { level: 2 }).getByRole('button').click()
    await panel.getByRole('textbox', { name: 'New name' }).fill('Write all')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Write all').waitFor()
    await expect
      .poll(() => client.plans.node(id, idOf('Write')), soon)
      .toMatchObject({
        name: 'Write all',
        instruction: 'Ten pages.\nNo more.',
        dependencies: [idOf('Read them')],
        acceptance: ['file_nonempty:report.md', '?text_contains:report.md:sources'],
      })
    await panel.getByRole('button', { name: 'Remove dependency on “Read them”' }).click()
    await panel.getByText('None', { exact: true }).waitFor()
  })
})

describe('a plan as a whole', () => {
  it('has its title and description changed in place', async () => {
    const { id } = await make('Old title')
    const page = await workbench.open(`plans/${id}`)
    await page.getByRole('heading', { level: 1 }).getByRole('button').click()
    await page.getByRole('textbox', { name: 'Title' }).fill('New title')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'New title' }).waitFor()
    await page.getByRole('button', { name: 'Edit: Description' }).click()
    await page.getByRole('textbox', { name: 'Description' }).fill('For whom it may concern')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('For whom it may concern').waitFor()
    await expect
      .poll(() => client.plans.get(id), soon)
      .toMatchObject({ title: 'New title', description: 'For whom it may concern' })
  })

  it('is imported into, also below a node, and exported', async () => {
    const { id, idOf } = await make('Exchange')
    const page = await workbench.open(`plans/${id}?node=${idOf('Write')}`)
    const more = page.getByRole('button', { name: 'Actions for “Exchange”' })
    await more.click()
    await page.getByRole('menuitem', { name: 'Import Markdown' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import Markdown' })
    await dialog.getByLabel('To-do list in Markdown').fill('- [ ] Draft\n- [x] Title')
    await dialog.getByLabel('Destination').selectOption({ label: 'Below “Write”' })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await toast(page, '2 nodes imported').waitFor()
    await rowOf(page, 'Title').waitFor()
    expect((await stored(id)).slice(-4)).toEqual(['Write', '>Draft', '>Title', 'Publish'])
    await more.click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export Markdown' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('Exchange.md')
    const text = readFileSync(await download.path(), 'utf8')
    expect(text).toBe((await client.plans.markdown(id)).markdown)
    expect(text).toContain('Draft')
  })

  it('is shown as a list, filtered by status and words, which are in the URL', async () => {
    const { id, idOf } = await make('Listed')
    const page = await workbench.open(`plans/${id}?view=list`)
    const names = () => page.locator('tr[data-node] th').allInnerTexts()
    await expect.poll(names, soon).toHaveLength(8)
    await page.getByLabel('Status').selectOption('completed')
    await expect.poll(names).toEqual(['Find sources', 'Papers', 'Interviews'])
    await page.getByRole('searchbox', { name: 'Search names and instructions' }).fill('paper')
    await expect.poll(names).toEqual(['Papers'])
    await expect
      .poll(() => page.url(), soon)
      .toMatch(/status=completed.*words=paper|words=paper.*status=completed/)
    await page.getByRole('button', { name: 'Papers', exact: true }).click()
    await detail(page).getByRole('heading', { level: 2, name: 'Papers' }).waitFor()
    await expect.poll(() => page.url(), soon).toContain(`node=${idOf('Papers')}`)
    await page
      .locator(`tr[data-node="${idOf('Papers')}"]`)
      .getByRole('button', { name: /^Menu for/ })
      .click()
    await page.getByRole('menuitem', { name: /^Rename/ }).click()
    await page.getByRole('textbox', { name: 'New name' }).fill('Newspapers')
    await page.keyboard.press('Enter')
    await expect.poll(names).toEqual(['Newspapers'])
  })

  it('is drawn with its parts and what waits for what, and a click selects', async () => {
    const { id, idOf } = await make('Drawn')
    await client.plans.updateNode(id, idOf('Publish'), { dependencies: [idOf('Write')] })
    const page = await workbench.open(`plans/${id}?view=graph`)
    const box = (name: string) => page.locator(`[data-graph-node="${idOf(name)}"]`)
    await box('Publish').waitFor(soon)
    await expect.poll(() => page.locator('[data-graph-node]').count(), soon).toBe(8)
    await expect.poll(() => box('Papers').getAttribute('data-status'), soon).toBe('completed')
    await expect.poll(() => page.locator('.react-flow__edge').count(), soon).toBe(5)
    expect(
      await page.locator(`.react-flow__edge[data-id="wait-${idOf('Write')}-${idOf('Publish')}"]`).count(),
    ).toBe(1)
    await box('By author').getByRole('button').click()
    await detail(page).getByRole('heading', { level: 2, name: 'By author' }).waitFor()
    await expect.poll(() => page.url(), soon).toContain(`node=${idOf('By author')}`)
    await client.plans.updateNode(id, idOf('Write'), { name: 'Write now' })
    await box('Write').getByText('Write now').waitFor()
  })

  it('is talked about in a session of its own, which shows it', async () => {
    const { id } = await make('Discussed')
    const page = await workbench.open(`plans/${id}`)
    await page.getByRole('button', { name: 'Talk about this plan' }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    await expect.poll(() => page.url(), soon).toContain('sessions/ses_')
    const sessionId = /sessions\/(ses_\w+)/.exec(page.url())![1]!
    expect((await client.sessions.get(sessionId)).planId).toBe(id)
    await page.getByRole('region', { name: 'Plan of this session' }).getByText('Discussed').waitFor()
    await rowOf(page, 'Publish').waitFor()
  })

  itInLongTier('says that it is gone', async () => {
    const { id } = await make('Gone')
    const page = await workbench.open(`plans/${id}`)
    await rowOf(page, 'Publish').waitFor()
    await client.plans.delete(id)
    await page.getByText('Plan not found').waitFor(soon)
    workbench.expectProblems(/404/)
  })
})

describe('on every screen', () => {
  it('has no barriers', async () => {
    const { id, idOf } = await make('Barriers')
    await client.plans.updateNode(id, idOf('Publish'), {
      dependencies: [idOf('Write')],
      acceptance: ['file_exists:a.md'],
      context: { combined: 'All of it', sections: [{ title: 'Style', content: 'Be *short*' }] },
    })
    const page = await workbench.open('plans')
    await page.getByRole('link', { name: 'Barriers' }).waitFor()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    for (const view of ['tree', 'list', 'graph']) {
      await page.goto(`${workbench.url}/#/plans/${id}?view=${view}&node=${idOf('Publish')}`)
      await detail(page).getByText('file_exists:a.md').waitFor(soon)
      if (view === 'graph') await page.locator('[data-graph-node]').first().waitFor(soon)
      expect(await findBarriersInBothThemes(page), view).toEqual([])
    }
    await page.goto(`${workbench.url}/#/plans/${id}`)
    await rowOf(page, 'Write').focus()
    await page.keyboard.press('Insert')
    await page.getByRole('textbox', { name: 'New node name' }).waitFor()
    expect(await findBarriersInBothThemes(page)).toEqual([])
    for (const [form, name] of [
      ['execute', /^Execute/],
      ['decompose', /^Decompose/],
      ['import', /^Import/],
      ['versions', 'Versions'],
      ['runs', 'Runs'],
    ] as const) {
      await page.goto(`${workbench.url}/#/plans/${id}?form=${form}`)
      await page.getByRole('dialog', { name }).waitFor()
      expect(await findBarriersInBothThemes(page), form).toEqual([])
    }
  })

  it('opens a node over the page on a phone, and nothing sticks out', async () => {
    const { id, idOf } = await make('On a phone')
    const long = `Verylongword${'x'.repeat(300)} <img src=x onerror=alert(1)> \u202Eevil`
    await client.plans.addNode(id, { name: long, parentId: idOf('By author') })
    const page = await workbench.open(`plans/${id}`, phone)
    await rowOf(page, 'Write').tap()
    const sheet = page.getByRole('dialog', { name: 'Node' })
    await sheet.getByRole('heading', { name: 'Write' }).waitFor()
    await expect.poll(() => widthOf(page), soon).toBe(360)
    expect(await findBarriersInBothThemes(page)).toEqual([])
    await sheet.getByRole('button', { name: 'Skip' }).tap()
    const dialog = page.getByRole('dialog', { name: 'Skip “Write”?' })
    await dialog.getByLabel('Reason').fill('Too long')
    await dialog.getByRole('button', { name: 'Skip' }).tap()
    await sheet.getByText('Too long').waitFor()
    await sheet.getByRole('button', { name: 'Close' }).click()
    await sheet.waitFor({ state: 'detached' })
    await expect.poll(() => page.url(), soon).not.toContain('node=')
    await page.getByRole('treeitem').filter({ hasText: 'Verylongword' }).tap()
    await sheet.getByRole('heading', { level: 2 }).getByText('Verylongword').waitFor()
    await expect.poll(() => widthOf(page), soon).toBe(360)
    await sheet.getByRole('button', { name: 'Close' }).click()
    for (const view of ['List', 'Graph']) {
      await page.getByRole('button', { name: view, exact: true }).click()
      await page
        .locator(view === 'List' ? 'tr[data-node]' : '[data-graph-node]')
        .first()
        .waitFor(soon)
      await expect.poll(() => widthOf(page), soon).toBe(360)
      if (isThorough) expect(await findBarriers(page)).toEqual([])
    }
  })

  itInLongTier('speaks Chinese', async () => {
    const { id } = await make('中文计划')
    const page = await workbench.open(`plans/${id}`, { preferences: { language: 'zh' } })
    await page.getByRole('button', { name: '执行' }).waitFor()
    await page.getByRole('treeitem', { name: /^待执行 ?Write/ }).waitFor()
    expect(await page.getByRole('tree').getAttribute('aria-label')).toBe('“中文计划”的节点')
  })
})

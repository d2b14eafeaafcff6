import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { takeLock } from '../../src/extensions/documents/locks.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSoon } from './composer-arrange.ts'
import { expectFocus } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

let workbench: Workbench
beforeAll(async () => {
  workbench = await openWorkbench()
})
// what is locked would be seen by the next test
afterEach(async () => {
  for (const { resourceType, resourceId } of await locks())
    await workbench.parley.locks.release(resourceType, resourceId)
})
afterAll(() => workbench[Symbol.asyncDispose]())

/** As the tool of a model does it. */
async function lock(title: string, session: string) {
  const { parley } = workbench
  const { id: sessionId } = await parley.sessions.create({ title: session })
  const { id } = await parley.documents.create({ title, content: 'one' })
  const caller = { scope: 'default', sessionId, actor: { type: 'agent', id: sessionId } } as const
  await takeLock({ lockTtlMs: 300_000 }, parley.store, caller, { type: 'document', id }, 'Rewriting it')
  return { id, sessionId, caller }
}

const locks = async () => (await workbench.parley.locks.list()).items
const rowOf = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Locks' }).getByRole('listitem').filter({ hasText: title })

it('shows who holds what, as it changes, and leads to the session', async () => {
  const page = await workbench.open('settings?section=locks')
  await page.getByText('No locks.').waitFor()
  const { sessionId, caller } = await lock('Plan', 'Writer')
  const list = await workbench.parley.todos.create({ title: 'Chores' })
  const row = rowOf(page, 'Plan')
  await row.getByText('Document').waitFor()
  await row.getByText('Rewriting it').waitFor()
  await row.getByText(/expires in \d:\d\d/).waitFor()
  const held = { type: 'todo_list', id: list.id } as const
  await takeLock({ lockTtlMs: 3_600_000 }, workbench.parley.store, caller, held)
  await rowOf(page, 'Chores').getByText('To-do list').waitFor()
  await row.getByRole('link', { name: 'Writer' }).click()
  await expectSoon(() => page.url()).toContain(`#/sessions/${sessionId}`)
  // it goes with its session
  await page.goto(`${workbench.url}/#/settings?section=locks`)
  await row.waitFor()
  await workbench.parley.sessions.delete(sessionId)
  await page.getByText('No locks.').waitFor()
})

it('takes a lock from a session after it has asked', async () => {
  const { id } = await lock('Report', 'Slow one')
  const page = await workbench.open('settings?section=locks')
  const release = rowOf(page, 'Report').getByRole('button', { name: 'Release Report' })
  const dialog = page.getByRole('dialog', { name: 'Release “Report”?' })
  await release.click()
  await dialog.getByText('“Slow one” can’t write to it').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await locks()).toHaveLength(1)
  await expectFocus(release)

  await release.click()
  await dialog.getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByText('No locks.').waitFor()
  expect(await locks()).toEqual([])
  // not to nowhere
  await expectSoon(() => page.evaluate(() => document.activeElement?.tagName)).toBe('P')
  const { items } = await workbench.parley.audit({ action: 'force_release' })
  expect(items.filter(({ resourceId }) => resourceId === id)).toHaveLength(1)

  // somebody was faster
  const { id: other } = await lock('Letter', 'Slow one')
  await rowOf(page, 'Letter').getByRole('button', { name: 'Release Letter' }).click()
  await page.getByRole('dialog', { name: 'Release “Letter”?' }).waitFor()
  await workbench.parley.locks.release('document', other)
  await workbench.parley.documents.delete(other)
  await page.getByRole('dialog').getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByText('Couldn’t release the lock').first().waitFor()
  workbench.expectProblems(refusedRequest)
})

it.each(looks)('has no barriers %s, and fits a phone', async (_, look) => {
  const { id } = await lock(`long_${'x'.repeat(200)}\u202eevil`, 'y'.repeat(100))
  const page = await workbench.open('settings?section=locks', look)
  await page.locator(`[data-lock="${id}"] button`).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  await page.locator(`[data-lock="${id}"] button`).click()
  await page.getByRole('dialog').waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

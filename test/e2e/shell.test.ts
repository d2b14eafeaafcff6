import { expect, it } from 'vitest'
import { findBarriers, openWorkbench } from './workbench.ts'

it('opens on a session that is linked to, with the dock that the link names', async () => {
  await using workbench = await openWorkbench()
  const { id } = await workbench.parley.sessions.create({ title: 'A session' })
  await workbench.parley.sessions.chat(id, 'Hello there')
  const page = await workbench.open(`sessions/${id}?dock=tasks`)
  await page.getByText('Hello there').first().waitFor()
  expect(await page.getByRole('tab', { name: 'Tasks' }).getAttribute('aria-selected')).toBe('true')
  expect(await findBarriers(page)).toEqual([])
})

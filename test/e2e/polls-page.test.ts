import { expect, it } from 'vitest'
import polls from '../../examples/polls/extension.ts'
import { openWorkbench } from './workbench.ts'

// the document that answers are held against does not have the facets of polls
it('shows the page of an extension, which asks the server by the client of the workbench', async () => {
  await using workbench = await openWorkbench({ extensions: [polls], holdsAnswers: false })
  const created = await fetch(`${workbench.url}/api/polls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ question: 'Where do we eat? <b>here</b>', choices: ['Noodles', 'Pizza'] }),
  })
  expect(created.status).toBe(201)
  const page = await workbench.open()
  await page.getByRole('link', { name: 'Polls' }).click()
  const element = page.locator('[data-extension="polls"]')
  // what somebody asks is text, never markup
  await element.getByRole('heading', { name: 'Where do we eat? <b>here</b>' }).waitFor()
  await element.getByRole('button', { name: 'Pizza · 0' }).click()
  await element.getByRole('button', { name: 'Pizza · 1' }).waitFor()
})

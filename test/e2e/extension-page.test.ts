import { expect, it } from 'vitest'
import { demo, openWorkbench, refusedRequest } from './workbench.ts'

const source = 'extensions/polls/page.js'
const list = (page: object) => ({ items: [{ name: 'polls', page: { title: 'Polls', source, ...page } }] })

/** Stands in for a server that has an extension with a page. */
const mounted = `
export function mount(element, host) {
  const draw = () => { element.textContent = 'Polls at ' + host.navigation.path + ' in ' + host.locale + ', ' + host.theme }
  draw()
  const end = host.subscribe(draw)
  host.client.sessions.list({ limit: 1 }).then(({ items }) => { element.dataset.sessions = String(items.length) })
  element.addEventListener('click', () => host.navigation.goTo('results'))
  return () => { end(); document.title = 'Polls are gone' }
}`

it('mounts the page of a trusted extension, and says what is wrong with one that cannot be loaded', async () => {
  await using workbench = await openWorkbench({ script: demo })
  await workbench.parley.sessions.create({ title: 'One' })
  workbench.expectProblems(refusedRequest)
  const page = await workbench.open()
  await page.route('**/api/extensions', (route) => route.fulfill({ json: list({ isTrusted: true }) }))
  let isServed = false
  await page.route(`**/${source}*`, (route) =>
    isServed
      ? route.fulfill({ contentType: 'text/javascript', body: mounted })
      : route.fulfill({ status: 404 }),
  )

  await page.goto(`${workbench.url}/#/x/polls/`)
  await page.getByRole('alert').getByText('Couldn’t load the extension page “Polls”.').waitFor()
  isServed = true
  await page.getByRole('button', { name: 'Try again' }).click()
  const element = page.locator('[data-extension="polls"]')
  await element.getByText('Polls at  in en, light').waitFor()
  await page.locator('[data-sessions="1"]').waitFor()
  await element.click()
  await element.getByText('Polls at results in en, light').waitFor()
  expect(page.url()).toContain('#/x/polls/results')

  await page.goto(`${workbench.url}/#/x/unknown`)
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
})

it('shows the page of any other extension in a frame without our origin', async () => {
  await using workbench = await openWorkbench({ script: demo })
  const page = await workbench.open()
  await page.route('**/api/extensions', (route) => route.fulfill({ json: list({}) }))
  await page.route(`**/${source}*`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>From outside</p>' }),
  )
  await page.goto(`${workbench.url}/#/x/polls/`)
  const frame = page.locator('iframe[title="Polls"]')
  await frame.contentFrame().getByText('From outside').waitFor()
  expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
})

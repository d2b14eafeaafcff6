import type { Page, Route } from 'playwright-core'

/**
 * Answers requests of the page in place of the server. A page that is open already takes a moment until its requests
 * are seen, and `page.route` does not wait for it: what is sent in that moment would reach the server.
 */
export async function intercept(
  page: Page,
  url: string,
  answer: (route: Route) => Promise<unknown>,
): Promise<void> {
  let isSeen = false
  const probe = '**/?intercepted'
  await page.route(probe, (route) => {
    isSeen = true
    return route.fulfill({ body: '' })
  })
  while (!isSeen) await page.evaluate(async () => void (await fetch('/?intercepted')).body?.cancel())
  await page.unroute(probe)
  await page.route(url, answer)
}

/** What a page has to show sooner or later, as assertions. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until it is there to be seen; what is only for the ear is `attached`. */
export const expectSeen = (wanted: Locator, state: 'visible' | 'attached' = 'visible') =>
  wanted.waitFor({ state })

export const expectGone = (unwanted: Locator) => unwanted.waitFor({ state: 'detached' })

export async function expectFocus(element: Locator): Promise<void> {
  // an editor is in a tree of its own
  const isActive = (each: Element) => (each.getRootNode() as Document | ShadowRoot).activeElement === each
  await expect.poll(() => element.evaluate(isActive)).toBe(true)
}

/** All that is said aloud from now on: what comes next takes its place on the page. */
export async function recordSaid(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const said: string[] = []
    const region = document.querySelector('[data-region="status"]')!
    new MutationObserver(() => said.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    })
    Object.assign(globalThis, { said })
  })
  return () => page.evaluate(() => (globalThis as unknown as { said: string[] }).said)
}

/** What a page has to show sooner or later, as assertions. */
import type { Locator } from 'playwright-core'
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

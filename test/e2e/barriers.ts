/** What a machine can find wrong for those who use a keyboard, a screen reader or a phone. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { testTier } from '../runner/tier.ts'
import { phone, type PageOptions } from './browser.ts'
import type { Preferences } from './workbench.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export type Look = [name: string, options: PageOptions & { preferences?: Preferences }]

/**
 * Another language and a small screen have hardly ever shown a barrier that the usual look did not: they are tried before
 * a release.
 */
export const isThorough = testTier === 'long'

/** How each page is looked at, without the list of sessions beside it, which is looked at by itself. */
export const looks: Look[] = [
  ['on a desktop', { preferences: { sidebar: 'closed' } }],
  ...(isThorough
    ? ([
        ['in Chinese', { preferences: { language: 'zh', sidebar: 'closed' } }],
        ['on a phone', phone],
        ['in Chinese on a phone', { ...phone, preferences: { language: 'zh' } }],
      ] satisfies Look[])
    : []),
]

/** In the theme that it has now; `rules` in place of all. */
export async function findBarriers(page: Page, rules?: string[]): Promise<string[]> {
  // handed to the page by the test, past the policy that keeps foreign scripts out of it
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(async (only) => {
    // colours on their way to others are neither, and one that arrives may send those inside it on theirs
    const findMoving = () => document.getAnimations().filter(({ playState }) => playState === 'running')
    for (let moving = findMoving(); moving.length > 0; moving = findMoving()) {
      await Promise.allSettled(moving.map(({ finished }) => finished))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: only
        ? { type: 'rule', values: only }
        : ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      // all that is read of what it finds: it need not describe every element that passed, nor say where it is
      resultTypes: ['violations'],
      selectors: false,
    })
  }, rules)
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  )
}

/** The dark theme differs in its colours alone. */
export async function findBarriersInBothThemes(page: Page): Promise<string[]> {
  const light = await findBarriers(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findBarriers(page, ['color-contrast'])
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark.map((barrier) => `dark: ${barrier}`)]
}

export const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth)

/** Nothing lies beyond the edge of a small screen. */
export async function expectToFitPhone(page: Page, at?: string): Promise<void> {
  const before = page.viewportSize()!
  await page.setViewportSize(phone.viewport)
  await expect.poll(() => widthOf(page), { message: at }).toBe(phone.viewport.width)
  await page.setViewportSize(before)
}

import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ModelEvent } from '../../src/core/models/adapter.ts'
import { says, type Script } from '../chat-harness.ts'
import { openWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts'

export interface ChatWorkbench extends Workbench {
  /** What the model does from now on. */
  answerWith(script: Script): void
  /** A session in which each of the texts was said and answered. */
  talk(title: string, ...texts: string[]): Promise<string>
}

export async function openChatWorkbench(options: WorkbenchOptions = {}): Promise<ChatWorkbench> {
  let current: Script = () => says('Hello from the script.')
  const workbench = await openWorkbench({ ...options, script: (request, call) => current(request, call) })
  // the getters of the workbench change with its restarts, so it is extended and not copied
  return Object.assign(workbench, {
    answerWith(script: Script) {
      current = script
    },
    async talk(title: string, ...texts: string[]) {
      const { id } = await workbench.parley.sessions.create({ title })
      for (const text of texts) await workbench.parley.sessions.chat(id, text)
      return id
    },
  })
}

/** Something that a model waits for until the test lets it go on. */
export function createGate(): { passed: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

export const words = (text: string): ModelEvent => ({ type: 'text-delta', text })
export const finish: ModelEvent = {
  type: 'finish',
  reason: 'stop',
  usage: { inputTokens: 1_200, outputTokens: 34, cacheReadTokens: 1_000 },
}

export const answers = (page: Page): Locator => page.locator('article[data-role="assistant"]')
export const questions = (page: Page): Locator => page.locator('article[data-role="user"]')
export const timeline = (page: Page): Locator => page.getByRole('region', { name: 'Conversation' })

/** What stands in a message, without names that are new each time a page is opened. */
export const contentOf = (message: Locator): Promise<string> =>
  message.evaluate((article) => {
    const copy = article.cloneNode(true) as HTMLElement
    copy.querySelector('h2')?.remove()
    // the row with actions and the time
    copy.lastElementChild?.remove()
    for (const element of copy.querySelectorAll('[id], [aria-labelledby]')) {
      element.removeAttribute('id')
      element.removeAttribute('aria-labelledby')
    }
    // on a busy machine the colours of a line may be given up halfway
    for (const code of copy.querySelectorAll('pre code')) code.textContent = String(code.textContent)
    return copy.innerHTML
  })

/** For what takes a while on a busy machine. */
export function expectEventually<T>(read: () => T | Promise<T>) {
  return expect.poll(read, { timeout: 200_000 })
}

/** Of two pages: once diagrams, formulas and colours have come in both. */
export async function expectSameContent(one: Locator, other: Locator): Promise<void> {
  const isSame = async () => (await contentOf(one)) === (await contentOf(other))
  await expect.poll(isSame, { message: 'the two show the same', interval: 250 }).toBe(true)
}

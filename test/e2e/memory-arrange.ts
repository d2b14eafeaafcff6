import type { Page } from 'playwright-core'
import { says, type Script } from '../chat-harness.ts'
import { isLearning, item, materialOf, questionOf } from '../memory-harness.ts'
import { lastWords } from './composer-arrange.ts'
import { openWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts'

// a busy machine
export const patience = { timeout: 200_000 }

/** Told of a drink it learns two things: one of the user, and one of the turn. */
const script: Script = (request) => {
  if (!isLearning(request)) return says(`Heard: ${lastWords(request)}`)
  const [said, drink] = /I only drink (\w+)/.exec(materialOf(request)) ?? []
  if (said === undefined) return says('{}')
  return questionOf(request) === 'profile'
    ? says(JSON.stringify({ profile: [item(`Drinks only ${drink}`, said)] }))
    : says(JSON.stringify({ event_log: [item(`Spoke of ${drink}`, said)] }))
}

export const openMemoryWorkbench = (options: WorkbenchOptions = {}): Promise<Workbench> =>
  openWorkbench({ script, memory: { learn: true }, ...options })

export const listOf = (page: Page) => page.getByRole('main').getByRole('list', { name: 'Memories' })
export const rowOf = (page: Page, text: string) =>
  listOf(page).getByRole('listitem').filter({ hasText: text })
export const chipOf = (page: Page) => page.locator('[data-memories]').last()
export const textsOf = async (page: Page) => listOf(page).locator('li > div > p').allTextContents()

import type { Response } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sumAssets } from '../../benchmarks/workbench/page.ts'
import { launchBrowser } from './browser.ts'
import { answers, openChatWorkbench, type ChatWorkbench } from './chat-arrange.ts'

let workbench: ChatWorkbench
beforeAll(async () => {
  workbench = await openChatWorkbench()
})
afterAll(() => workbench[Symbol.asyncDispose]())

// npm run bundle says what it is made of
const mostKilobytes = 332

it(`opens a session with at most ${mostKilobytes} kB, gzipped`, async () => {
  const id = await workbench.talk('Loaded', 'Hello')
  // one that has nothing cached
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const responses: Response[] = []
    page.on('response', (response) => responses.push(response))
    await page.goto(`${workbench.url}/#/sessions/${id}`)
    await answers(page).getByText('Hello from the script.').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await sumAssets(responses)).toBeLessThanOrEqual(mostKilobytes)
  } finally {
    await browser.close()
  }
})

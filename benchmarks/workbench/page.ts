import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, Page, Response } from 'playwright-core'

/** What the functions below find in the page; programs of Node have no types for it. */
declare const document: {
  getElementById(id: string): { textContent: string } | null
  querySelector(selector: string): object | null
}
declare function requestAnimationFrame(callback: (time: number) => void): number

/** Whatever the page asked for that is part of the workbench itself, in kilobytes as they would cross a wire. */
export async function sumAssets(responses: readonly Response[]): Promise<number> {
  let bytes = 0
  for (const response of responses) {
    const { pathname } = new URL(response.url())
    if (pathname.startsWith('/api/') || pathname === '/healthz' || !response.ok()) continue
    const isCompressed = response.headers()['content-encoding'] !== undefined
    bytes += isCompressed
      ? (await response.request().sizes()).responseBodySize
      : gzipSync(await response.body()).length
  }
  return bytes / 1_000
}

/** Opens a session in a browser that has never seen the page; answers when its newest message was painted. */
export async function openCold(
  browser: Browser,
  url: string,
  sessionId: string,
  newest: string,
): Promise<{ context: BrowserContext; page: Page; ms: number; responses: Response[] }> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en' })
  const page = await context.newPage()
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  await page.addInitScript((words) => {
    // looked at in every frame, so that what counts is when it could be seen
    const look = () => {
      const isThere = document.getElementById('main')?.textContent?.includes(words)
      if (!isThere) return requestAnimationFrame(look)
      return requestAnimationFrame(() => Object.assign(globalThis, { shownAfterMs: performance.now() }))
    }
    requestAnimationFrame(look)
  }, newest)
  await page.goto(`${url}/#/sessions/${sessionId}`)
  await page.waitForFunction(() => 'shownAfterMs' in globalThis, undefined, { timeout: 60_000 })
  const ms = await page.evaluate(() => (globalThis as unknown as { shownAfterMs: number }).shownAfterMs)
  return { context, page, ms, responses }
}

/** Until no answer is coming any more. */
export async function waitForAnswer(page: Page): Promise<void> {
  const isOver = () => document.querySelector('article[aria-busy="true"]') === null
  await page.waitForFunction(isOver, undefined, { timeout: 120_000 })
}

/** Notes the time of every frame from now on. */
export const startFrames = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const frames: number[] = []
    const tick = (time: number) => {
      frames.push(time)
      requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
    Object.assign(globalThis, { frames })
  })

export interface Frames {
  perSecond: number
  longestMs: number
  /** Of a hundred frames, how many took longer than 50 ms. */
  slowPercent: number
}

export async function takeFrames(page: Page): Promise<Frames> {
  const times = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames)
  const gaps = times.slice(1).map((time, index) => time - times[index]!)
  const seconds = (times.at(-1)! - times[0]!) / 1_000
  return {
    perSecond: gaps.length / seconds,
    longestMs: Math.max(...gaps),
    slowPercent: (100 * gaps.filter((gap) => gap > 50).length) / gaps.length,
  }
}

/** Scrolls as a wheel does, by the browser's own means. */
export async function scrollUp(
  page: Page,
  { distance, speed }: { distance: number; speed: number },
): Promise<void> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Input.synthesizeScrollGesture', {
    x: 640,
    y: 300,
    yDistance: distance,
    speed,
    gestureSourceType: 'mouse',
    preventFling: true,
  })
  await cdp.detach()
}

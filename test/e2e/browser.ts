/** The browser of this process and its pages, for all test files that run here one after another. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { needProgram } from '../runner/provision.ts'

export type PageOptions = Omit<BrowserContextOptions, 'storageState'>

const desktop = { width: 1280, height: 800 }
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const

const root = join(import.meta.dirname, '..', '..')

/** The same letters on every machine: those of our formulas. Where there are none at all a browser shows no page. */
function writeFontSettings(): string {
  const fonts = join(dirname(createRequire(join(root, 'web', 'package.json')).resolve('katex')), 'fonts')
  const folder = join(root, 'node_modules', '.cache', 'test', 'fonts')
  const file = join(folder, 'fonts.conf')
  mkdirSync(folder, { recursive: true })
  // another process may be reading it
  writeFileSync(
    `${file}.${process.pid}`,
    `<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${folder}</cachedir>
  <match><edit name="family" mode="append" binding="strong"><string>KaTeX_Main</string></edit></match>
</fontconfig>
`,
  )
  renameSync(`${file}.${process.pid}`, file)
  return file
}

/** Has no windows, which saves a third of what a page costs. */
export const launchBrowser = async (args: string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: await needProgram('chromium-headless-shell'),
    env: { ...process.env, FONTCONFIG_FILE: writeFontSettings() },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
      // the suggestions of an address bar that nobody sees: pages of the browser's own, as costly as ours, per window
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
      ...args,
    ],
  })

let running: Promise<Browser> | undefined

/** It ends with the process. */
async function sharedBrowser(): Promise<Browser> {
  if (!(await running)?.isConnected()) running = launchBrowser()
  return running!
}

/**
 * Pages that wait for their next test, by their options. The process behind a page has compiled our scripts already: to
 * load them there again takes half of what a new page takes.
 */
const idle = new Map<string, Page[]>()

/** A page with nothing in its storage, of the given kind: used before, or new. */
export async function takePage(options: PageOptions = {}): Promise<Page> {
  const page = idle.get(toKey(options))?.pop() ?? (await openPage(options))
  const { viewport = desktop, colorScheme = 'light' } = options
  await page.setViewportSize(viewport ?? desktop)
  await page.emulateMedia({ colorScheme })
  return page
}

async function openPage(options: PageOptions): Promise<Page> {
  const browser = await sharedBrowser()
  const context = await browser.newContext({
    viewport: desktop,
    locale: 'en',
    // nothing waits for a movement, and nothing is drawn again and again while something goes on
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  // nearly as long as a test may take, as for everything else that is waited for
  context.setDefaultTimeout(200_000)
  return context.newPage()
}

const listened = ['request', 'response', 'console', 'pageerror', 'dialog', 'popup'] as const

/** Gives the page back without what a test did to it; one that cannot be cleaned is closed. */
export async function releasePage(page: Page, options: PageOptions, origin: string): Promise<void> {
  if (page.isClosed()) return
  const context = page.context()
  try {
    for (const event of listened) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await Promise.all(context.pages().map((other) => other === page || other.close()))
    await goToRest(page, origin)
    await page.evaluate(forget)
    idle.set(toKey(options), [...(idle.get(toKey(options)) ?? []), page])
  } catch {
    await context.close()
  }
}

/** To where nothing goes on. It is a page of the same site: for another one the browser would take another process. */
export const goToRest = (page: Page, origin: string) => page.goto(`${origin}/theme.js`)

/** Runs in the page. */
async function forget(): Promise<void> {
  localStorage.clear()
  sessionStorage.clear()
  for (const { name } of await indexedDB.databases())
    await new Promise((resolve, reject) => {
      const request = indexedDB.deleteDatabase(name!)
      request.addEventListener('success', resolve)
      request.addEventListener('error', reject)
    })
}

const toKey = (options: PageOptions) => JSON.stringify(options)

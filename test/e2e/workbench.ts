/** The workbench as a person has it: the real server, the built page, a real browser. Nothing in between is replaced. */
import axe from 'axe-core'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { pino } from 'pino'
import { expect } from 'vitest'
import { createParley, type Parley, type ParleyOptions } from '../../src/parley.ts'
import { createApp, createMetrics, serve, type AppSettings } from '../../src/server/index.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createScripted, says, type Script } from '../chat-harness.ts'
import { temporaryFolder } from '../harness.ts'
import { need, needProgram } from '../runner/provision.ts'

export interface Workbench extends AsyncDisposable {
  url: string
  parley: Parley
  /** A new window; what its page complains of fails the test when the workbench is closed. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>
  closePages(): Promise<void>
  /** Complaints that a test expects, taken from the list. */
  takeProblems(): string[]
  /** Stops the server and starts it again on the same data and port. */
  restart(): Promise<void>
}

export interface WorkbenchOptions extends Partial<ParleyOptions> {
  /** What the model says; default the offline demo model. */
  script?: Script
  apiKeys?: AppSettings['apiKeys']
}

const limits = { bodyBytes: 10_485_760, jsonDepth: 100, pageSize: 200 }

export async function openWorkbench({
  script,
  apiKeys = [],
  ...options
}: WorkbenchOptions = {}): Promise<Workbench> {
  const workbenchDir = await need('workbench')
  const folder = temporaryFolder()
  const models = script && {
    model: 'scripted/test',
    extra: { scripted: () => createScripted(script) },
  }
  const start = async (port: number) => {
    const parley = await createParley({
      dataDir: folder.path,
      shutdownMs: 500,
      ...(models && { models }),
      ...options,
    })
    const app = createApp(
      {
        ...parley,
        clock: systemClock,
        logger: pino({ level: 'silent' }),
        metrics: createMetrics(),
        version: '0.0.0',
        limits,
      },
      { apiKeys, allowedHosts: [], allowedOrigins: [], workbenchDir },
    )
    const server = await serve(app, { host: '127.0.0.1', port })
    return { parley, server }
  }
  let running = await start(0)
  const { url } = running.server
  const stop = async () => {
    await running.server.stop(500)
    await running.parley.close()
  }
  const contexts = new Set<BrowserContext>()
  const closePages = async () => {
    await Promise.all([...contexts].map((context) => context.close()))
    contexts.clear()
  }
  let problems: string[] = []
  return {
    url,
    get parley() {
      return running.parley
    },
    closePages,
    async open(path = '', given = {}) {
      const browser = await sharedBrowser(given.permissions?.includes('notifications') ? 'whole' : 'light')
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        locale: 'en',
        permissions: ['clipboard-read', 'clipboard-write'],
        ...given,
      })
      contexts.add(context)
      const page = await context.newPage()
      page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
      })
      await page.goto(`${url}/#/${path}`)
      return page
    },
    takeProblems() {
      const taken = problems
      problems = []
      return taken
    },
    async restart() {
      await stop()
      running = await start(Number(new URL(url).port))
    },
    async [Symbol.asyncDispose]() {
      await closePages()
      await stop()
      folder[Symbol.dispose]()
      expect(problems, 'the page complained').toEqual([])
    },
  }
}

const shared = new Map<string, Promise<Browser>>()

/** The light one has no windows, and a page costs a third less; it cannot notify the system of anything. */
const programOf = (kind: 'light' | 'whole'): Promise<string> =>
  needProgram(kind === 'light' ? 'chromium-headless-shell' : 'chromium')

/** One for all files that this process runs, one after another; it ends with the process. */
async function sharedBrowser(kind: 'light' | 'whole'): Promise<Browser> {
  const running = shared.get(kind)
  if ((await running)?.isConnected()) return running!
  const launched = launch(kind)
  shared.set(kind, launched)
  return launched
}

const launch = async (kind: 'light' | 'whole'): Promise<Browser> =>
  chromium.launch({
    executablePath: await programOf(kind),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
      // the suggestions of an address bar that nobody sees: pages of the browser's own, as costly as ours, per window
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    ],
  })

/** What a machine can find wrong for those who use a keyboard or a screen reader. */
export async function findBarriers(page: Page): Promise<string[]> {
  // handed to the page by the test, past the policy that keeps foreign scripts out of it
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      // all that is read of what it finds: it need not describe every element that passed, nor say where it is
      resultTypes: ['violations'],
      selectors: false,
    }),
  )
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
  )
}

export const demo: Script = () => says('Hello from the script.')

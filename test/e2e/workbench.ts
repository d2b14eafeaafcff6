/** The workbench as a person has it: the real server, the built page, a real browser. Nothing in between is replaced. */
import type { Page } from 'playwright-core'
import { pino } from 'pino'
import { expect, onTestFinished } from 'vitest'
import { createParley, type Parley, type ParleyOptions } from '../../src/parley.ts'
import { createApp, createMetrics, serve, type AppSettings } from '../../src/server/index.ts'
import { systemClock } from '../../src/core/shared/clock.ts'
import { createScripted, says, type Script } from '../chat-harness.ts'
import { temporaryFolder } from '../harness.ts'
import { findOwnPort } from '../own-port.ts'
import { need } from '../runner/provision.ts'
import { goToRest, releasePage, takePage, type PageOptions } from './browser.ts'
import { holdAnswers } from '../http/held-answers.ts'

export interface Workbench extends AsyncDisposable {
  url: string
  parley: Parley
  /**
   * A page with a storage of its own, until the test ends; what it complains of fails the file when the workbench is
   * closed.
   */
  open(path?: string, options?: PageOptions & { preferences?: Preferences; key?: string }): Promise<Page>
  /** Another tab of the same browser: it shares the storage. */
  openBeside(page: Page, path?: string): Promise<Page>
  /** Those that the test has opened: a page that stays open goes on asking. */
  closePages(): Promise<void>
  /** Complaints of its pages that the test expects, whenever they come. */
  expectProblems(pattern: RegExp): void
  /** Stops the server and starts it again on the same data and port. */
  restart(): Promise<void>
}

/** What somebody has chosen in the browser before. */
export interface Preferences {
  language?: 'en' | 'zh'
  sidebar?: 'open' | 'closed'
}

export interface WorkbenchOptions extends Partial<ParleyOptions> {
  /** What the model says; default the offline demo model. */
  script?: Script
  apiKeys?: AppSettings['apiKeys']
  /** Holds answers against the OpenAPI document of what comes with Parley; default true. */
  holdsAnswers?: boolean
}

/** Ports of workbenches that are closed. At the same address a browser has our scripts already, and compiled. */
const freePorts: number[] = []

const limits = { bodyBytes: 10_485_760, jsonDepth: 100, pageSize: 200 }

export async function openWorkbench({
  script,
  apiKeys = [],
  holdsAnswers = true,
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
    const server = await serve(holdsAnswers ? holdAnswers(app) : app, { host: '127.0.0.1', port })
    return { parley, server }
  }
  const port = freePorts.pop() ?? (await findOwnPort())
  let running = await start(port)
  const { url } = running.server
  const stop = async () => {
    await running.server.stop(500)
    await running.parley.close()
  }
  const releases = new Set<() => Promise<void>>()
  const closePages = async () => {
    await Promise.all([...releases].map((release) => release()))
  }
  const problems: { test: string; text: string }[] = []
  const expected: { test: string; pattern: RegExp }[] = []
  const load = async (page: Page, path: string) => {
    const test = currentTest()
    page.on('pageerror', (error) => problems.push({ test, text: `uncaught: ${error.message}` }))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        problems.push({ test, text: `${message.text()} ${message.location().url}` })
    })
    // it follows what happens from here on; what is done before that might never be shown
    await Promise.all([page.waitForEvent('websocket'), page.goto(`${url}/#/${path}`)])
    return page
  }
  return {
    url,
    get parley() {
      return running.parley
    },
    closePages,
    async open(path = '', { preferences, key, ...kind } = {}) {
      const page = await takePage(kind)
      const release = async () => {
        if (releases.delete(release)) await releasePage(page, kind, url)
      }
      releases.add(release)
      onTestFinished(release)
      if ((preferences || key !== undefined) && !page.url().startsWith(url)) await goToRest(page, url)
      if (preferences)
        await page.evaluate(
          (chosen) => localStorage.setItem('parley-preferences', JSON.stringify(chosen)),
          preferences,
        )
      // as it is kept once it was typed
      if (key !== undefined)
        await page.evaluate((typed) => sessionStorage.setItem('parley-api-key', typed), key)
      return load(page, path)
    },
    openBeside: async (page, path = '') => load(await page.context().newPage(), path),
    expectProblems: (pattern) => void expected.push({ test: currentTest(), pattern }),
    async restart() {
      await stop()
      running = await start(port)
    },
    async [Symbol.asyncDispose]() {
      await closePages()
      await stop()
      freePorts.push(port)
      folder[Symbol.dispose]()
      const unexpected = problems.filter(
        ({ test, text }) =>
          !deletedMeanwhile.test(text) &&
          !expected.some((one) => one.test === test && one.pattern.test(text)),
      )
      expect(unexpected, 'the page complained').toEqual([])
    },
  }
}

/** What a browser says of a request that was refused or went nowhere. */
export const refusedRequest = /Failed to load resource|WebSocket connection|net::ERR_/

/** What is deleted while a page shows it is asked for once more when the page hears of the change. */
const deletedMeanwhile = /status of 404 .*\/api\/[^?]*[a-z]+_[0-9a-z]{26}/

const currentTest = () => expect.getState().currentTestName ?? ''

export const demo: Script = () => says('Hello from the script.')

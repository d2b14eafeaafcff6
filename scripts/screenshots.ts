/**
 * Pictures of every page: `node scripts/screenshots.ts <folder>`, in light and dark, English and Chinese, on a desktop
 * and a phone; `--readme` makes those of the README in docs/images, `--tour` the one that moves. Needs the built
 * workbench, a Chromium, and fonts with Chinese letters and emoji.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { provideProgram } from '../test/runner/programs.ts'
import { startDemo, type Demo } from './screenshots/demo.ts'
import { createPace } from './screenshots/pace.ts'
import { shrinkPng } from './screenshots/shrink-png.ts'
import { takeTour, tourScale, tourSize } from './screenshots/tour.ts'

const root = join(import.meta.dirname, '..')
const workbenchDir = join(root, 'web', 'dist')

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { readme: { type: 'boolean', default: false }, tour: { type: 'boolean', default: false } },
})
const [folder] = positionals
if (folder === undefined && !values.readme && !values.tour)
  throw new Error('Say where the pictures go: node scripts/screenshots.ts <folder>, or --readme, or --tour.')
if (!existsSync(join(workbenchDir, 'index.html')))
  throw new Error('The workbench is not built: run "npx vite build" in web/ first.')

interface Look {
  theme: 'light' | 'dark'
  language: 'en' | 'zh'
  device: 'desktop' | 'phone'
}

interface Shot {
  name: string
  path: string
  /** What is done before the picture is taken. */
  prepare?(page: Page): Promise<void>
}

const sizes = { desktop: { width: 1_280, height: 800 }, phone: { width: 390, height: 844 } }
const maxReadmeBytes = 200_000
const maxTourBytes = 2_500_000
const images = join(root, 'docs', 'images')

const toShots = ({ chat, done, running, room }: Demo): Shot[] => [
  { name: 'start', path: '' },
  { name: 'chat', path: `sessions/${chat}` },
  { name: 'tasks', path: `sessions/${chat}?dock=tasks` },
  { name: 'context-prompt', path: `sessions/${chat}?dock=context` },
  { name: 'context-changes', path: `sessions/${chat}?dock=context&view=changes` },
  { name: 'context-window', path: `sessions/${chat}?dock=context&view=window` },
  { name: 'context-memo', path: `sessions/${chat}?dock=context&view=memo` },
  { name: 'memory-panel', path: `sessions/${chat}?dock=memory` },
  { name: 'memory-chips', path: `sessions/${chat}`, prepare: openMemories },
  { name: 'task-done', path: `sessions/${done}` },
  { name: 'task-running', path: `sessions/${running}` },
  { name: 'room', path: `sessions/${room}` },
  { name: 'rooms', path: 'rooms' },
  { name: 'agents', path: 'agents' },
  { name: 'approvals', path: 'approvals' },
  { name: 'workflows', path: 'workflows' },
  { name: 'plans', path: 'plans' },
  { name: 'memory', path: 'memory' },
  { name: 'crons', path: 'crons' },
  { name: 'usage', path: 'usage' },
  { name: 'audit', path: 'audit' },
  { name: 'settings', path: 'settings' },
  { name: 'palette', path: `sessions/${chat}`, prepare: (page) => page.keyboard.press('ControlOrMeta+k') },
]

/** Of the newest answer that has any. */
const openMemories = (page: Page) => page.locator('[data-memories]').last().click()

const toReadmeShots = ({ chat }: Demo): (Shot & Look)[] => [
  { name: 'chat', path: `sessions/${chat}?dock=tasks`, theme: 'light', language: 'en', device: 'desktop' },
  {
    name: 'context',
    path: `sessions/${chat}?dock=context`,
    theme: 'dark',
    language: 'en',
    device: 'desktop',
  },
]

const pace = createPace()
await using demo = await startDemo(workbenchDir, pace)
const browser = await chromium.launch({
  executablePath: await provideProgram('chromium'),
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
try {
  if (folder !== undefined) await takeAll(folder)
  if (values.readme) await takeReadme(images)
  // last: from then on the model waits for it
  if (values.tour) await takeMoving(join(images, 'tour.png'))
} finally {
  await browser.close()
}

async function takeAll(target: string): Promise<void> {
  mkdirSync(target, { recursive: true })
  for (const theme of ['light', 'dark'] as const)
    for (const language of ['en', 'zh'] as const)
      for (const device of ['desktop', 'phone'] as const) {
        const page = await openPage(browser, { theme, language, device })
        for (const shot of toShots(demo))
          await take(page, shot, join(target, `${shot.name}-${theme}-${language}-${device}.png`))
        await page.context().close()
      }
}

async function takeReadme(target: string): Promise<void> {
  mkdirSync(target, { recursive: true })
  for (const shot of toReadmeShots(demo)) {
    const page = await openPage(browser, shot)
    const file = join(target, `${shot.name}.png`)
    await take(page, shot, file)
    await page.context().close()
    const small = shrinkPng(readFileSync(file))
    writeWithin(maxReadmeBytes, file, small)
  }
}

async function takeMoving(file: string): Promise<void> {
  const look: Look = { theme: 'light', language: 'en', device: 'desktop' }
  const page = await openPage(browser, look, { viewport: tourSize, deviceScaleFactor: tourScale })
  writeWithin(maxTourBytes, file, await takeTour(page, demo, pace))
  process.stdout.write(`${file}\n`)
}

function writeWithin(maxBytes: number, file: string, picture: Buffer): void {
  if (picture.length > maxBytes)
    throw new Error(`${file} would have ${picture.length} bytes; ${maxBytes} are allowed.`)
  writeFileSync(file, picture)
}

async function openPage(
  from: Browser,
  { theme, language, device }: Look,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const preferences = { theme, language, sidebar: device === 'phone' ? 'closed' : 'open', welcomed: true }
  const context = await from.newContext({
    viewport: sizes[device],
    colorScheme: theme,
    locale: language,
    reducedMotion: 'reduce',
    storageState: {
      cookies: [],
      origins: [
        {
          origin: demo.url,
          localStorage: [{ name: 'parley-preferences', value: JSON.stringify(preferences) }],
        },
      ],
    },
    ...options,
  })
  return context.newPage()
}

async function take(page: Page, { path, prepare }: Shot, file: string): Promise<void> {
  // away first: a page that is only asked for another part of itself keeps what was open
  await page.goto('about:blank')
  await page.goto(`${demo.url}/#/${path}`)
  await page.locator('main').waitFor()
  await settle(page)
  await prepare?.(page)
  await settle(page)
  await page.screenshot({ path: file, animations: 'disabled' })
  process.stdout.write(`${file}\n`)
}

/** Until nothing turns round any more, and what came last is painted. */
async function settle(page: Page): Promise<void> {
  await page
    .locator('.animate-spin')
    .first()
    .waitFor({ state: 'detached', timeout: 15_000 })
    .catch(() => {
      // something that goes on for as long as one looks is part of the picture
    })
  await page.waitForTimeout(400)
}

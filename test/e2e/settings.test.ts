import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { startListServer } from '../providers/list-server.ts'
import { findBarriers, openWorkbench, type Workbench } from './workbench.ts'

const folder = temporaryFolder()

function writeContext(root: string): void {
  const files = {
    'AGENTS.md': 'Be brief.',
    '.parley/skills/release/SKILL.md': '---\nname: release\ndescription: How to release\n---\nTag it.',
    '.parley/skills/broken/SKILL.md': 'No front matter.',
    '.parley/commands/review.md': '---\ndescription: Review a file\nargument-hint: <file>\n---\nReview $1.',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

// a busy machine
const patience = { timeout: 30_000 }

let workbench: Workbench
beforeAll(async () => {
  writeContext(folder.path)
  workbench = await openWorkbench({ scopes: { default: { root: folder.path } } })
})
afterEach(() => workbench.closePages())
afterAll(async () => {
  await workbench[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

/** What is on the page, not the list of sessions that covers it on a phone. */
const closedSidebar = () => ({
  cookies: [],
  origins: [
    {
      origin: workbench.url,
      localStorage: [{ name: 'parley-preferences', value: JSON.stringify({ sidebar: 'closed' }) }],
    },
  ],
})

describe('models and keys', () => {
  it('takes a key, shows what the provider has, and never shows the key', async () => {
    await using provider = await startListServer('sk-secret-1')
    const page = await workbench.open('settings')
    const row = page.getByRole('listitem').filter({ hasText: 'OpenAI' })
    await row.getByText('Not set up').waitFor()
    await page.getByRole('button', { name: 'Set up OpenAI' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up OpenAI' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a key or a base URL.').waitFor()
    await dialog.getByLabel('API key').fill('sk-wrong')
    await dialog.getByLabel('Base URL').fill('ftp://nowhere')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Must be an http:// or https:// URL').waitFor()
    workbench.takeProblems()
    await dialog.getByLabel('Base URL').fill(`${provider.url}/v1`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Not reachable').waitFor()

    await row.getByRole('button', { name: 'Replace the key of OpenAI' }).click()
    await page.getByRole('dialog').getByLabel('API key').fill('sk-secret-1')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await row.getByText('Ready').waitFor()
    await row.getByText('Stored by Parley').waitFor()
    await page.getByLabel('Filter models').fill('gpt-list')
    await page.getByRole('cell', { name: 'openai/gpt-list' }).waitFor()
    expect(await page.content()).not.toContain('sk-secret-1')

    await row.getByRole('button', { name: 'Remove the key of OpenAI' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.getByText('Not set up').waitFor()
  })

  it('sets the model of sessions that name none, and says which it does not know', async () => {
    const page = await workbench.open('settings?section=models')
    const box = page.getByLabel('Default model')
    await box.fill('nowhere/model')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'nowhere' }).waitFor()
    expect(await box.getAttribute('aria-invalid')).toBe('true')
    workbench.takeProblems()
    await box.fill('demo/parley')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Use the server’s default' }).click()
    await expect.poll(() => box.inputValue(), patience).toBe('')
    expect(await workbench.parley.settings.get()).not.toHaveProperty('model')
  })
})

describe('the window of a scope', () => {
  it('counts for sessions that set none of their own, until it is taken back', async () => {
    const { id } = await workbench.parley.sessions.create()
    const page = await workbench.open('settings?section=window')
    await page.getByLabel('What leaves the window').selectOption('Is summed up in a memo')
    await page.getByLabel('Messages', { exact: true }).fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'expected number' }).waitFor()
    workbench.takeProblems()
    await page.getByLabel('Messages', { exact: true }).fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    const now = page.getByRole('region', { name: 'In effect now' })
    await now.getByText('Is summed up in a memo').waitFor()
    expect((await workbench.parley.sessions.window(id)).effective).toMatchObject({
      mode: 'memo',
      maxMessages: 30,
    })
    await page.getByRole('button', { name: 'Back to the server’s settings' }).click()
    await now.getByText('Stays in the log only').waitFor()
    expect((await workbench.parley.sessions.window(id)).effective).toMatchObject({
      mode: 'lite',
      maxMessages: 400,
    })
  })
})

describe('what is loaded', () => {
  it.each([
    ['Rules', 'AGENTS.md', 'Always'],
    ['Skills', 'release', 'How to release'],
    ['Skills', '.parley/skills/broken/SKILL.md', 'Problems'],
    ['Commands', '/review <file>', '.parley/commands/review.md'],
    ['Commands', '/help', 'Built in'],
    ['Tools', 'spawn_task', 'Starts a task in the background'],
  ])('is shown under %s: %s', async (section, name, words) => {
    const page = await workbench.open('settings')
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click()
    await page.getByRole('heading', { name: section }).waitFor()
    await page.getByRole('main').getByText(name, { exact: false }).first().waitFor()
    await page.getByRole('main').getByText(words).first().waitFor()
    expect(page.url()).toContain(`section=${section.toLowerCase()}`)
  })
})

describe('appearance', () => {
  it('is chosen and kept: theme, language, what Enter does', async () => {
    const page = await workbench.open('settings?section=appearance')
    await page.getByRole('radio', { name: 'Dark' }).check()
    await page.getByRole('radio', { name: 'Steers the answer that is being written' }).check()
    await page.getByRole('radio', { name: '中文' }).check()
    await page.getByRole('heading', { name: '外观' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: '外观' }).waitFor()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    expect(await page.getByRole('radio', { name: '引导正在生成的回答' }).isChecked()).toBe(true)
  })

  it('asks for notifications only after a click', async () => {
    const page = await workbench.open('settings?section=appearance', { permissions: ['notifications'] })
    await page.getByRole('heading', { name: 'Notifications: Off' }).waitFor()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Notifications: On' }).waitFor()
    const stored = await page.evaluate(() => localStorage.getItem('parley-preferences'))
    expect(JSON.parse(stored!)).toMatchObject({ notifications: 'on' })
  })
})

describe('import and export', () => {
  it('say what is wrong with a file, and where', async () => {
    const page = await workbench.open('settings?section=data')
    const document = { format: 'parley.session', version: 1, session: { title: 5 }, messages: [] }
    await page.getByLabel('File').setInputFiles(file('wrong.json', JSON.stringify(document)))
    await page.getByRole('button', { name: 'Import' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'was not imported' })
    await alert.getByText('wrong.json was not imported').waitFor()
    await alert.getByText('"session.title": expected string; got 5').waitFor()
    const lines = ['{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hi"}', '{"role":']
    await page.getByLabel('File').setInputFiles(file('cut.jsonl', lines.join('\n')))
    expect(await alert.count()).toBe(0)
    await page.getByRole('button', { name: 'Import' }).click()
    await alert.getByText(/line 3/i).waitFor()
    workbench.takeProblems()
  })

  it('take a session out and in again', async () => {
    const { id } = await workbench.parley.sessions.create({ title: 'Travels' })
    await workbench.parley.sessions.append(id, { role: 'user', parts: [{ type: 'text', text: 'Far away' }] })
    const page = await workbench.open(`settings?section=data&session=${id}`)
    await page.getByLabel('Format').selectOption('Markdown')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const saved = await download
    expect(saved.suggestedFilename()).toBe('Travels.md')
    const text = await readFile(await saved.path(), 'utf8')
    expect(text).toContain('Far away')
    await workbench.parley.sessions.delete(id)
    await page.getByLabel('File').setInputFiles(file('Travels.md', text))
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('Imported “Travels”').first().waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Open it' }).click()
    await page.getByText('Far away').first().waitFor()
    workbench.takeProblems()
  })
})

describe('settings', () => {
  it.each([
    ['light', 'en', 1280],
    ['dark', 'zh-CN', 1280],
    ['light', 'zh-CN', 390],
    ['dark', 'en', 390],
  ] as const)(
    'have no barriers in %s, %s, %i wide',
    { timeout: 120_000 },
    async (colorScheme, locale, width) => {
      await workbench.parley.sessions.create({ title: 'Somewhere to go' })
      const page = await workbench.open('settings', {
        colorScheme,
        locale,
        viewport: { width, height: 800 },
        storageState: closedSidebar(),
      })
      const sections = [
        'models',
        'window',
        'rules',
        'skills',
        'commands',
        'tools',
        'appearance',
        'data',
        'about',
      ]
      for (const section of sections) {
        await page.goto(`${workbench.url}/#/settings?section=${section}`)
        await page.locator('main').locator('h3, dl, code').first().waitFor()
        expect(await findBarriers(page), section).toEqual([])
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow, section).toBeLessThanOrEqual(0)
      }
      await page.goto(`${workbench.url}/#/settings`)
      await page.locator('main li button').first().click()
      await page.getByRole('dialog').waitFor()
      expect(await findBarriers(page), 'dialog').toEqual([])
    },
  )
})

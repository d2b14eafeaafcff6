import { mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../harness.ts'
import { startListServer } from '../providers/list-server.ts'
import { itInLongTier } from '../runner/tier.ts'
import { expectToFitPhone, findBarriersInBothThemes, looks } from './barriers.ts'
import { expectSeen } from './expect-page.ts'
import { openWorkbench, refusedRequest, type Workbench } from './workbench.ts'

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
const patience = { timeout: 200_000 }

let workbench: Workbench
beforeAll(async () => {
  writeContext(folder.path)
  workbench = await openWorkbench({ scopes: { default: { root: folder.path } } })
})
afterAll(async () => {
  await workbench[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })

describe('models and keys', () => {
  it('adds a provider under a name of its own, tests, changes and removes it', async () => {
    await using provider = await startListServer('sk-secret-2')
    const page = await workbench.open('settings')
    await page.getByRole('button', { name: 'Add a provider' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a provider' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByText('Enter the address of the server.').waitFor()
    await dialog.getByLabel('Name').fill('ollama')
    await dialog.getByLabel('Base URL').fill(`${provider.url}/v1`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('There is a provider of this name.').waitFor()
    await dialog.getByLabel('Name').fill('acme')
    await dialog.getByLabel('API key').fill('sk-secret-2')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'acme' })
    await row.getByText('Ready').waitFor()
    await row.getByRole('button', { name: 'Test acme' }).click()
    await row.getByText(/Answers in \d+ ms, with 2 models/).waitFor()
    await page.getByRole('cell', { name: 'acme/gpt-list' }).waitFor()
    expect(await page.content()).not.toContain('sk-secret-2')

    await row.getByRole('button', { name: 'Replace acme' }).click()
    const change = page.getByRole('dialog', { name: 'Replace acme' })
    await change.getByLabel('Speaks').selectOption('anthropic')
    await change.getByLabel('Base URL').fill(`${provider.url}/anthropic`)
    await change.getByLabel('API key').fill('sk-secret-2')
    await change.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('cell', { name: 'acme/claude-list' }).waitFor()
    expect(await findBarriersInBothThemes(page)).toEqual([])

    await row.getByRole('button', { name: 'Remove acme' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await row.waitFor({ state: 'detached' })
  })

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
    await dialog.getByText('Enter an http:// or https:// URL').waitFor()
    workbench.expectProblems(refusedRequest)
    await dialog.getByLabel('Base URL').fill(`${provider.url}/v1`)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Not reachable').waitFor()

    await row.getByRole('button', { name: 'Replace OpenAI key' }).click()
    await page.getByRole('dialog').getByLabel('API key').fill('sk-secret-1')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await row.getByText('Ready').waitFor()
    await row.getByText('Stored by Parley').waitFor()
    await page.getByLabel('Filter models').fill('gpt-list')
    await page.getByRole('cell', { name: 'openai/gpt-list' }).waitFor()
    expect(await page.content()).not.toContain('sk-secret-1')

    await row.getByRole('button', { name: 'Remove OpenAI key' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.getByText('Not set up').waitFor()
  })

  it('sets the model of sessions that name none, and says which it does not know', async () => {
    const page = await workbench.open('settings?section=models')
    const box = page.getByLabel('Default model')
    await box.fill('nowhere/model')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'nowhere' }).waitFor()
    await expect.poll(() => box.getAttribute('aria-invalid'), patience).toBe('true')
    workbench.expectProblems(refusedRequest)
    await box.fill('demo/parley')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Use server default' }).click()
    await expect.poll(() => box.inputValue(), patience).toBe('')
    expect(await workbench.parley.settings.get()).not.toHaveProperty('model')
  })
})

describe('the window of a scope', () => {
  it('counts for sessions that set none of their own, until it is taken back', async () => {
    const { id } = await workbench.parley.sessions.create()
    const page = await workbench.open('settings?section=window')
    await page.getByLabel('Messages that leave the window').selectOption('Are summarized in a memo')
    await page.getByLabel('Messages', { exact: true }).fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'Must be a number.' }).waitFor()
    workbench.expectProblems(refusedRequest)
    await page.getByLabel('Messages', { exact: true }).fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    const now = page.getByRole('region', { name: 'Currently in effect' })
    await now.getByText('Are summarized in a memo').waitFor()
    expect((await workbench.parley.sessions.window(id)).effective).toMatchObject({
      mode: 'memo',
      maxMessages: 30,
    })
    await page.getByRole('button', { name: 'Reset to server settings' }).click()
    await now.getByText('Stay in the log only').waitFor()
    expect((await workbench.parley.sessions.window(id)).effective).toMatchObject({
      mode: 'lite',
      maxMessages: 400,
    })
  })
})

describe('what is loaded', () => {
  it('is shown: rules, skills, commands and tools', async () => {
    const page = await workbench.open('settings')
    for (const [section, ...words] of [
      ['Rules', 'AGENTS.md', 'Always'],
      ['Skills', 'release', 'How to release', '.parley/skills/broken/SKILL.md', 'Problems'],
      ['Commands', '/review <file>', '.parley/commands/review.md', '/help', 'Built in'],
      ['Tools', 'spawn_task', 'Starts a task in the background'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click()
      await page.getByRole('heading', { name: section }).waitFor()
      for (const text of words) await page.getByRole('main').getByText(text).first().waitFor()
      await expect.poll(() => page.url(), patience).toContain(`section=${section.toLowerCase()}`)
    }
  })
})

describe('appearance', () => {
  it('is chosen and kept: theme, language, what Enter does', async () => {
    const page = await workbench.open('settings?section=appearance')
    await page.getByRole('radio', { name: 'Dark' }).check()
    await page.getByRole('radio', { name: 'Steers the current response' }).check()
    await page.getByRole('radio', { name: '中文' }).check()
    await page.getByRole('heading', { name: '外观' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: '外观' }).waitFor()
    await page.locator('html[data-theme="dark"][lang="zh-CN"]').waitFor()
    await expectSeen(page.getByRole('radio', { name: '引导正在生成的回答', checked: true }))
  })

  itInLongTier('asks for notifications only after a click', async () => {
    const page = await workbench.open('settings')
    // a browser without windows has none, whatever is granted to it
    await page.evaluate(() => {
      const asked: string[] = []
      class Recorded extends EventTarget {
        static permission = 'default'
        static requestPermission = async () => {
          asked.push(Recorded.permission)
          return (Recorded.permission = 'granted')
        }
      }
      Object.assign(globalThis, { Notification: Recorded, asked })
    })
    const asked = () => page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)
    await page.goto(`${workbench.url}/#/settings?section=appearance`)
    await page.getByRole('heading', { name: 'Notifications: Off' }).waitFor()
    expect(await asked()).toEqual([])
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('heading', { name: 'Notifications: On' }).waitFor()
    expect(await asked()).toEqual(['default'])
    const stored = await page.evaluate(() => localStorage.getItem('parley-preferences'))
    expect(JSON.parse(stored!)).toMatchObject({ notifications: 'on' })
  })
})

describe('import and export', () => {
  itInLongTier('say what is wrong with a file, and where', async () => {
    const page = await workbench.open('settings?section=data')
    const document = { format: 'parley.session', version: 1, session: { title: 5 }, messages: [] }
    await page.getByLabel('File').setInputFiles(file('wrong.json', JSON.stringify(document)))
    await page.getByRole('button', { name: 'Import' }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Couldn’t import' })
    await alert.getByText('Couldn’t import wrong.json').waitFor()
    await alert.getByText('"session.title": expected string; got 5').waitFor()
    const lines = ['{"role":"user","content":"Hello"}', '{"role":"assistant","content":"Hi"}', '{"role":']
    await page.getByLabel('File').setInputFiles(file('cut.jsonl', lines.join('\n')))
    await alert.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Import' }).click()
    await expectSeen(alert.getByText(/line 3/i))
    workbench.expectProblems(refusedRequest)
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
    await page.getByRole('main').getByRole('link', { name: 'Open', exact: true }).click()
    await page.getByText('Far away').first().waitFor()
    workbench.expectProblems(refusedRequest)
  })
})

describe('settings', () => {
  it.each(looks)('have no barriers %s, and fit a phone', async (_, look) => {
    await workbench.parley.sessions.create({ title: 'Somewhere to go' })
    const page = await workbench.open('settings', look)
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
      await page.locator(`nav [aria-current="page"][href*="section=${section}"]`).waitFor()
      await page.locator('main').locator('h3, dl, code').first().waitFor()
      expect(await findBarriersInBothThemes(page), section).toEqual([])
      await expectToFitPhone(page, section)
    }
    await page.goto(`${workbench.url}/#/settings`)
    await page.locator('main li button').first().click()
    await page.getByRole('dialog').waitFor()
    expect(await findBarriersInBothThemes(page), 'dialog').toEqual([])
  })
})

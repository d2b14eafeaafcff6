import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import { itInLongTier } from '../runner/tier.ts'
import { findBarriersInBothThemes } from './barriers.ts'
import { demo, openWorkbench, type Workbench } from './workbench.ts'

let workbench: Workbench
let client: ParleyClient
beforeAll(async () => {
  workbench = await openWorkbench({ script: demo })
  client = createClient({ baseUrl: workbench.url })
})
afterAll(() => workbench[Symbol.asyncDispose]())

it('makes an agent, shows it, changes it and deletes it after it asked', async () => {
  const page = await workbench.open('agents')
  await page.getByRole('button', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('milk')
  await dialog.getByLabel('Display name').fill('Milk')
  await dialog.getByLabel('Description').fill('Gentle architecture')
  await dialog.getByLabel('Nicknames').fill('牛奶， latte')
  await dialog.getByRole('button', { name: '🐱' }).click()
  await dialog.getByRole('radio', { name: 'Color #be185d' }).check({ force: true })
  await dialog.getByLabel('Persona').fill('You are gentle.')
  await dialog.getByRole('radio', { name: 'None' }).check()
  await dialog.getByLabel('Seconds').fill('90')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const row = page.getByRole('listitem').filter({ hasText: '@milk' })
  await row.getByText('Yours').waitFor()
  expect(await client.agents.get('milk')).toMatchObject({
    nicknames: ['牛奶', 'latte'],
    avatar: '🐱',
    color: '#be185d',
    tools: [],
    limits: { timeoutMs: 90_000 },
  })

  await row.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Display name').fill('')
  await dialog.getByLabel('Hex').fill('#ffee00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const changed = await client.agents.get('milk')
  expect(changed).toMatchObject({ color: '#ffee00', persona: 'You are gentle.' })
  expect(changed).not.toHaveProperty('displayName')

  await row.getByRole('button', { name: 'Actions for milk' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  // the row goes before the server has answered
  const find = () =>
    client.agents.get('milk').then(
      () => 'there',
      (error: Error) => error.message,
    )
  await expect.poll(find).toContain('no agent')
})

itInLongTier(
  'makes a copy of one that comes with Parley, which takes its place until it is deleted',
  async () => {
    const page = await workbench.open('agents')
    const row = page.getByRole('listitem').filter({ hasText: '@mira' })
    await row.getByText('Built in').waitFor()
    expect(await row.getByRole('button', { name: 'Edit' }).count()).toBe(0)
    await row.getByRole('button', { name: 'Make a copy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your copy of mira' })
    await expect.poll(() => dialog.getByLabel('Persona').inputValue()).toContain('owl')
    await dialog.getByLabel('Persona').fill('You are an eagle.')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await row.getByText('Yours').waitFor()
    expect(await client.agents.get('mira')).toMatchObject({ source: 'stored', persona: 'You are an eagle.' })
    await row.getByRole('button', { name: 'Actions for Mira' }).click()
    await page.getByRole('menuitem', { name: 'Delete…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await row.getByText('Built in').waitFor()
  },
)

it('says at the field what is taken, and what is no name or colour', async () => {
  const page = await workbench.open('agents?form=new')
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  // at one moment: the field, and what describes it, come one after the other
  const problems = () =>
    dialog.locator('[aria-invalid="true"]').evaluateAll((fields) =>
      (fields as HTMLInputElement[]).map((field) => ({
        label: field.labels![0]!.textContent,
        text: (field.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .filter((id) => id.endsWith('-error'))
          .map((id) => document.querySelector(`[id="${id}"]`)?.textContent.toLowerCase())
          .join(' '),
      })),
    )
  for (const [fill, label, words] of [
    [{ Name: 'another', Nicknames: 'owl, critic' }, 'Nicknames', 'critic'],
    [{ Nicknames: '', Aliases: 'QUILL' }, 'Aliases', 'quill'],
    [{ Aliases: '', Name: 'not a name' }, 'Name', 'letters'],
    [{ Name: 'another', Hex: 'pink' }, 'Hex', '#b45309'],
  ] as const) {
    for (const [name, text] of Object.entries(fill)) await dialog.getByLabel(name, { exact: true }).fill(text)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect.poll(problems).toEqual([{ label, text: expect.stringContaining(words) }])
    workbench.expectProblems(/40[09]/)
  }
})

itInLongTier('finds agents, and opens one by its link', async () => {
  const page = await workbench.open('agents?q=%E5%B0%8F%E5%88%BA')
  await page.getByRole('listitem').filter({ hasText: '@quill' }).waitFor()
  await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
  const copy = await workbench.open('agents?form=copy&agent=pip')
  await copy.getByRole('dialog', { name: 'Your copy of pip' }).waitFor()
})

it('has no barriers', async () => {
  const page = await workbench.open('agents')
  await page.getByRole('listitem').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await page.getByRole('button', { name: 'New agent' }).click()
  await page.getByRole('radio', { name: 'Only these' }).check()
  await page.getByRole('checkbox').first().waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
})

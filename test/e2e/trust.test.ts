import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTrustedFolders } from '../../src/core/files/trusted-folders.ts'
import { temporaryFolder } from '../harness.ts'
import { expectToFitPhone, findBarriersInBothThemes } from './barriers.ts'
import { phone } from './browser.ts'
import { demo, openWorkbench } from './workbench.ts'

it('trusts the folder of the scope by a button, and uses what is in it from then on', async () => {
  using folder = temporaryFolder()
  const root = join(realpathSync(folder.path), 'clone')
  mkdirSync(join(root, '.parley/commands'), { recursive: true })
  writeFileSync(join(root, '.parley/commands/release.md'), 'Release it.')
  const trust = openTrustedFolders(join(folder.path, 'own'))
  await using workbench = await openWorkbench({ script: demo, scopes: { default: { root } }, trust })
  const commands = async () =>
    (await workbench.parley.catalogue.commands()).items.filter(({ name }) => name === 'release').length
  expect(await commands()).toBe(0)
  const page = await workbench.open('settings?section=tools', phone)
  const section = page.getByRole('region', { name: 'Scope folder' })
  await section.getByText(root).waitFor()
  expect(await findBarriersInBothThemes(page)).toEqual([])
  await expectToFitPhone(page)
  await section.getByRole('button', { name: 'Trust this folder' }).click()
  await section.getByRole('button', { name: 'Stop trusting' }).waitFor()
  expect(trust.has(root)).toBe(true)
  expect(await commands()).toBe(1)
  await section.getByRole('button', { name: 'Stop trusting' }).click()
  await section.getByRole('button', { name: 'Trust this folder' }).waitFor()
  expect(trust.has(root)).toBe(false)
  expect(await commands()).toBe(0)
})

import { spawnSync } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'

const root = join(import.meta.dirname, '..')

it('what is generated is up to date', () => {
  const { stderr } = spawnSync(process.execPath, ['scripts/schema.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
})

it('a published schema or reference page that is stale is noticed', () => {
  using temporary = temporaryFolder()
  const folder = temporary.path
  for (const name of ['src', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(folder, name))
  for (const name of ['schema', 'command-page', 'operation-page', 'schema-text', 'api-document'])
    cpSync(join(root, `scripts/${name}.ts`), join(folder, `scripts/${name}.ts`))
  cpSync(join(root, '.oxfmtrc.json'), join(folder, '.oxfmtrc.json'))
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['scripts/schema.ts', ...args], { cwd: folder, encoding: 'utf8' })
  expect(run('--check')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('schema/parley.schema.json is out of date'),
  })
  expect(run().status).toBe(0)
  expect(run('--check')).toMatchObject({ status: 0, stderr: '' })
  writeFileSync(join(folder, 'docs/configuration.md'), '# Configuration\n')
  expect(run('--check')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^docs\/configuration.md is out of date/),
  })
})

import { spawnSync } from 'node:child_process'
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'

const root = join(import.meta.dirname, '..')

const check = (cwd: string) =>
  spawnSync(process.execPath, ['scripts/schema.ts', '--check'], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') },
  })

it('what is generated is up to date', () => {
  expect(check(root)).toMatchObject({ status: 0, stderr: '' })
})

it('a published schema that is missing and a reference page that is stale are noticed', () => {
  using temporary = temporaryFolder()
  const folder = temporary.path
  for (const name of ['src', 'node_modules', 'package.json'])
    symlinkSync(join(root, name), join(folder, name))
  for (const name of ['scripts', 'schema', 'docs', '.oxfmtrc.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  rmSync(join(folder, 'schema/parley.schema.json'))
  writeFileSync(join(folder, 'docs/configuration.md'), '# Configuration\n')
  expect(check(folder)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^schema\/parley.schema.json is out of date.*\ndocs\/configuration.md is out of date.*\n$/,
    ),
  })
})

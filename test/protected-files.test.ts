/** Files that other programs run are written by nobody but a person who says so, in the modes too that ask little. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileRules } from './file-rules-harness.ts'

type Calls = Record<string, unknown>[]
const content = 'id > /tmp/pwned'

describe.each(['acceptEdits', 'bypassPermissions'] as const)('in the mode %s', (mode) => {
  it.each<[string, string, Calls]>([
    ['a hook of Git', '.git/hooks/pre-commit', [{ action: 'write', path: '.git/hooks/pre-commit', content }]],
    [
      'the settings of Git',
      '.git/config',
      [{ action: 'edit', path: '.git/config', edits: [{ old: '[core]', new: '[x]' }] }],
    ],
    ['another spelling', '.git/hooks/a', [{ action: 'write', path: 'app/../.git//hooks/a', content }]],
    ['a linked folder', '.git/hooks/a', [{ action: 'write', path: 'way/a', content }]],
    ['a move of a file', '.git/hooks/a', [{ action: 'move', path: 'app/a.txt', to: '.git/hooks/a' }]],
    [
      'a move of a folder',
      '.parley/workflows',
      [{ action: 'move', path: 'staged', to: '.parley/workflows' }],
    ],
    ['a folder that is moved whole', '.husky', [{ action: 'move', path: 'staged', to: '.husky' }]],
    ['the settings of Parley', 'parley.yaml', [{ action: 'write', path: 'parley.yaml', content }]],
    ['a profile', '.bashrc', [{ action: 'write', path: '.bashrc', content }]],
    ['an editor', '.vscode/tasks.json', [{ action: 'write', path: '.vscode/tasks.json', content }]],
    ['CI', '.github/workflows/ci.yml', [{ action: 'write', path: '.github/workflows/ci.yml', content }]],
    ['scripts of a package', 'package.json', [{ action: 'write', path: 'package.json', content }]],
  ])('%s is not written without a question', async (_, path, made) => {
    await using test = await openFileRules({ permissions: { mode } })
    mkdirSync(join(test.root, '.git/hooks'), { recursive: true })
    mkdirSync(join(test.root, 'staged'))
    writeFileSync(join(test.root, 'staged/a.yaml'), 'name: evil')
    writeFileSync(join(test.root, '.git/config'), '[core]')
    symlinkSync('.git/hooks', join(test.root, 'way'))
    const before = read(test.root, path)
    await test.begin('Go on.', made)
    const pending = async () => (await test.parley.approvals.list()).items
    await expect.poll(async () => (await pending()).length).toBe(1)
    const [ask] = await pending()
    expect(ask!.resources).toContain(join(test.root, path))
    expect(read(test.root, path)).toBe(before)
    await test.parley.approvals.decide(ask!.id, { decision: 'approve' })
    await test.ended()
    expect(existsSync(join(test.root, path))).toBe(true)
    expect(read(test.root, path)).not.toBe(before)
  })

  it.each<[string, string, Calls]>([
    [
      'CI, by a folder that is moved there',
      '.github/workflows',
      [{ action: 'move', path: 'ci', to: '.github' }],
    ],
    [
      'settings of Git, by a folder that is moved there',
      '.config/git',
      [{ action: 'move', path: 'ci', to: '.config' }],
    ],
    [
      'CI, by a folder that is moved there through a link',
      '.github/workflows',
      [{ action: 'move', path: 'ci', to: 'here/.github' }],
    ],
    [
      'a repository that Git would find',
      'sub/HEAD',
      [{ action: 'write', path: 'sub/HEAD', content: 'ref: refs/heads/main' }],
    ],
    [
      'a bare repository',
      'fixtures/a.git/config',
      [{ action: 'write', path: 'fixtures/a.git/config', content }],
    ],
    ['an action of CI', 'action.yml', [{ action: 'write', path: 'action.yml', content }]],
    ['the loader of packages', '.pnp.cjs', [{ action: 'write', path: '.pnp.cjs', content }]],
    [
      'settings of another agent',
      '.kiro/settings/mcp.json',
      [{ action: 'write', path: '.kiro/settings/mcp.json', content }],
    ],
  ])('%s is not made without a question', async (_, path, made) => {
    await using test = await openFileRules({ permissions: { mode }, approvals: { timeoutMs: 1_000 } })
    for (const folder of ['ci/workflows', 'ci/git']) {
      mkdirSync(join(test.root, folder), { recursive: true })
      writeFileSync(join(test.root, folder, 'config'), content)
    }
    symlinkSync('.', join(test.root, 'here'))
    await test.seenAfter('Go on.', made)
    expect(existsSync(join(test.root, path))).toBe(false)
  })

  it('other files are written as before', async () => {
    await using test = await openFileRules({ permissions: { mode } })
    await test.seenAfter('Go on.', [{ action: 'write', path: 'src/index.ts', content }])
    expect(read(test.root, 'src/index.ts')).toBe(content)
  })
})

function read(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!
  }
}

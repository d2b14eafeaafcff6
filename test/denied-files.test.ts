/** A file that a rule forbids stays closed, whichever way leads to it. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ParleyOptions } from '../src/parley.ts'
import type { PermissionRule } from '../src/core/protocol/permission.ts'
import { openFileRules, secret } from './file-rules-harness.ts'

const deny: PermissionRule = { tool: 'file', path: '**/.env', decision: 'deny' }

const arrange = (options: Partial<ParleyOptions> = {}) =>
  openFileRules({ permissions: { mode: 'bypassPermissions', rules: [deny] }, ...options })

describe('a file that a rule denies', () => {
  it.each<[string, Record<string, unknown>[]]>([
    ['its name', [{ action: 'read', path: '.env' }]],
    ['its absolute name in another spelling', [{ action: 'read', path: './app/../app//.env' }]],
    ['a search of the folder', [{ action: 'grep', pattern: 'hunter2' }]],
    [
      'a search of a folder below',
      [{ action: 'grep', pattern: 'TOKEN=', path: 'app', include_ignored: true }],
    ],
    ['a search of the file alone', [{ action: 'grep', pattern: '.', path: 'app/.env' }]],
    ['a link', [{ action: 'read', path: 'notes.txt' }]],
    ['a search through a link', [{ action: 'grep', pattern: '.', path: 'notes.txt' }]],
    ['a link to its folder', [{ action: 'read', path: 'linked/.env' }]],
    ['a link with a full path', [{ action: 'read', path: 'app/deep/absolute' }]],
    [
      'a move to another name',
      [
        { action: 'move', path: '.env', to: 'open.txt' },
        { action: 'read', path: 'open.txt' },
      ],
    ],
    [
      'a move of its folder',
      [
        { action: 'move', path: 'app', to: 'other' },
        { action: 'read', path: 'other/.env' },
      ],
    ],
    [
      'a move of a link',
      [
        { action: 'move', path: 'notes.txt', to: 'n.txt' },
        { action: 'read', path: 'n.txt' },
      ],
    ],
    ['deleting its folder', [{ action: 'delete', path: 'app', recursive: true }]],
    ['deleting it', [{ action: 'delete', path: '.env' }]],
    ['writing it', [{ action: 'write', path: '.env', content: 'mine' }]],
    ['writing through a link', [{ action: 'write', path: 'notes.txt', content: 'mine' }]],
    ['editing it', [{ action: 'edit', path: 'app/.env', edits: [{ old: 'TOKEN', new: 'X' }] }]],
    ['a move onto it', [{ action: 'move', path: 'app/a.txt', to: '.env', overwrite: true }]],
  ])('is not reached by %s', async (_, made) => {
    await using test = await arrange()
    expect(await test.seenAfter('Go on.', made)).not.toContain('hunter2-hunter2')
    expect(test.isWhole()).toBe(true)
  })

  it.each<[string, Record<string, unknown>[]]>([
    [
      'a move',
      [
        { action: 'move', path: '.env', to: 'open.txt' },
        { action: 'read', path: 'open.txt' },
      ],
    ],
    [
      'a move of its folder',
      [
        { action: 'move', path: 'app', to: 'other' },
        { action: 'grep', pattern: '.', path: 'other' },
        { action: 'move', path: 'other/.env', to: 'open.txt' },
        { action: 'read', path: 'open.txt' },
      ],
    ],
    [
      'an edit that finds no place',
      [
        {
          action: 'edit',
          path: '.env',
          edits: [
            { old: 'TOKEN=hunter', new: 'x' },
            { old: 'TOKEN=hunter3', new: 'x' },
          ],
        },
      ],
    ],
    ['a search', [{ action: 'grep', pattern: '.' }]],
  ])('is not reached by %s where only reading it is denied', async (_, made) => {
    const rules = [{ ...deny, action: ['read'] }]
    await using test = await arrange({ permissions: { mode: 'bypassPermissions', rules } })
    // what the model itself wrote is no find
    expect(await test.seenAfter('Go on.', made)).not.toContain('hunter2-hunter2')
    expect(test.isWhole()).toBe(true)
  })

  it.each<[string, Record<string, unknown>[]]>([
    ['a folder that is moved there', [{ action: 'move', path: 'staged', to: 'docs' }]],
    [
      'a folder that is moved around it',
      [
        { action: 'move', path: 'around', to: 'other' },
        { action: 'move', path: 'other/docs', to: 'docs' },
      ],
    ],
    ['a folder that is moved there through a link', [{ action: 'move', path: 'staged', to: 'here/docs' }]],
  ])('is not made by %s', async (_, made) => {
    const rules: PermissionRule[] = [
      { tool: 'file', action: ['write'], path: 'docs/private/**', decision: 'deny' },
    ]
    await using test = await arrange({ permissions: { mode: 'bypassPermissions', rules } })
    for (const folder of ['staged/private', 'around/docs/private']) {
      mkdirSync(join(test.root, folder), { recursive: true })
      writeFileSync(join(test.root, folder, 'page.md'), 'mine')
    }
    symlinkSync('.', join(test.root, 'here'))
    await test.seenAfter('Go on.', made)
    expect(existsSync(join(test.root, 'docs/private'))).toBe(false)
  })

  it.each([
    ['by its name', 'What is in @file:.env ?'],
    ['in brackets', 'What is in @(file:app/.env)?'],
    ['through a link', 'What is in @file:notes.txt ?'],
    ['through a linked folder', 'What is in @file:linked/.env ?'],
  ])('is not read where a message names it %s', async (_, text) => {
    await using test = await arrange()
    const seen = await test.seenAfter(text)
    expect(seen).not.toContain('hunter2-hunter2')
    expect(seen).toContain('is closed by a rule')
  })

  it('is not read for a task whose prompt names it, by a rule of the parent either', async () => {
    await using test = await arrange({ permissions: { mode: 'bypassPermissions' } })
    const seen = await test.seenAfter('What is in @file:.env ?', [], { permissionRules: [deny] })
    expect(seen).not.toContain('hunter2-hunter2')
  })

  it('is not read where a message names it and the tools for files are off', async () => {
    await using test = await arrange({
      permissions: { mode: 'bypassPermissions' },
      toolGroups: { workspace: false },
    })
    expect(await test.seenAfter('What is in @file:.env and @file:app/a.txt ?')).not.toContain('TOKEN')
  })

  it.each<[string, (root: string) => void]>([
    ['a link that is called like rules', (root) => symlinkSync('.env', join(root, 'AGENTS.md'))],
    ['a link that is called like other rules', (root) => symlinkSync('app/.env', join(root, '.cursorrules'))],
    [
      'an import of a link',
      (root) => {
        symlinkSync('../.env', join(root, 'app/more.md'))
        writeFileSync(join(root, 'GEMINI.md'), 'See @app/more.md')
      },
    ],
    [
      'an import of a link to its folder',
      (root) => {
        writeFileSync(join(root, 'app/.env.md'), secret)
        symlinkSync('app', join(root, 'docs'))
        writeFileSync(join(root, 'GEMINI.md'), 'See @docs/.env.md and @docs/a.txt')
      },
    ],
  ])('does not come into a prompt by %s', async (_, write) => {
    await using test = await arrange({
      permissions: { mode: 'bypassPermissions', rules: [deny, { ...deny, path: 'app/.env.md' }] },
    })
    write(test.root)
    expect(await test.seenAfter('Go on.')).not.toContain('hunter2-hunter2')
  })

  it('leaves the files around it open', async () => {
    await using test = await arrange()
    const seen = await test.seenAfter('Look at @file:app/a.txt', [{ action: 'grep', pattern: 'TOKEN' }])
    expect(seen).toContain('TOKEN is read from the environment')
    expect(await test.seenAfter('Go on.', [{ action: 'move', path: 'app/a.txt', to: 'b.txt' }])).toContain(
      'moved',
    )
    expect(existsSync(join(test.root, 'b.txt'))).toBe(true)
  })
})

describe('a file that a rule asks about', () => {
  const ask: PermissionRule = { ...deny, decision: 'ask' }

  it.each<[string, Record<string, unknown>[]]>([
    ['a search of the folder', [{ action: 'grep', pattern: 'hunter2' }]],
    ['a move of its folder', [{ action: 'move', path: 'app', to: 'other' }]],
    ['deleting its folder', [{ action: 'delete', path: 'app', recursive: true }]],
  ])('is not reached without an ask by %s', async (_, made) => {
    await using test = await arrange({ permissions: { mode: 'acceptEdits', rules: [ask] } })
    expect(await test.seenAfter('Go on.', made)).not.toContain('hunter2-hunter2')
    expect(test.isWhole()).toBe(true)
  })
})

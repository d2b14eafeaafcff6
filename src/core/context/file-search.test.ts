import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/harness.ts'
import { createFileSearch, rankPath } from './file-search.ts'

function write(root: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const find = async (root: string, query = '', limit = 50) =>
  (await createFileSearch().find(root, query, limit)).items.map(({ path }) => path)

describe('the rank of a path', () => {
  it('prefers the name to the path, and what stands together to what is scattered', () => {
    const ranks = ['chat.ts', 'chat.tsx', 'old-chat.ts', 'chat.ts/x', 'cxhxaxtx.ts', 'c/h/a/t/ts'].map(
      (path) => rankPath(path, path === 'cxhxaxtx.ts' || path === 'c/h/a/t/ts' ? 'chat' : 'chat.ts'),
    )
    expect(ranks).toEqual([0, 1, 2, 3, 4, 5])
    expect(rankPath('src/index.ts', 'xsrc')).toBeUndefined()
  })
})

describe('a search', () => {
  it('finds files and folders by letters of their paths, whatever their case', async () => {
    using folder = temporaryFolder()
    write(folder.path, {
      'src/Chat/chat.ts': '',
      'src/client/http.ts': '',
      'docs/chat.md': '',
      'README.md': '',
    })
    expect(await find(folder.path, 'CHAT')).toEqual(['src/Chat', 'docs/chat.md', 'src/Chat/chat.ts'])
    expect(await find(folder.path, 'src/cl')).toEqual(['src/client', 'src/client/http.ts'])
    expect(await find(folder.path, './readme')).toEqual(['README.md'])
    expect(await find(folder.path, 'shttp')).toEqual(['src/client/http.ts'])
    expect(await find(folder.path, 'nothing at all')).toEqual([])
    expect(await find(folder.path)).toEqual([
      'src',
      'docs',
      'README.md',
      'src/Chat',
      'src/client',
      'docs/chat.md',
      'src/Chat/chat.ts',
      'src/client/http.ts',
    ])
    expect(await find(folder.path, '', 2)).toEqual(['src', 'docs'])
    const { items } = await createFileSearch().find(folder.path, 'chat', 1)
    expect(items).toEqual([{ path: 'src/Chat', kind: 'folder' }])
  })

  it('leaves out what git does, and what nobody wants', async () => {
    using folder = temporaryFolder()
    write(folder.path, {
      '.gitignore': 'dist/\n*.log\n!kept.log\n',
      'dist/a.js': '',
      'a.log': '',
      'kept.log': '',
      'sub/.gitignore': '/own\n',
      'sub/own/x': '',
      'sub/other/own/x': '',
      '.git/config': '',
      'sub/node_modules/p/index.js': '',
      '.hidden': '',
    })
    expect((await find(folder.path)).sort()).toEqual([
      '.gitignore',
      '.hidden',
      'kept.log',
      'sub',
      'sub/.gitignore',
      'sub/other',
      'sub/other/own',
      'sub/other/own/x',
    ])
  })

  it('follows no link, not out of the folder and not in circles', async () => {
    using folder = temporaryFolder()
    using outside = temporaryFolder()
    write(outside.path, { 'secret.txt': 'x' })
    write(folder.path, { 'in/file.txt': '' })
    symlinkSync(outside.path, join(folder.path, 'out'))
    symlinkSync(join(outside.path, 'secret.txt'), join(folder.path, 'link.txt'))
    symlinkSync(folder.path, join(folder.path, 'in', 'circle'))
    symlinkSync(join(outside.path, 'secret.txt'), join(folder.path, '.gitignore'))
    expect(await find(folder.path)).toEqual(['in', 'in/file.txt'])
  })

  it('passes over names that could not be typed, and takes all others as they are', async () => {
    using folder = temporaryFolder()
    const good = [
      'a b.txt',
      "it's.txt",
      '$(reboot).txt',
      '--help',
      '文档.md',
      '..data',
      '%2e%2e',
      '[x].ts',
      '😀',
    ]
    const bad = ['new\nline', 'bell\u0007', 'turn\u202Earound', 'tag<x>', 'quo"te']
    for (const name of [...good, ...bad]) writeFileSync(join(folder.path, name), '')
    writeFileSync(Buffer.concat([Buffer.from(`${folder.path}/`), Uint8Array.of(0xff, 0xfe)]), '')
    expect((await find(folder.path)).sort()).toEqual(good.sort())
  })

  it('looks at so many entries, those near the root first, and says that there are more', async () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'deep'))
    for (let index = 0; index < 60; index++) writeFileSync(join(folder.path, 'deep', `f${index}`), '')
    write(folder.path, { 'zz-near.txt': '' })
    const search = createFileSearch({ maxEntries: 50 })
    expect(await search.find(folder.path, 'near', 50)).toEqual({
      items: [{ path: 'zz-near.txt', kind: 'file' }],
      isCut: true,
    })
    expect((await search.find(folder.path, '', 100)).items).toHaveLength(50)
  })

  it('sees a new file a few seconds later, and nothing where there is no folder', async () => {
    using folder = temporaryFolder()
    let now = 0
    const search = createFileSearch({ now: () => now })
    const count = async () => (await search.find(folder.path, '', 50)).items.length
    expect(await count()).toBe(0)
    write(folder.path, { new: '' })
    expect(await count()).toBe(0)
    now = 5_000
    expect(await count()).toBe(1)
    expect(await search.find(join(folder.path, 'absent'), '', 50)).toEqual({ items: [], isCut: false })
  })

  it('gives up on rules that were made to take long', async () => {
    using folder = temporaryFolder()
    const patterns = Array.from({ length: 2_000 }, (_, index) => `**/*a*b${index}/**/c`).join('\n')
    for (let depth = 0, path = folder.path; depth < 10; depth++, path = join(path, 'd')) {
      mkdirSync(path, { recursive: true })
      writeFileSync(join(path, '.gitignore'), patterns)
      for (let index = 0; index < 100; index++) writeFileSync(join(path, `f${index}`), '')
    }
    expect(await createFileSearch().find(folder.path, 'f', 50)).toMatchObject({ isCut: true })
  })
})

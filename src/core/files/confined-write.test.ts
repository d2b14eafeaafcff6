import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { arrangeFiles, makePipe } from '../../../test/context-arrange.ts'
import { statConfined } from './stat-confined.ts'
import {
  deleteConfined,
  makeFolderConfined,
  moveConfined,
  writeConfined,
  type ChangeOptions,
} from './confined-write.ts'

/** `root` to work in, `secret` beside it, which must stay as it is. */
function arrange(files: Record<string, string> = {}) {
  const { folder, places, link } = arrangeFiles({ ...files, 'secret/s.md': 'SECRET' })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const secret = () => [readdirSync(join(folder, 'secret')), read('secret/s.md')]
  return { folder, root: places.root, link, read, secret }
}
const untouched = [['s.md'], 'SECRET']

const write = (root: string, path: string, text: string, options?: ChangeOptions) =>
  writeConfined(root, path, Buffer.from(text), options)

describe('a write', () => {
  it('makes a file or replaces it, and leaves nothing beside it', async () => {
    const { root, read } = arrange({ 'root/a.md': 'old' })
    expect(await write(root, 'a.md', 'new')).toEqual({ isNew: false })
    expect(await write(root, 'b.md', 'fresh')).toEqual({ isNew: true })
    expect(await write(root, join(root, 'c.md'), '')).toEqual({ isNew: true })
    expect([read('root/a.md'), read('root/b.md'), read('root/c.md')]).toEqual(['new', 'fresh', ''])
    expect(readdirSync(root)).toEqual(['a.md', 'b.md', 'c.md'])
  })

  it('makes folders only when told to', async () => {
    const { root, read } = arrange()
    expect(await write(root, 'x/y/a', '1')).toBe('absent')
    expect(readdirSync(root)).toEqual([])
    expect(await write(root, 'x/y/a', '1', { makesFolders: true })).toEqual({ isNew: true })
    expect(read('root/x/y/a')).toBe('1')
    expect(await write(root, 'x/y/a/b', '1', { makesFolders: true })).toBe('absent')
  })

  it('keeps the mode of the old file, without more rights than reading, writing and running', async () => {
    const { root } = arrange({ 'root/run.sh': '' })
    chmodSync(join(root, 'run.sh'), 0o4750)
    await write(root, 'run.sh', 'new')
    await write(root, 'new', '')
    expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o750)
    expect(statSync(join(root, 'new')).mode & 0o7777).toBe(0o644 & ~process.umask())
  })

  it('leaves what is there when it is not to be replaced', async () => {
    const { root, read } = arrange({ 'root/a.md': 'old' })
    expect(await write(root, 'a.md', 'new', { replaces: false })).toBe('exists')
    expect(read('root/a.md')).toBe('old')
  })

  it('follows links that stay inside and no others', async () => {
    const { root, folder, link, read, secret } = arrange({ 'root/docs/a.md': 'old', 'root-evil/x': 'evil' })
    link('root/in.md', 'docs/a.md')
    link('root/absolute.md', join(root, 'docs/a.md'))
    link('root/way', './docs/')
    link('root/docs/up', '../docs/../in.md')
    link('root/new.md', 'docs/new.md')
    for (const [number, path] of ['in.md', 'absolute.md', 'way/a.md', 'docs/up'].entries()) {
      expect(await write(root, path, `by ${number}`), path).toEqual({ isNew: false })
      expect(read('root/docs/a.md')).toBe(`by ${number}`)
    }
    expect(await write(root, 'new.md', 'through')).toEqual({ isNew: true })
    expect(readlinkSync(join(root, 'new.md'))).toBe('docs/new.md')
    expect(read('root/docs/new.md')).toBe('through')

    link('root/out.md', '../secret/s.md')
    link('root/out-new.md', '../secret/new.md')
    link('root/out', '../secret')
    link('root/far', join(folder, 'secret'))
    link('root/chain', 'out')
    link('root/docs/deep', '../../secret')
    link('root/evil', join(folder, 'root-evil'))
    link('root/back', '../root/docs')
    for (const path of [
      'out.md',
      'out-new.md',
      'out/s.md',
      'far/s.md',
      'chain/n',
      'docs/deep/s.md',
      'evil/x',
      'back/a.md',
    ])
      expect(await write(root, path, 'PWNED', { makesFolders: true }), path).toBe('outside')
    expect(secret()).toEqual(untouched)
    expect(read('root-evil/x')).toBe('evil')
  })

  it('gives up on links that lead nowhere or in circles', async () => {
    const { root, link } = arrange()
    link('root/loop', 'loop')
    link('root/ping', 'pong')
    link('root/pong', 'ping/x')
    link('root/here', '.')
    expect(await write(root, 'loop', '')).toBe('absent')
    expect(await write(root, 'ping/x', '')).toBe('absent')
    expect(await write(root, 'here', '')).toBe('folder')
    for (let number = 0; number < 45; number++) link(`root/l${number}`, `l${number + 1}`)
    expect(await write(root, 'l0', '')).toBe('absent')
    expect(await write(root, 'l10', 'near')).toEqual({ isNew: true })
  })

  it('gives a hard link a content of its own', async () => {
    const { root, folder, read, secret } = arrange()
    linkSync(join(folder, 'secret/s.md'), join(root, 'b.md'))
    expect(await write(root, 'b.md', 'mine')).toEqual({ isNew: false })
    expect(read('root/b.md')).toBe('mine')
    expect(secret()).toEqual(untouched)
  })

  it('takes nothing but regular files', async () => {
    const { root, link } = arrange({ 'root/docs/a.md': '' })
    makePipe(join(root, 'pipe'))
    const server = createServer().listen(join(root, 'socket'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    link('root/null', '/dev/null')
    expect(await write(root, 'pipe', '')).toBe('special')
    expect(await write(root, 'socket', '')).toBe('special')
    expect(await write(root, 'null', '')).toBe('outside')
    expect(await write(root, 'docs', '')).toBe('folder')
    expect(await write(root, '.', '')).toBe('folder')
    expect(await write(root, 'x'.repeat(300), '')).toBe('absent')
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })

  it('writes a single file that is the root itself, and nothing beside it', async () => {
    const { folder, read, link } = arrange({ 'other/a.md': 'old' })
    const file = join(folder, 'other/a.md')
    expect(await write(file, '', 'new')).toEqual({ isNew: false })
    expect(await write(join(folder, 'other/new.md'), '', 'made')).toEqual({ isNew: true })
    expect([read('other/a.md'), read('other/new.md')]).toEqual(['new', 'made'])
    expect(await write(file, '../b.md', '')).toBe('outside')
    expect(await write(file, 'b.md', '')).toBe('absent')
    link('other/l.md', '../secret/s.md')
    expect(await write(join(folder, 'other/l.md'), '', '')).toBe('outside')
  })

  it('stays out of forbidden folders, by name and through links', async () => {
    const { root, link, read } = arrange({ 'root/data/keys': 'KEYS' })
    link('root/way', 'data')
    const options = { makesFolders: true, forbidden: [join(root, 'data')] }
    for (const path of ['data/keys', 'data/new/x', 'way/keys', 'way/new/x', 'data'])
      expect(await write(root, path, 'PWNED', options), path).toBe('outside')
    expect([readdirSync(join(root, 'data')), read('root/data/keys')]).toEqual([['keys'], 'KEYS'])
  })
})

describe('a deletion', () => {
  it('takes a file, an empty folder, or a link itself', async () => {
    const { root, link, secret } = arrange({ 'root/a': '', 'root/full/b': '' })
    mkdirSync(join(root, 'empty'))
    link('root/out', '../secret')
    link('root/out.md', '../secret/s.md')
    expect(await deleteConfined(root, 'a')).toEqual({ isFolder: false })
    expect(await deleteConfined(root, 'empty')).toEqual({ isFolder: true })
    expect(await deleteConfined(root, 'out/s.md')).toBe('outside')
    expect(await deleteConfined(root, 'out')).toEqual({ isFolder: false })
    expect(await deleteConfined(root, 'out.md')).toEqual({ isFolder: false })
    expect(await deleteConfined(root, 'full')).toBe('filled')
    expect(await deleteConfined(root, 'none')).toBe('absent')
    expect(await deleteConfined(root, '.')).toBe('folder')
    expect(await deleteConfined(root, '../secret/s.md')).toBe('outside')
    expect(readdirSync(root)).toEqual(['full'])
    expect(secret()).toEqual(untouched)
  })

  it('takes no folder that a forbidden one is in', async () => {
    const { root } = arrange({ 'root/around/data/keys': '' })
    const options = { forbidden: [join(root, 'around/data')] }
    expect(await deleteConfined(root, 'around', options)).toBe('outside')
    expect(await moveConfined(root, 'around', root, 'elsewhere', options)).toBe('outside')
    expect(existsSync(join(root, 'around/data/keys'))).toBe(true)
  })
})

describe('a move', () => {
  it('takes files, folders and links themselves, within a root and to another', async () => {
    const { root, folder, link, read, secret } = arrange({ 'root/a': 'A', 'root/docs/b': 'B', 'other/x': '' })
    link('root/out', '../secret/s.md')
    const other = join(folder, 'other')
    expect(await moveConfined(root, 'a', root, 'c')).toEqual({ isNew: true })
    expect(await moveConfined(root, 'docs', other, 'docs')).toEqual({ isNew: true })
    expect(await moveConfined(root, 'out', root, 'link')).toEqual({ isNew: true })
    expect(await moveConfined(root, 'c', root, 'new/c', { makesFolders: true })).toEqual({ isNew: true })
    expect([read('root/new/c'), read('other/docs/b')]).toEqual(['A', 'B'])
    expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true)
    expect(secret()).toEqual(untouched)
  })

  it('replaces only when told to, and never a folder', async () => {
    const { root, read } = arrange({ 'root/a': 'A', 'root/b': 'B', 'root/docs/x': '' })
    expect(await moveConfined(root, 'a', root, 'b')).toBe('exists')
    expect(await moveConfined(root, 'a', root, 'docs', { replaces: true })).toBe('folder')
    expect(read('root/b')).toBe('B')
    expect(await moveConfined(root, 'a', root, 'b', { replaces: true })).toEqual({ isNew: false })
    expect(read('root/b')).toBe('A')
    expect(await moveConfined(root, 'a', root, 'c')).toBe('absent')
  })

  // memory is another device than the disk, where there is such a place
  const shared = '/dev/shm'
  it.runIf(existsSync(shared) && statSync(shared).dev !== statSync(tmpdir()).dev)(
    'copies a file to another device, and refuses a folder or a hard link',
    async () => {
      const { root, folder, secret } = arrange({ 'root/a': 'A'.repeat(600_000), 'root/docs/b': 'B' })
      const other = mkdtempSync(join(shared, 'parley-test-'))
      onTestFinished(() => rmSync(other, { recursive: true, force: true }))
      chmodSync(join(root, 'a'), 0o640)
      linkSync(join(folder, 'secret/s.md'), join(root, 'hard'))
      expect(await moveConfined(root, 'a', other, 'x/a', { makesFolders: true })).toEqual({ isNew: true })
      expect(await moveConfined(root, 'docs', other, 'docs')).toBe('other-device')
      expect(await moveConfined(root, 'hard', other, 'hard')).toBe('linked')
      expect(readFileSync(join(other, 'x/a'), 'utf8')).toBe('A'.repeat(600_000))
      expect(statSync(join(other, 'x/a')).mode & 0o777).toBe(0o640)
      expect(readdirSync(root)).toEqual(['docs', 'hard'])
      expect(readdirSync(other)).toEqual(['x'])
      expect(secret()).toEqual(untouched)
    },
  )

  it('leaves neither root', async () => {
    const { root, folder, link, secret } = arrange({ 'root/a': 'A', 'other/x': 'X' })
    const other = join(folder, 'other')
    link('root/out', '../secret')
    link('other/out', '../secret')
    expect(await moveConfined(root, 'out/s.md', other, 's.md')).toBe('outside')
    expect(await moveConfined(root, 'a', other, 'out/a')).toBe('outside')
    expect(await moveConfined(root, 'a', other, '../secret/a')).toBe('outside')
    expect(await moveConfined(root, 'a', other, 'out', { replaces: true })).toEqual({ isNew: false })
    expect(secret()).toEqual(untouched)
  })
})

it('makes folders, those on the way too, and none elsewhere', async () => {
  const { root, link, secret } = arrange({ 'root/file': '' })
  link('root/out', '../secret')
  expect(await makeFolderConfined(root, 'a/b/c')).toEqual({ isNew: true })
  expect(await makeFolderConfined(root, 'a/b')).toEqual({ isNew: false })
  expect(await makeFolderConfined(root, 'file')).toBe('exists')
  expect(await makeFolderConfined(root, 'file/x')).toBe('absent')
  expect(await makeFolderConfined(root, 'out/x')).toBe('outside')
  expect(await makeFolderConfined(root, '../x')).toBe('outside')
  expect(statSync(join(root, 'a/b/c')).isDirectory()).toBe(true)
  expect(secret()).toEqual(untouched)
})

it('looks at a link without following it', async () => {
  const { root, link } = arrange({ 'root/a': 'A' })
  link('root/out', '../secret')
  const look = async (path: string) => statConfined(root, path)
  expect(((await look('out')) as { isSymbolicLink(): boolean }).isSymbolicLink()).toBe(true)
  expect(await look('out/s.md')).toBe('outside')
  expect(await look('a')).toMatchObject({ size: 1n })
  expect(await look('none')).toBe('absent')
  expect(await look('')).toBe('folder')
})

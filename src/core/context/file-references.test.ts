import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { arrangeFiles, fillFolder, makePipe } from '../../../test/context-arrange.ts'
import { resolveFileReferences, type FileReferenceOptions } from './file-references.ts'
import { createReferenceParser } from './references.ts'

const { parseReferences } = createReferenceParser()

const resolveIn = (root: string, text: string, options?: FileReferenceOptions) =>
  resolveFileReferences(parseReferences(text), root, options)

it('reads each file once, in the order of the text, and lists folders', async () => {
  const { places } = arrangeFiles({
    'root/a.md': '\uFEFFA\r\n',
    'root/文档/说明 书.md': '说明',
    'root/src/x.ts': '',
    'root/src/deep/y.ts': '',
  })
  const text = '@(file:文档/说明 书.md) @file:./a.md @file:src/../a.md @doc:1 @file:src @file:src/x.ts'
  expect(await resolveIn(places.root, text)).toMatchObject([
    { kind: 'file', path: '文档/说明 书.md', text: '说明', bytes: 6, isCut: false },
    { kind: 'file', path: 'a.md', text: 'A\n' },
    { kind: 'folder', path: 'src', text: 'deep/\nx.ts' },
    { kind: 'file', path: 'src/x.ts', text: '' },
  ])
})

it('takes absolute paths inside the root, also by the name of a link to it', async () => {
  const { places, folder, link } = arrangeFiles({ 'root/a.md': 'A' })
  link('link', 'root')
  for (const root of [places.root, join(folder, 'link')])
    expect(await resolveIn(root, `@file:${root}/a.md`)).toMatchObject([
      { kind: 'file', path: 'a.md', text: 'A' },
    ])
})

it('leaves a note for what is missing, outside, special, or of another scope', async () => {
  const { places, link } = arrangeFiles({ 'secret/s.md': 'SECRET', 'root/a.md': 'A' })
  link('root/out.md', '../secret/s.md')
  link('root/out', '../secret')
  makePipe(join(places.root, 'pipe'))
  const text =
    '@file:none.md @file:../secret/s.md @file:/etc/passwd @file:out.md @file:out @file:out/s.md @file:pipe ' +
    '@(other:file:a.md) @(mine:file:a.md)'
  const resolved = await resolveIn(places.root, text, { scope: 'mine' })
  expect(resolved.map(({ kind, text: note }) => (kind === 'unresolved' ? note : kind))).toEqual([
    '[@file:none.md was not found.]',
    '[@file:../secret/s.md is outside the folder of this scope.]',
    '[@file:/etc/passwd is outside the folder of this scope.]',
    '[@file:out.md is outside the folder of this scope.]',
    '[@file:out is outside the folder of this scope.]',
    '[@file:out/s.md is outside the folder of this scope.]',
    '[@file:pipe is not a regular file.]',
    '[@(other:file:a.md) belongs to another scope.]',
    'file',
  ])
  expect(JSON.stringify(resolved)).not.toContain('SECRET')
})

it('cuts large files with a notice and only names binary ones', async () => {
  const { places } = arrangeFiles({
    'root/big.txt': '规'.repeat(100),
    'root/a.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
    'root/latin.bin': Buffer.alloc(50, 0xff),
    'root/sparse.md': '',
  })
  truncateSync(join(places.root, 'sparse.md'), 10e9)
  const text = '@file:big.txt @file:a.png @file:latin.bin @file:sparse.md'
  const [big, png, latin, sparse] = await resolveIn(places.root, text, { maxBytes: 100 })
  expect(big).toMatchObject({
    text: `${'规'.repeat(33)}\n[Cut: only the first 100 of 300 bytes of big.txt were read.]`,
    isCut: true,
  })
  expect(png).toMatchObject({ kind: 'binary', text: '[a.png is not text: 6 bytes.]' })
  expect(latin).toMatchObject({ kind: 'binary' })
  expect(sparse).toMatchObject({ kind: 'binary', bytes: 10e9 })
})

it('bounds the number of files and of entries', async () => {
  const { places } = arrangeFiles({ 'root/empty/.keep': '' })
  fillFolder(join(places.root, 'crowd'), 300)
  const [crowd, one, two] = await resolveIn(
    places.root,
    '@file:crowd @file:crowd/noise-1 @file:crowd/noise-2',
    {
      maxFiles: 2,
    },
  )
  expect(crowd?.text.split('\n')).toHaveLength(201)
  expect(crowd?.text).toContain('[Cut: the folder has more than 200 entries.]')
  expect(one?.kind).toBe('file')
  expect(two?.text).toBe('[@file:crowd/noise-2 was not read: there are more than 2 files.]')
})

it('gives notes and no error when the root is missing', async () => {
  const { folder } = arrangeFiles()
  expect(await resolveIn(join(folder, 'none'), '@file:a.md @(file:.)')).toMatchObject([
    { kind: 'unresolved' },
    { kind: 'unresolved' },
  ])
})

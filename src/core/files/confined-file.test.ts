import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { linkSync, mkdirSync, truncateSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { arrangeFiles, fillFolder, makePipe } from '../../../test/context-arrange.ts'
import { isInside } from './file-rules.ts'
import { listConfined, readConfined } from './confined-file.ts'

const textOf = async (folder: string, path: string) => {
  const file = await readConfined(folder, path, 1_000)
  return typeof file === 'string' ? file : file.content.toString()
}

describe('a read', () => {
  it('gives the start of a file and says whether there is more', async () => {
    const { places } = arrangeFiles({ 'root/a.md': '12345', 'root/empty': '' })
    expect(await readConfined(places.root, 'a.md', 5)).toMatchObject({
      content: Buffer.from('12345'),
      isCut: false,
    })
    expect(await readConfined(places.root, 'a.md', 4)).toMatchObject({
      content: Buffer.from('1234'),
      isCut: true,
    })
    expect(await readConfined(places.root, 'empty', 5)).toMatchObject({
      content: Buffer.alloc(0),
      isCut: false,
    })
  })

  it('follows links that stay inside and no others', async () => {
    const { places, link, folder } = arrangeFiles({
      'root/docs/a.md': 'inside',
      'secret/s.md': 'SECRET',
      'root-evil/s.md': 'SECRET',
    })
    link('root/in.md', 'docs/a.md')
    link('root/out.md', '../secret/s.md')
    link('root/out', '../secret')
    link('root/far.md', join(folder, 'secret/s.md'))
    link('root/chain.md', 'out.md')
    link('root/loop', 'loop')
    link('root/broken', 'nowhere')
    expect(await textOf(places.root, 'in.md')).toBe('inside')
    for (const path of ['out.md', 'out/s.md', 'far.md', 'chain.md', '../root-evil/s.md', '../secret/s.md'])
      expect(await textOf(places.root, path), path).toBe('outside')
    for (const path of ['loop', 'broken', 'docs/../broken', 'in.md/x'])
      expect(await textOf(places.root, path), path).toBe('absent')
  })

  it.each([
    '..',
    '../..',
    'docs/../../secret/s.md',
    '/etc/passwd',
    '/proc/self/root/etc/passwd',
    '/dev/zero',
    './../secret/s.md',
    '..//secret/s.md',
    '%2e%2e/secret/s.md',
    '..%2fsecret/s.md',
    '..\\secret\\s.md',
    '~/s.md',
    'file:///etc/passwd',
    'a.md\0.png',
    '\0',
    'x'.repeat(300),
    'x/'.repeat(5_000),
    '..\u2215secret/s.md',
    '．．/secret/s.md',
  ])('refuses %j', async (path) => {
    const { places } = arrangeFiles({ 'root/a.md': 'x', 'secret/s.md': 'SECRET' })
    expect(['outside', 'absent']).toContain(await textOf(places.root, path))
  })

  it('does not wait for a pipe, a socket or a device, and does not read a folder', async () => {
    const { places, link } = arrangeFiles({ 'root/docs/a.md': '' })
    makePipe(join(places.root, 'pipe'))
    const server = createServer().listen(join(places.root, 'socket'))
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    link('root/zero', '/dev/zero')
    expect(await textOf(places.root, 'pipe')).toBe('special')
    expect(await textOf(places.root, 'socket')).toBe('special')
    expect(await textOf(places.root, 'zero')).toBe('special')
    expect(await textOf(places.root, 'docs')).toBe('folder')
    expect(await textOf(places.root, '.')).toBe('folder')
  })

  it('takes a bounded part of a file of 10 GB', async () => {
    const { places } = arrangeFiles({ 'root/big.md': 'start' })
    truncateSync(join(places.root, 'big.md'), 10e9)
    const file = await readConfined(places.root, 'big.md', 100)
    expect(file).toMatchObject({ isCut: true })
    expect(typeof file === 'object' && file.content.length).toBe(100)
  })

  it('refuses a file with a second name, which may lie anywhere', async () => {
    const { places, folder } = arrangeFiles({ 'root/a.md': 'same', 'secret/s.md': 'SECRET' })
    linkSync(join(folder, 'secret/s.md'), join(places.root, 'b.md'))
    expect(await textOf(places.root, 'b.md')).toBe('linked')
    expect(await textOf(places.root, 'a.md')).toBe('same')
  })

  it('takes a forbidden folder for outside, by its name and through links', async () => {
    const { places, link } = arrangeFiles({ 'root/data/keys': 'SECRET', 'root/database/a': 'fine' })
    link('root/way', 'data')
    link('root/keys', 'data/keys')
    const forbidden = [join(places.root, 'data')]
    for (const path of ['data/keys', 'data', 'data/none', 'way/keys', 'keys', 'database/../data/keys'])
      expect(await readConfined(places.root, path, 100, { forbidden }), path).toBe('outside')
    for (const path of ['data', 'way', './data/'])
      expect(await listConfined(places.root, path, 100, { forbidden }), path).toBe('outside')
    expect(await readConfined(places.root, 'database/a', 100, { forbidden })).toMatchObject({ isCut: false })
    // a root within it was opened on purpose
    expect(await readConfined(forbidden[0]! + '/inner', 'x', 100, { forbidden })).toBe('absent')
  })

  it('stays inside while another process swaps the folder for a link', { timeout: 120_000 }, async () => {
    const { places, folder } = arrangeFiles({ 'root/sub/f': 'inside', 'secret/f': 'SECRET' })
    const swapper = spawn(process.execPath, ['-e', swap, join(places.root, 'sub'), join(folder, 'secret')])
    onTestFinished(() => void swapper.kill('SIGKILL'))
    await once(swapper.stdout, 'data')
    const seen = new Map<string, number>()
    // until both sides of the swap were met, or nothing was tried
    for (let count = 0; count < 2_000 || !seen.has('inside') || !seen.has('outside'); count++) {
      const text = await textOf(places.root, 'sub/f')
      seen.set(text, (seen.get(text) ?? 0) + 1)
    }
    expect(seen.get('SECRET')).toBeUndefined()
  })
})

const swap = `
  const fs = require('node:fs')
  const [sub, secret] = process.argv.slice(1)
  console.log('started')
  for (;;) {
    fs.renameSync(sub, sub + '.real')
    fs.symlinkSync(secret, sub)
    fs.unlinkSync(sub)
    fs.renameSync(sub + '.real', sub)
  }`

describe('a list', () => {
  it('is sorted and says what is a folder', async () => {
    const { places } = arrangeFiles({ 'root/b': '', 'root/a/x': '', 'root/文': '' })
    const listed = await listConfined(places.root, '.', 10)
    expect(
      typeof listed === 'object' && listed.entries.map((entry) => [entry.name, entry.isDirectory()]),
    ).toEqual([
      ['a', true],
      ['b', false],
      ['文', false],
    ])
  })

  it('does not leave the folder, and refuses what is none', async () => {
    const { places, link } = arrangeFiles({ 'root/f': '', 'secret/s': '' })
    link('root/out', '../secret')
    mkdirSync(join(places.root, 'in'))
    expect(await listConfined(places.root, 'out', 10)).toBe('outside')
    expect(await listConfined(places.root, '..', 10)).toBe('outside')
    expect(await listConfined(places.root, 'f', 10)).toBe('absent')
    expect(await listConfined(places.root, 'none', 10)).toBe('absent')
    expect(await listConfined(places.root, 'in', 10)).toMatchObject({ entries: [], isCut: false })
  })

  it('ends early in a crowded folder', async () => {
    const { places } = arrangeFiles()
    fillFolder(join(places.root, 'crowd'), 150)
    const listed = await listConfined(places.root, 'crowd', 100)
    expect(listed).toMatchObject({ isCut: true })
    expect(typeof listed === 'object' && listed.entries.length).toBe(100)
  })
})

it.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/a/..b', true],
  ['/a', '/ab', false],
  ['/a', '/', false],
  ['/', '/a', true],
])('knows whether in %s lies %s: %s', (folder, path, expected) => {
  expect(isInside(folder, path)).toBe(expected)
})

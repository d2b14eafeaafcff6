import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createParley } from '../src/parley.ts'
import { messageText } from '../src/core/protocol/message-text.ts'
import { shownPath } from '../src/core/files/workspaces.ts'
import { defineTool, type Tool } from '../src/core/tools/tool.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { arrangeFileTool } from './file-harness.ts'
import { temporaryFolder } from './harness.ts'

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

describe('list', () => {
  it('shows folders, links and files in order', async () => {
    const { call, link } = arrangeFileTool({
      'root/b.md': '',
      'root/a/x': '',
      'root/.env': '',
      'granted/g': '',
    })
    link('root/to-b', 'b.md')
    expect(await call({ action: 'list' })).toEqual({ path: '.', entries: ['.env', 'a/', 'b.md', 'to-b@'] })
    expect(await call({ action: 'list', path: 'a' })).toEqual({ path: 'a', entries: ['x'] })
    expect(await call({ action: 'list', workspace: 'session' })).toEqual({
      path: '.',
      workspace: 'session',
      entries: [],
    })
    await expect(call({ action: 'list', path: 'b.md' })).rejects.toThrow(/"b.md" was not found/)
  })
})

describe('read', () => {
  it('gives a text as it is, or a range with line numbers', async () => {
    const { call } = arrangeFileTool({ 'root/a.md': 'one\r\ntwo\r\nthree\r\n', 'root/empty': '' })
    expect(await call({ action: 'read', path: 'a.md' })).toBe('one\ntwo\nthree')
    expect(await call({ action: 'read', path: 'a.md', start_line: 2, end_line: 3, numbers: true })).toBe(
      '2\ttwo\n3\tthree',
    )
    expect(await call({ action: 'read', path: 'a.md', end_line: 1 })).toBe(
      'one\n[Up to line 1; the file has 3 lines.]',
    )
    expect(await call({ action: 'read', path: 'empty' })).toBe('[The file is empty.]')
    await expect(call({ action: 'read', path: 'a.md', start_line: 4 })).rejects.toThrow(
      /nothing in lines 4 to 3: the file has 3 lines/,
    )
  })

  it('cuts a long text with what to do next, until all of it was seen', async () => {
    const text = numbered(400)
    const { call } = arrangeFileTool({ 'root/long.txt': text }, { maxOutput: 1_500 })
    const pieces: string[] = []
    for (let line: number | undefined = 1; line !== undefined;) {
      const piece = (await call({ action: 'read', path: 'long.txt', start_line: line })) as string
      expect(piece.length).toBeLessThan(1_500)
      const cut: RegExpExecArray | null =
        /\n\[Cut: go on with start_line (\d+); the file has 400 lines\.\]$/.exec(piece)
      pieces.push(cut ? piece.slice(0, cut.index) : piece)
      line = cut ? Number(cut[1]) : undefined
    }
    expect(pieces.join('\n')).toBe(text)
  })

  it('cuts within a line that is too long alone, without breaking a character', async () => {
    const text = `short\n${'😀'.repeat(1_700)}\nend`
    const { call } = arrangeFileTool({ 'root/wide.txt': text }, { maxOutput: 1_501 })
    let whole = ''
    let at = { start_line: 2, offset: 0 }
    for (let reads = 0; reads < 20; reads++) {
      const piece = (await call({ action: 'read', path: 'wide.txt', ...at })) as string
      const cut = /\n\[Cut: go on with start_line (\d+) and offset (\d+)/.exec(piece)
      whole += cut ? piece.slice(0, cut.index) : piece
      if (!cut) break
      at = { start_line: Number(cut[1]), offset: Number(cut[2]) }
    }
    expect(whole).toBe(`${'😀'.repeat(1_700)}\nend`)
  })

  it('refuses what is not text, and says what is not there', async () => {
    const { call } = arrangeFileTool({ 'root/image': Buffer.from([137, 80, 0, 1]), 'root/docs/a': '' })
    await expect(call({ action: 'read', path: 'image' })).rejects.toThrow('"image" is not text (4 bytes).')
    await expect(call({ action: 'read', path: 'none' })).rejects.toThrow(
      /"none" was not found. List its folder/,
    )
    await expect(call({ action: 'read', path: 'docs' })).rejects.toThrow(/"docs" is a folder/)
  })
})

describe('write', () => {
  it('says whether it made or replaced a file, and makes the folders', async () => {
    const { call, folder, kept } = arrangeFileTool()
    const input = { action: 'write', path: 'docs/a.md' }
    expect(await call({ ...input, content: '文' })).toEqual({
      path: 'docs/a.md',
      status: 'created',
      bytes: 3,
    })
    expect(await call({ ...input, content: 'b' })).toEqual({
      path: 'docs/a.md',
      status: 'replaced',
      bytes: 1,
    })
    expect(await call({ ...input, workspace: 'session', content: '' })).toMatchObject({
      workspace: 'session',
      status: 'created',
    })
    expect(readFileSync(join(folder, 'root/docs/a.md'), 'utf8')).toBe('b')
    expect(kept.map(shownPath)).toEqual(['docs/a.md', 'docs/a.md', 'docs/a.md'])
  })

  it('changes nothing when what was there cannot be kept', async () => {
    const { call, folder } = arrangeFileTool({ 'root/a': 'old' })
    const full = () => Promise.reject(new Error('no room'))
    const changes = { keepFile: full, keep: full }
    for (const input of [
      { action: 'write', path: 'a', content: 'new' },
      { action: 'edit', path: 'a', edits: [{ old: 'old', new: 'new' }] },
      { action: 'move', path: 'a', to: 'b' },
      { action: 'delete', path: 'a' },
    ])
      await expect(call(input, { changes })).rejects.toThrow('no room')
    expect(readFileSync(join(folder, 'root/a'), 'utf8')).toBe('old')
  })
})

describe('edit', () => {
  it('replaces several pieces at once, each on what the one before left', async () => {
    const { call, folder } = arrangeFileTool({ 'root/a.ts': 'const a = 1\nconst b = 2\nuse(a, a)\n' })
    const edits = [
      { old: 'a', new: 'first', all: true },
      { old: 'use(first, first)', new: '$&' },
    ]
    await expect(
      call({ action: 'edit', path: 'a.ts', edits: [{ old: 'const', new: 'let' }] }),
    ).rejects.toThrow(/in the file 2 times \(lines 1, 2\); nothing was changed/)
    expect(await call({ action: 'edit', path: 'a.ts', edits })).toEqual({
      path: 'a.ts',
      status: 'edited',
      changes: [
        { line: 1, count: 3 },
        { line: 3, count: 1 },
      ],
    })
    expect(readFileSync(join(folder, 'root/a.ts'), 'utf8')).toBe('const first = 1\nconst b = 2\n$&\n')
  })

  const grow = (from: string, to: string) => ({ old: from, new: to, all: true })
  const tenfold = grow('a', 'a'.repeat(10))
  it.each([
    ['nine times tenfold', 'a'.repeat(1_000), Array.from({ length: 9 }, () => tenfold)],
    ['one piece in many places', 'a'.repeat(1_000), [grow('a', 'b'.repeat(2_000_000))]],
    ['twice as long, a hundred times', 'a', Array.from({ length: 100 }, () => grow('a', 'aa'))],
    ['by turns', 'a', Array.from({ length: 50 }, (_, at) => (at % 2 ? grow('b', 'aaa') : grow('a', 'bb')))],
    [
      'the line ends of Windows',
      'a\r\n'.repeat(1_000),
      Array.from({ length: 9 }, () => grow('\n', '\n\n\n\n\n\n')),
    ],
    ['at last', 'a'.repeat(10), [tenfold, tenfold, grow('a', 'b'), grow('b', 'c'.repeat(20_000))]],
  ])(
    'refuses edits that make too long a file together, whatever each does: %s',
    async (_case, text, edits) => {
      const { call, folder } = arrangeFileTool({ 'root/a.txt': text })
      await expect(call({ action: 'edit', path: 'a.txt', edits })).rejects.toThrow(
        /would have \d+ characters; the most is 10485760|too often: at most 100000 places/,
      )
      expect(readFileSync(join(folder, 'root/a.txt'), 'utf8')).toBe(text)
    },
  )

  it('makes edits that grow and shrink the file within the limit', async () => {
    const { call, folder } = arrangeFileTool({ 'root/a.txt': 'a'.repeat(1_000) })
    await call({ action: 'edit', path: 'a.txt', edits: [tenfold, grow('aaaaaaaaaa', 'b'), grow('b', 'cc')] })
    expect(readFileSync(join(folder, 'root/a.txt'), 'utf8')).toBe('c'.repeat(2_000))
  })

  it('makes all of the edits or none, and shows what is nearest', async () => {
    const text = 'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n'
    const { call, folder, kept } = arrangeFileTool({ 'root/a.ts': text })
    const edits = [
      { old: 'return 1', new: 'return 10' },
      { old: 'function tow() {', new: 'x' },
    ]
    await expect(call({ action: 'edit', path: 'a.ts', edits })).rejects.toThrow(
      /"old" of edit 2 is not in the file; nothing was changed. The nearest lines are:\n4\t\n5\tfunction two\(\) \{/,
    )
    await expect(
      call({ action: 'edit', path: 'a.ts', edits: [{ old: '    return 2', new: 'x' }] }),
    ).rejects.toThrow(/White space or later lines differ; the nearest lines are:[^]*6\t {2}return 2/)
    await expect(
      call({ action: 'edit', path: 'a.ts', edits: [{ old: 'zzzzzzzzzzzz', new: 'x' }] }),
    ).rejects.toThrow(/Nothing in it is like that/)
    await expect(call({ action: 'edit', path: 'a.ts', edits: [{ old: '}', new: '}' }] })).rejects.toThrow(
      /are the same/,
    )
    expect(readFileSync(join(folder, 'root/a.ts'), 'utf8')).toBe(text)
    expect(kept).toEqual([])
  })

  it('keeps line ends and a byte order mark, and leaves alone what is not UTF-8', async () => {
    const latin = Buffer.from([0x63, 0x61, 0x66, 0xe9])
    const { call, folder } = arrangeFileTool({
      'root/crlf': '\uFEFFone\r\ntwo\r\n',
      'root/mixed': 'a\r\nb\nc',
      'root/latin': latin,
    })
    await call({ action: 'edit', path: 'crlf', edits: [{ old: 'one\ntwo', new: 'three\nfour\nfive' }] })
    await call({ action: 'edit', path: 'mixed', edits: [{ old: 'b', new: 'B' }] })
    await expect(call({ action: 'edit', path: 'latin', edits: [{ old: 'caf', new: 'x' }] })).rejects.toThrow(
      /not UTF-8/,
    )
    expect(readFileSync(join(folder, 'root/crlf'), 'utf8')).toBe('\uFEFFthree\r\nfour\r\nfive\r\n')
    expect(readFileSync(join(folder, 'root/mixed'), 'utf8')).toBe('a\r\nB\nc')
    expect(readFileSync(join(folder, 'root/latin'))).toEqual(latin)
  })
})

describe('move and promote', () => {
  it('moves files and folders, keeping both ends first', async () => {
    const { call, folder, kept } = arrangeFileTool({
      'root/a': 'A',
      'root/b': 'B',
      'root/docs/x': 'X',
      'root/docs/y/z': 'Z',
    })
    expect(await call({ action: 'move', path: 'a', to: 'new/a' })).toEqual({
      from: { path: 'a' },
      to: { path: 'new/a' },
      status: 'moved',
    })
    await expect(call({ action: 'move', path: 'b', to: 'new/a' })).rejects.toThrow(
      /"new\/a" is there already/,
    )
    expect(await call({ action: 'move', path: 'b', to: 'new/a', overwrite: true })).toMatchObject({
      status: 'moved and replaced',
    })
    await expect(call({ action: 'move', path: 'docs', to: 'docs/y/inner' })).rejects.toThrow(/into itself/)
    await expect(call({ action: 'move', path: 'new/a', to: 'docs' })).rejects.toThrow(
      /"docs" is a folder: say the whole new path/,
    )
    await expect(call({ action: 'move', path: 'none', to: 'docs/n' })).rejects.toThrow(/"none" was not found/)
    kept.length = 0
    await call({ action: 'move', path: 'docs', to: 'text' })
    expect(kept.map(shownPath)).toEqual(['docs/x', 'text/x', 'docs/y/z', 'text/y/z'])
    expect(readFileSync(join(folder, 'root/text/y/z'), 'utf8')).toBe('Z')
  })

  it('takes a file of the session into main', async () => {
    const { call, folder } = arrangeFileTool({ 'data/workspaces/ses_1/draft.md': 'D', 'root/a': '' })
    expect(await call({ action: 'promote', path: 'draft.md', to: 'docs/final.md' })).toEqual({
      from: { path: 'draft.md', workspace: 'session' },
      to: { path: 'docs/final.md' },
      status: 'moved',
    })
    expect(readFileSync(join(folder, 'root/docs/final.md'), 'utf8')).toBe('D')
    await expect(call({ action: 'promote', path: 'a', workspace: 'main' })).rejects.toThrow(
      /"promote" takes a file of the session/,
    )
  })
})

describe('delete', () => {
  it('takes a folder with content only when told to, and keeps every file first', async () => {
    const { call, folder, kept, link } = arrangeFileTool({
      'root/docs/a': '',
      'root/docs/b/c': '',
      'root/keep/k': '',
      'root/x': '',
    })
    link('root/docs/link', '../keep')
    expect(await call({ action: 'delete', path: 'x' })).toEqual({ path: 'x', status: 'deleted' })
    await expect(call({ action: 'delete', path: 'docs' })).rejects.toThrow(/not empty. Set "recursive"/)
    kept.length = 0
    expect(await call({ action: 'delete', path: 'docs', recursive: true })).toEqual({
      path: 'docs',
      status: 'deleted',
      entries: 5,
    })
    expect(kept.map(shownPath)).toEqual(['docs/a', 'docs/b/c', 'docs/link'])
    expect(readdirSync(join(folder, 'root'))).toEqual(['keep'])
    expect(existsSync(join(folder, 'root/keep/k'))).toBe(true)
    await expect(call({ action: 'delete', path: '.', recursive: true })).rejects.toThrow(/workspace itself/)
  })

  it('takes a link and not what it leads to', async () => {
    const { call, folder, link } = arrangeFileTool({ 'root/keep/k': '' })
    link('root/link', 'keep')
    await call({ action: 'delete', path: 'link', recursive: true })
    expect(readdirSync(join(folder, 'root'))).toEqual(['keep'])
    expect(readdirSync(join(folder, 'root/keep'))).toEqual(['k'])
  })
})

describe('glob', () => {
  const files = {
    'root/a.md': '',
    'root/docs/b.md': '',
    'root/docs/deep/c.md': '',
    'root/docs/d.ts': '',
    'root/node_modules/p/e.md': '',
    'root/.git/f.md': '',
    'root/.gitignore': 'out/\n*.tmp.md\n',
    'root/docs/.ignore': 'deep\n!x.tmp.md\n',
    'root/out/g.md': '',
    'root/x.tmp.md': '',
    'root/docs/x.tmp.md': '',
  }
  const lines = async (found: Promise<unknown>) => String(await found).split('\n')

  it('finds files in every folder, in order, and leaves out what ignore files name', async () => {
    const { call } = arrangeFileTool(files)
    expect(await lines(call({ action: 'glob', pattern: '**/*.md' }))).toEqual([
      'a.md',
      'docs/b.md',
      'docs/x.tmp.md',
    ])
    expect(await lines(call({ action: 'glob', pattern: '*.md' }))).toEqual(['a.md'])
    expect(await lines(call({ action: 'glob', pattern: 'docs/*.{md,ts}' }))).toEqual([
      'docs/b.md',
      'docs/d.ts',
      'docs/x.tmp.md',
    ])
    expect(await lines(call({ action: 'glob', pattern: '*.md', path: 'docs' }))).toEqual([
      'docs/b.md',
      'docs/x.tmp.md',
    ])
    expect(await lines(call({ action: 'glob', pattern: '**', path: 'docs/deep' }))).toEqual([
      'docs/deep/c.md',
    ])
    expect(await call({ action: 'glob', pattern: '*.py' })).toBe('No such files.')
    const all = await lines(call({ action: 'glob', pattern: '**/*.md', include_ignored: true }))
    expect(all).toEqual([
      '.git/f.md',
      'a.md',
      'docs/b.md',
      'docs/deep/c.md',
      'docs/x.tmp.md',
      'node_modules/p/e.md',
      'out/g.md',
      'x.tmp.md',
    ])
  })

  it('puts the newest first when asked, and stops at a limit', async () => {
    const { call, folder } = arrangeFileTool({ 'root/a': '', 'root/b': '', 'root/c': '' })
    for (const [age, name] of ['c', 'a', 'b'].entries())
      utimesSync(join(folder, 'root', name), 0, 1_000_000 - age)
    expect(await lines(call({ action: 'glob', pattern: '*', newest_first: true }))).toEqual(['c', 'a', 'b'])
    expect(await call({ action: 'glob', pattern: '*', limit: 2 })).toMatch(/^a\nb\n\[1 more;/)
  })

  it('says why a pattern will not do', async () => {
    const { call } = arrangeFileTool()
    await expect(call({ action: 'glob', pattern: '{a,b}'.repeat(12) })).rejects.toThrow(
      /cannot be looked for: it stands for more than 1000 characters/,
    )
    await expect(call({ action: 'glob', pattern: '../*' })).rejects.toThrow(/cannot lead upwards/)
  })
})

describe('grep', () => {
  const files = {
    'root/a.ts': 'const one = 1\nconst two = 2\n// One more\n',
    'root/src/b.ts': 'x\ny\none.two\nz\n',
    'root/src/c.md': 'ONE\n',
    'root/image': Buffer.from([0x6f, 0x6e, 0x65, 0]),
    'root/.gitignore': 'out\n',
    'root/out/d.ts': 'one\n',
  }

  it('finds lines by expression or plain text, whatever their case', async () => {
    const { call } = arrangeFileTool(files)
    expect(await call({ action: 'grep', pattern: 'o.e' })).toBe(
      'a.ts\n1: const one = 1\n3: // One more\n\nsrc/b.ts\n3: one.two\n\nsrc/c.md\n1: ONE\n[1 files were left out: not text, or over 5 MiB.]',
    )
    expect(await call({ action: 'grep', pattern: 'one.t', fixed: true, path: 'src' })).toBe(
      'src/b.ts\n3: one.two',
    )
    expect(await call({ action: 'grep', pattern: 'ONE', case_sensitive: true, files: '*.md' })).toBe(
      'src/c.md\n1: ONE',
    )
    expect(await call({ action: 'grep', pattern: '^one', files: 'src/*.ts', context: 1 })).toBe(
      'src/b.ts\n2- y\n3: one.two\n4- z',
    )
    expect(await call({ action: 'grep', pattern: 'two', path: 'a.ts' })).toBe('a.ts\n2: const two = 2')
    expect(await call({ action: 'grep', pattern: 'none', files: '*.ts' })).toBe('No matches in 2 files.')
    expect(await call({ action: 'grep', pattern: 'one', path: 'out' })).toBe('out/d.ts\n1: one')
    expect(await call({ action: 'grep', pattern: 'one', limit: 1 })).toMatch(
      /^a.ts\n1: const one = 1\n\[Stopped after 1 matches;/,
    )
    await expect(call({ action: 'grep', pattern: '(' })).rejects.toThrow(
      /Invalid regular expression.*set "fixed"/,
    )
    await expect(call({ action: 'grep', pattern: 'x', path: 'none' })).rejects.toThrow(/"none" was not found/)
  })

  it('shows the stretch around a match in a line without end', async () => {
    const { call } = arrangeFileTool({ 'root/min.js': `${'x'.repeat(50_000)}needle${'y'.repeat(50_000)}` })
    const found = (await call({ action: 'grep', pattern: 'needle' })) as string
    expect(found).toMatch(/^min\.js\n1: …x{100}needley+…$/)
    expect(found.length).toBeLessThan(600)
  })

  it('ends an expression that would take for ever, while everything else goes on', async () => {
    const { call } = arrangeFileTool(
      { 'root/a.txt': 'fine\n', 'root/b.txt': `${'a'.repeat(60)}!\n` },
      { searchMs: 3_000 },
    )
    let beats = 0
    const heart = setInterval(() => beats++, 20)
    const found = await call({ action: 'grep', pattern: '^(a+)+$|fine' })
    clearInterval(heart)
    expect(found).toMatch(/^a.txt\n1: fine\n\[Stopped after 3 s in b.txt; a simpler pattern/)
    expect(beats).toBeGreaterThan(5)
  })

  it('stops with its turn', async () => {
    const { call } = arrangeFileTool({ 'root/b.txt': `${'a'.repeat(60)}!\n` })
    const stop = new AbortController()
    const found = call({ action: 'grep', pattern: '^(a+)+$' }, { signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(found).rejects.toThrow('stopped')
  })
})

describe('bounds', () => {
  it('are told before a call is made, and kept by it', async () => {
    const { tool, call, workspaces, folder } = arrangeFileTool({
      'data/credentials.json': 'KEY',
      'secret/s': 'S',
    })
    const access = (input: object) => tool.access!(input, workspaces)
    const main = workspaces.main!
    expect(access({ action: 'read', path: 'a' })).toEqual({
      action: 'read',
      effect: 'read',
      resources: [join(main, 'a')],
      opens: [join(main, 'a')],
    })
    expect(access({ action: 'list' })).toEqual({ action: 'list', effect: 'read', resources: [main] })
    expect(access({ action: 'move', path: 'a', to: '/etc/x' })).toEqual({
      action: 'move',
      effect: 'write',
      resources: [join(main, 'a'), '/etc/x'],
      outside: ['/etc/x'],
      opens: [join(main, 'a'), '/etc/x'],
    })
    expect(access({ action: 'promote', path: 'a' }).resources).toEqual([
      join(workspaces.session!, 'a'),
      join(main, 'a'),
    ])
    // a grant would not help these: they are refused when they are made
    expect(access({ action: 'delete', path: '../secret/s' }).outside).toBeUndefined()
    expect(access({ action: 'read', path: join(folder, 'data/credentials.json') }).outside).toBeUndefined()
    await expect(call({ action: 'read', path: '../secret/s' })).rejects.toThrow(
      /^OUT_OF_BOUNDS: "..\/secret\/s" is in no workspace/,
    )
    await expect(call({ action: 'read', path: join(folder, 'data/credentials.json') })).rejects.toThrow(
      /^OUT_OF_BOUNDS:/,
    )
    const { rejects } = expect(call({ action: 'read', path: 'a' }, { workspaces: { granted: [] } }))
    await rejects.toThrow(/^OUT_OF_BOUNDS: .* no workspace/)
  })

  it('say which field is missing', async () => {
    const { call } = arrangeFileTool()
    await expect(call({ action: 'write', path: 'a' })).rejects.toThrow('"write" needs "content".')
    await expect(call({ action: 'move' })).rejects.toThrow('"move" needs "path" and "to".')
    await expect(call({ action: 'grep' })).rejects.toThrow('"grep" needs "pattern".')
    await expect(call({ action: 'read', path: 'x'.repeat(4_097) })).rejects.toThrow('does not fit')
    await expect(call({ action: 'read', path: '' })).rejects.toThrow('does not fit')
  })
})

/** A Parley whose data folder lies in the folder of its scope. */
async function openParley(script: Script, options: { tools?: Tool[]; maxToolOutput?: number } = {}) {
  const folder = temporaryFolder()
  const root = join(folder.path, 'project')
  const dataDir = join(root, '.parley-data')
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'credentials.json'), '{}')
  writeFileSync(join(root, 'notes.md'), 'Buy milk.\n')
  const model = createScripted(script)
  const parley = await createParley({
    dataDir,
    scopes: { default: { root } },
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    tools: options.tools,
    permissions: { mode: 'bypassPermissions' },
    ...(options.maxToolOutput && { chat: { maxToolOutput: options.maxToolOutput } }),
  })
  // as one that is kept there would look
  writeFileSync(join(dataDir, 'credentials.json'), '{"openai": {"apiKey": "sk-CANARY"}}')
  const { id } = await parley.sessions.create({})
  const results = () =>
    model.requests
      .at(-1)!
      .messages.flatMap(({ content }) =>
        content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])),
      )
  return {
    root,
    parley,
    model,
    id,
    results,
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

describe('in a turn', () => {
  it('works with the files of the scope and of the session', async () => {
    await using open = await openParley((_, call) =>
      call === 1
        ? calls(
            ['file', { action: 'edit', path: 'notes.md', edits: [{ old: 'milk', new: 'bread' }] }],
            ['file', { action: 'write', path: 'draft.md', workspace: 'session', content: 'D' }],
            ['file', { action: 'read', path: '../outside' }],
          )
        : says('done'),
    )
    const { message } = await open.parley.sessions.chat(open.id, 'Edit the notes')
    expect(messageText(message!)).toBe('done')
    expect(readFileSync(join(open.root, 'notes.md'), 'utf8')).toBe('Buy bread.\n')
    expect(readFileSync(join(open.root, '.parley-data/workspaces', open.id, 'draft.md'), 'utf8')).toBe('D')
    expect(open.results()[2]).toMatch(/^OUT_OF_BOUNDS:/)
  })

  it('leaves nothing behind of a session that is deleted, and keeps what its tasks have', async () => {
    await using open = await openParley(({ tools }, call) =>
      call === 1
        ? calls(['spawn_task', { task: 'Draft it', mode: 'sync' }])
        : tools.some(({ name }) => name === 'set_result')
          ? calls(
              ['file', { action: 'write', path: 'draft.md', workspace: 'session', content: 'D' }],
              ['set_result', { output: 'drafted' }],
            )
          : says('done'),
    )
    await open.parley.sessions.chat(open.id, 'Have it drafted')
    const folders = () => readdirSync(join(open.root, '.parley-data/workspaces'))
    const [task] = (await open.parley.sessions.list({ parent: open.id })).items
    expect(folders()).toContain(task!.id)
    await open.parley.sessions.delete(open.id)
    await expect.poll(folders).toEqual([task!.id])
    await open.parley.sessions.delete(task!.id)
    await expect.poll(folders).toEqual([])
  })

  it('never sees the keys in the data folder, though it lies in the folder of the scope', async () => {
    const data = '.parley-data'
    const tries = [
      { action: 'read', path: `${data}/credentials.json` },
      { action: 'list', path: data },
      { action: 'grep', pattern: 'CANARY', include_ignored: true },
      { action: 'grep', pattern: 'CANARY', path: data, include_ignored: true },
      { action: 'glob', pattern: '**/*.json', include_ignored: true },
      { action: 'move', path: `${data}/credentials.json`, to: 'keys.json' },
      { action: 'move', path: data, to: 'elsewhere' },
      { action: 'delete', path: data, recursive: true },
      { action: 'write', path: `${data}/credentials.json`, content: '{}' },
    ]
    await using open = await openParley((_, call) =>
      call === 1 ? calls(...tries.map((input): [string, unknown] => ['file', input])) : says('done'),
    )
    // as an import of a rules file would
    writeFileSync(join(open.root, 'GEMINI.md'), `Keys: @${data}/credentials.json\n`)
    await open.parley.sessions.chat(open.id, {
      content: `Look at @file:${data}/credentials.json and @(file:${data})`,
      fileRefs: [`./${data}/credentials.json`],
    })
    expect(open.results()).toHaveLength(tries.length)
    expect(JSON.stringify(open.model.requests)).not.toContain('sk-CANARY')
    expect(readFileSync(join(open.root, data, 'credentials.json'), 'utf8')).toContain('sk-CANARY')
    const found = await open.parley.catalogue.files({ q: 'credentials' })
    expect(found.items).toEqual([])
  })

  it('sees a granted path as long as it is granted, call by call', async () => {
    const elsewhere = temporaryFolder()
    const path = join(realpathSync(elsewhere.path), 'a.txt')
    writeFileSync(path, 'granted')
    const revoke = defineTool({
      name: 'revoke',
      description: 'Takes all grants back',
      input: z.strictObject({}),
      execute: async (_, { sessionId }) => {
        await open.parley.store.updateSession('default', sessionId, { grantedPaths: [] })
        return 'done'
      },
    })
    await using open = await openParley(
      (_, call) =>
        call === 4 ? says('done') : calls(call === 2 ? ['revoke', {}] : ['file', { action: 'read', path }]),
      { tools: [revoke] },
    )
    await open.parley.store.updateSession('default', open.id, { grantedPaths: [path] })
    await open.parley.sessions.chat(open.id, { content: 'Read twice', headless: true })
    elsewhere[Symbol.dispose]()
    expect(open.results()).toEqual([
      'granted',
      'done',
      expect.stringMatching(/is outside the folders of the session/),
    ])
  })

  it('keeps a long result whole in the workspace of the session', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ row: index }))
    const flood = defineTool({
      name: 'flood',
      description: 'Says much',
      input: z.strictObject({}),
      execute: async () => ({ rows }),
    })
    await using open = await openParley(
      (request, call) => {
        if (call <= 2) return calls(['flood', {}])
        const path = /path "([^"]+)"/.exec(JSON.stringify(request).replaceAll('\\"', '"'))?.[1]
        return call === 3
          ? calls(['file', { action: 'grep', workspace: 'session', pattern: '"row": 250', path }])
          : says('done')
      },
      { tools: [flood], maxToolOutput: 1_000 },
    )
    await open.parley.sessions.chat(open.id, 'Flood')
    const [first, second, grepped] = open.results()
    expect(first).toMatch(
      /^\{"rows":\[\{"row":0\}.*left out; read on with the tool file: action "read", workspace "session", path "results\/call-flood-0.txt" …\n.*\{"row":499\}\]\}$/s,
    )
    expect(first!.length).toBeLessThan(1_200)
    expect(second).toContain('results/call-flood-0-2.txt')
    expect(grepped).toMatch(/"row": 250/)
    const kept = join(open.root, '.parley-data/workspaces', open.id, 'results/call-flood-0.txt')
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({ rows })
  })
})

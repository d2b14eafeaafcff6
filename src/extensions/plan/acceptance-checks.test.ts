import { linkSync, mkdirSync, realpathSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrangeFiles, fillFolder, makePipe } from '../../../test/context-arrange.ts'
import type { Workspaces } from '../../core/files/workspaces.ts'
import { parseCheck, passed, requireChecks, runChecks } from './acceptance-checks.ts'

/** `root` is the main workspace, `data` is forbidden but for the workspace of the session, `secret` lies outside. */
function arrange(files: Record<string, string | Buffer> = {}) {
  const arranged = arrangeFiles({ 'secret/key.txt': 'top secret', ...files })
  const folder = realpathSync(arranged.folder)
  for (const path of ['data/workspaces/ses_1', 'granted']) mkdirSync(join(folder, path), { recursive: true })
  const workspaces: Workspaces = {
    main: join(folder, 'root'),
    session: join(folder, 'data/workspaces/ses_1'),
    granted: [join(folder, 'granted')],
    forbidden: [join(folder, 'data')],
  }
  const check = async (text: string) => (await runChecks([text], { workspaces }))[0]!
  /** Whether each passes. */
  const verdicts = async (...texts: string[]) =>
    (await runChecks(texts, { workspaces })).map((found) => found.passed)
  return { ...arranged, folder, workspaces, check, verdicts }
}

describe('what is written', () => {
  it.each([
    'file_exists:a.md',
    '?file_exists:a.md',
    ' ? file_nonempty : a b/報告.md ',
    'file_exists:C:\\out\\a.md',
    'glob_nonempty:out/**/*.{md,txt}',
    'glob_count_at_least:out/*.md:3',
    'text_contains:a.md:one: two',
    'text_contains:C:\\out\\a.md:text',
    'json_field_equals:a.json:status=',
    'json_field_at_least:a.json:items.length=-1.5',
    'result_contains:完成',
    'result_field_equals:a.b=1',
  ])('is a check: %s', (text) => {
    expect(parseCheck(text).isWarning).toBe(text.trim().startsWith('?'))
    requireChecks([text])
  })

  it.each([
    '',
    'a.md',
    'file_exists',
    'exists:a.md',
    '!file_exists:a.md',
    'constructor:a',
    '__proto__:a',
    'FILE_EXISTS:a',
    '??file_exists:a',
  ])('is none, and those that there are are named: %j', (text) => {
    expect(() => requireChecks(['file_exists:a', text])).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(
          /There is no check .*file_exists:PATH.*result_field_equals:FIELD=VALUE/,
        ),
      }),
    )
  })

  it.each([
    ['file_exists:', 'file_exists:PATH'],
    ['file_nonempty:  ', 'file_nonempty:PATH'],
    ['glob_count_at_least:*.md', 'PATTERN:N'],
    ['glob_count_at_least:*.md:many', 'PATTERN:N'],
    ['glob_count_at_least:*.md:0', 'PATTERN:N'],
    ['glob_count_at_least::3', 'PATTERN:N'],
    ['text_contains:a.md', 'PATH:TEXT'],
    ['text_contains:a.md:', 'PATH:TEXT'],
    ['text_contains::text', 'PATH:TEXT'],
    ['json_field_equals:a.json:status', 'PATH:FIELD=VALUE'],
    ['json_field_equals:a.json:=done', 'PATH:FIELD=VALUE'],
    ['json_field_at_least:a.json:count=many', 'PATH:FIELD=N'],
    ['json_field_at_least:a.json:count=', 'PATH:FIELD=N'],
    ['result_contains:', 'TEXT'],
    ['result_field_equals:done', 'FIELD=VALUE'],
  ])('lacks something, and the message has the right usage: %s', (text, usage) => {
    expect(() => parseCheck(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(usage) }),
    )
  })

  it.each([
    'glob_nonempty:../*.md',
    'glob_nonempty:out/../../*.md',
    'glob_nonempty:..\\*',
    'glob_nonempty:*.+(a|b)',
    `glob_nonempty:${'x'.repeat(1_001)}`,
    `glob_count_at_least:${'{a,b}'.repeat(12)}/*:2`,
    `text_contains:a.md:${'x'.repeat(251)}`,
    `result_contains:${'x'.repeat(251)}`,
  ])('would take too long, or lead elsewhere: %s', (text) => {
    expect(() => parseCheck(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })
})

describe('a file', () => {
  it('is there, or is not', async () => {
    const { check, verdicts } = arrange({
      'root/a.md': 'text',
      'root/empty.md': '',
      'root/out/報告 1.md': '好',
    })
    expect(await verdicts('file_exists:a.md', 'file_exists:empty.md', 'file_exists: out/報告 1.md')).toEqual([
      true,
      true,
      true,
    ])
    expect(await check('file_exists:b.md')).toEqual({
      check: 'file_exists:b.md',
      passed: false,
      message: '"b.md" is not there.',
    })
    expect(await check('file_exists:out')).toMatchObject({ passed: false, message: '"out" is a folder.' })
  })

  it('has content, or has none', async () => {
    const { check, verdicts } = arrange({
      'root/a.md': 'text',
      'root/empty.md': '',
      'root/b.bin': Buffer.from([0]),
    })
    expect(await verdicts('file_nonempty:a.md', 'file_nonempty:b.bin')).toEqual([true, true])
    expect((await check('file_nonempty:empty.md')).message).toBe('"empty.md" is empty.')
    expect((await check('file_nonempty:none.md')).message).toBe('"none.md" is not there.')
  })

  it('may be named from the root of any workspace', async () => {
    const { folder, verdicts } = arrange({
      'root/a.md': 'x',
      'granted/g.md': 'x',
      'data/workspaces/ses_1/s.md': 'x',
    })
    expect(
      await verdicts(
        `file_exists:${folder}/root/a.md`,
        `file_exists:${folder}/granted/g.md`,
        `file_exists:${folder}/data/workspaces/ses_1/s.md`,
        'file_exists:./a.md',
        'file_exists:none/../a.md',
      ),
    ).toEqual([true, true, true, true, true])
  })

  it('is not read outside, however the path leads there', async () => {
    const { folder, link, check } = arrange({ 'root/a.md': 'x', 'data/keys.json': '{"key":"top secret"}' })
    link('root/link.txt', '../secret/key.txt')
    link('root/absolute.txt', join(folder, 'secret/key.txt'))
    link('root/folder', '../secret')
    link('root/loop', 'loop')
    link('root/data', '../data')
    const paths = [
      '../secret/key.txt',
      `${folder}/secret/key.txt`,
      'link.txt',
      'absolute.txt',
      'folder/key.txt',
      'loop',
      'data/keys.json',
      `${folder}/data/keys.json`,
      '..\\secret\\key.txt',
      'C:\\Windows\\win.ini',
      '\\\\server\\share',
      '/etc/passwd',
      '/proc/self/environ',
      'a.md\0',
    ]
    for (const path of paths)
      for (const text of [
        `file_exists:${path}`,
        `file_nonempty:${path}`,
        `text_contains:${path}:top secret`,
        `json_field_equals:${path}:key=top secret`,
      ]) {
        const found = await check(text)
        expect(found.passed, text).toBe(false)
        expect(found.message).toMatch(/not there|in no workspace|leads out/)
      }
    expect((await check('file_exists:link.txt')).message).toBe('"link.txt" leads out of its workspace.')
    expect((await check('file_exists:../secret/key.txt')).message).toMatch(/in no workspace/)
  })

  it('is a file, and has one name', async () => {
    const { folder, check } = arrange({ 'root/a.md': 'x' })
    makePipe(join(folder, 'root/pipe'))
    linkSync(join(folder, 'secret/key.txt'), join(folder, 'root/hard.txt'))
    expect((await check('file_nonempty:pipe')).message).toMatch(/no regular file/)
    expect((await check('text_contains:hard.txt:secret')).message).toMatch(/second name/)
  })

  it('is nowhere where there is no workspace', async () => {
    const [found] = await runChecks(['file_exists:a.md'], { workspaces: { granted: [] } })
    expect(found).toMatchObject({ passed: false, message: expect.stringContaining('in no workspace') })
  })
})

describe('a text', () => {
  it('contains what is written, letter by letter', async () => {
    const { verdicts } = arrange({ 'root/a.md': 'Total: 12 (ok)\r\n第二行：完成', 'root/b.md': '\uFEFFone' })
    expect(
      await verdicts(
        'text_contains:a.md:Total: 12 (ok)\n第二行',
        'text_contains:a.md:完成',
        'text_contains: a.md :ok',
        'text_contains:b.md:one',
        'text_contains:a.md:.*',
        'text_contains:a.md:total',
        'text_contains:a.md: ok',
      ),
    ).toEqual([true, true, true, true, false, false, false])
  })

  it('is no text when it is binary', async () => {
    const { check } = arrange({
      'root/a.bin': Buffer.from('text\0text'),
      'root/b.bin': Buffer.alloc(100, 0xff),
    })
    for (const path of ['a.bin', 'b.bin'])
      expect(await check(`text_contains:${path}:text`)).toMatchObject({
        passed: false,
        message: `"${path}" is no text.`,
      })
  })

  it('is read up to a limit', async () => {
    const { folder, check } = arrange({ 'root/a.md': `${'x'.repeat(9_999_990)}in bounds, beyond` })
    expect(await check('text_contains:a.md:in bounds')).toMatchObject({ passed: true })
    expect((await check('text_contains:a.md:beyond')).message).toMatch(/as much of it as is read/)
    // a terabyte that takes no room
    writeFileSync(join(folder, 'root/huge.json'), '{')
    truncateSync(join(folder, 'root/huge.json'), 1e12)
    expect(await check('file_nonempty:huge.json')).toMatchObject({ passed: true })
    expect(await check('json_field_equals:huge.json:a=1')).toMatchObject({ passed: false })
  })
})

describe('a field', () => {
  const value = {
    status: 'done',
    count: 3,
    half: 0.5,
    ok: true,
    none: null,
    text: '3',
    empty: '',
    list: [{ name: '甲' }, 'two'],
    own: { constructor: 'mine' },
  }
  const files = { 'root/a.json': JSON.stringify(value) }

  it.each([
    'status=done',
    'status="done"',
    'count=3',
    'count=3.0',
    'half=0.5',
    'ok=true',
    'none=null',
    'text=3',
    'text="3"',
    'empty=',
    'empty=""',
    'list.0.name=甲',
    'list.1=two',
    'list.length=2',
    'own.constructor=mine',
  ])('is equal: %s', async (text) => {
    const { workspaces } = arrange(files)
    const checks = [`json_field_equals:a.json:${text}`, `result_field_equals:${text}`]
    const found = await runChecks(checks, { workspaces, result: { output: '', structuredData: value } })
    expect(found.map((one) => one.passed)).toEqual([true, true])
  })

  it.each([
    'status=Done',
    'status=done ',
    'count="3"',
    'ok="true"',
    'none=',
    'missing=',
    'missing=undefined',
    'list={}',
    'list=[object Object]',
    'status.length=4',
    'constructor=x',
    '__proto__=null',
    'own.toString=x',
    'list.-1=two',
    'a..b=1',
    '.=1',
  ])('is not: %s', async (text) => {
    const { workspaces } = arrange(files)
    const checks = [`json_field_equals:a.json:${text}`, `result_field_equals:${text}`]
    const found = await runChecks(checks, { workspaces, result: { output: '', structuredData: value } })
    expect(found.map((one) => one.passed)).toEqual([false, false])
  })

  it('is a number of at least so much', async () => {
    const { verdicts, check } = arrange(files)
    const all = [
      'count=3',
      'count=-1',
      'half=0.5',
      'list.length=2',
      'count=3.5',
      'text=1',
      'none=0',
      'list=1',
    ]
    expect(await verdicts(...all.map((text) => `json_field_at_least:a.json:${text}`))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect((await check('json_field_at_least:a.json:text=1')).message).toBe(
      '"text" is "3", not a number of at least 1.',
    )
    expect((await check('json_field_at_least:a.json:gone=1')).message).toMatch(/"gone" is not there/)
  })

  it('is found a thousand levels down, and not in what is no JSON', async () => {
    const depth = 1_000
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const path = Array(depth).fill('a').join('.')
    const { check, verdicts } = arrange({
      'root/deep.json': deep,
      'root/lists.json': `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'root/bad.json': '{"a": 1,}',
      'root/empty.json': '',
      'root/number.json': '5',
    })
    expect(await verdicts(`json_field_equals:deep.json:${path}=1`)).toEqual([true])
    expect((await check('json_field_equals:deep.json:a=1')).message).toBe('"a" is an object, not "1".')
    expect((await check('json_field_equals:lists.json:a=1')).message).toBe('"a" is a list, not "1".')
    for (const name of ['bad', 'empty'])
      expect((await check(`json_field_equals:${name}.json:a=1`)).message).toBe(`"${name}.json" is no JSON.`)
    expect(await verdicts('json_field_equals:number.json:a=1')).toEqual([false])
  })

  it('is reported in a text that can be stored', async () => {
    const odd = `${'x'.repeat(78)}🙂`
    const { check } = arrange({ 'root/a.json': JSON.stringify({ a: odd, b: '\0\ud800' }) })
    for (const text of ['a=1', 'b=1', `a=${odd}y`]) {
      const { message } = await check(`json_field_equals:a.json:${text}`)
      expect(message.isWellFormed()).toBe(true)
      expect(message).not.toContain('\0')
      expect(message.length).toBeLessThan(500)
    }
  })
})

describe('a pattern', () => {
  const files = {
    'root/out/a.md': 'x',
    'root/out/b.md': '',
    'root/out/deep/c.md': 'x',
    'root/out/deep/er/第 1 章.md': 'x',
    'root/notes.txt': 'x',
    'root/.gitignore': 'out/',
  }
  it('counts the files that it means, from its folder on, also what Git ignores', async () => {
    const { folder, check, verdicts } = arrange({ ...files, 'granted/g.md': 'x' })
    expect(
      await verdicts(
        'glob_count_at_least:out/*.md:2',
        'glob_count_at_least:out/**/*.md:4',
        'glob_count_at_least:**/*.md:4',
        'glob_nonempty:./out/deep/*/第*.md',
        'glob_nonempty:notes.txt',
        'glob_nonempty:o?t/[ab].md',
        `glob_nonempty:${folder}/granted/*.md`,
        'glob_nonempty:out/{x,deep}/*',
      ),
    ).toEqual(Array(8).fill(true))
    expect(await verdicts('glob_nonempty:*.md', 'glob_nonempty:none/*', 'glob_nonempty:out')).toEqual([
      false,
      false,
      false,
    ])
    expect((await check('glob_count_at_least:out/*.md:3')).message).toBe(
      '2 files match "out/*.md"; at least 3 should.',
    )
  })

  it('finds nothing outside', async () => {
    const { folder, link, check } = arrange({ 'root/a.md': 'x', 'data/keys.json': 'x' })
    link('root/folder', '../secret')
    link('root/key.txt', '../secret/key.txt')
    link('root/data', '../data')
    for (const pattern of [
      'folder/*',
      '*/key.txt',
      '**/key.txt',
      'key.txt',
      'data/*.json',
      '/etc/*',
      '/*',
      `${folder}/secret/*`,
      `${folder}/data/*`,
      `${folder}/*`,
      'C:\\*',
    ])
      expect((await check(`glob_nonempty:${pattern}`)).passed, pattern).toBe(false)
    expect((await check('glob_nonempty:folder/*')).message).toMatch(/"folder" leads out/)
  })

  it('reports that there is more than is read', async () => {
    const { folder, workspaces } = arrange()
    fillFolder(join(folder, 'root/many'), 30)
    const limits = { maxMs: 10_000, maxAllMs: 60_000, maxEntries: 20 }
    const checks = ['glob_count_at_least:many/noise-*:10', 'glob_nonempty:**/none.md']
    const [some, none] = await runChecks(checks, { workspaces }, limits)
    expect(some).toMatchObject({ passed: true })
    expect(none).toMatchObject({
      passed: false,
      message: expect.stringMatching(/as much of the folder as is/),
    })
  })
})

describe('all of them together', () => {
  it('have passed when those have that are no warnings', async () => {
    const { workspaces } = arrange({ 'root/a.md': 'x' })
    const checks = await runChecks(['file_exists:a.md', '?file_exists:b.md', 'result_contains:done'], {
      workspaces,
      result: { output: 'all done' },
    })
    expect(checks).toEqual([
      { check: 'file_exists:a.md', passed: true, message: '"a.md" is there.' },
      { check: '?file_exists:b.md', passed: false, warning: true, message: '"b.md" is not there.' },
      { check: 'result_contains:done', passed: true, message: 'The result contains "done".' },
    ])
    expect(passed(checks)).toBe(true)
    expect(passed([...checks, { check: 'x', passed: false, message: '' }])).toBe(false)
    expect(passed([])).toBe(true)
  })

  it('do not fail over one that cannot be read, or a result that is not there', async () => {
    const { workspaces } = arrange()
    const checks = await runChecks(['gone:a', 'result_contains:x', 'result_field_equals:a=1'], { workspaces })
    expect(checks.map((check) => check.passed)).toEqual([false, false, false])
    expect(checks[0]!.message).toMatch(/There is no check/)
  })

  it('end when their time is up', async () => {
    const { folder, workspaces } = arrange({ 'root/a.md': 'x' })
    const limits = { maxMs: 1, maxAllMs: 60_000, maxEntries: 50_000 }
    fillFolder(join(folder, 'root/many'), 3_000)
    expect(await runChecks(['glob_nonempty:**/none.md'], { workspaces }, limits)).toMatchObject([
      { passed: false, message: expect.stringMatching(/too long|as much of the folder as is/) },
    ])
    expect(await runChecks(['file_exists:a.md'], { workspaces }, { ...limits, maxAllMs: 0 })).toMatchObject([
      { passed: false, message: 'There is no time left to look.' },
    ])
  })
})

import { rmSync, symlinkSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrangeFiles, fillFolder, makePipe } from '../../../test/context-arrange.ts'
import { readRules, selectRules } from './rules.ts'
import { countTokens } from './cut-to-tokens.ts'

const usesOf = (set: Awaited<ReturnType<typeof readRules>>) =>
  Object.fromEntries(set.files.map(({ path, use }) => [path, use]))
const orderOf = (text: string) => Array.from(text.matchAll(/<rules from="([^"]+)"/g), ([, path]) => path)

describe('files of a project', () => {
  it('are merged under captions: AGENTS.md from afar to near, then the others in their order', async () => {
    const { places } = arrangeFiles({
      'root/.github/copilot-instructions.md': 'copilot',
      'root/CONVENTIONS.md': 'conventions',
      'root/.roo/rules/r.md': 'roo',
      'root/.windsurfrules': 'windsurf',
      'root/.clinerules/c.md': 'cline',
      'root/.cursor/rules/b.mdc': 'cursor b',
      'root/.cursor/rules/a.mdc': 'cursor a',
      'root/.cursor/rules/ignored.md': 'not mdc',
      'root/GEMINI.md': 'gemini',
      'root/AGENTS.md': 'root agents',
      'root/a/b/AGENTS.md': 'near agents',
      'root/other/AGENTS.md': 'not on the way',
      'user/AGENTS.md': 'user agents',
    })
    const set = await readRules({ ...places, cwd: join(places.root, 'a/b') })
    expect(orderOf(set.always)).toEqual([
      'user:AGENTS.md',
      'AGENTS.md',
      'a/b/AGENTS.md',
      'GEMINI.md',
      '.cursor/rules/a.mdc',
      '.cursor/rules/b.mdc',
      '.clinerules/c.md',
      '.windsurfrules',
      '.roo/rules/r.md',
      'CONVENTIONS.md',
      '.github/copilot-instructions.md',
    ])
    expect(set.always).toContain('<rules from="AGENTS.md">\nroot agents\n</rules>')
    expect(set.problems).toEqual([])
    expect(set.files[1]).toEqual({
      path: 'AGENTS.md',
      bytes: 11,
      tokens: 2,
      isCut: false,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      use: 'always',
    })
  })

  it('count CLAUDE.md only in a folder without AGENTS.md, be that one empty', async () => {
    const { places, write } = arrangeFiles({
      'root/CLAUDE.md': 'claude root',
      'root/a/AGENTS.md': 'agents a',
      'root/a/CLAUDE.md': 'claude a',
    })
    const at = { ...places, cwd: 'a' }
    expect(orderOf((await readRules(at)).always)).toEqual(['CLAUDE.md', 'a/AGENTS.md'])
    write('root/AGENTS.md', '')
    expect(orderOf((await readRules(at)).always)).toEqual(['a/AGENTS.md'])
  })

  it('are the same whatever the working directory of the process, and with no root there are none', async () => {
    const { places, folder } = arrangeFiles({ 'root/AGENTS.md': 'x' })
    expect((await readRules({ root: join(folder, 'missing') })).always).toBe('')
    const outside = await readRules({ root: places.root, cwd: folder })
    expect(orderOf(outside.always)).toEqual(['AGENTS.md'])
    expect(outside.hash).toBe((await readRules({ root: places.root })).hash)
  })

  it('are found through a root that is a link', async () => {
    const { folder, places, link } = arrangeFiles({ 'root/a/AGENTS.md': 'near' })
    link('link', 'root')
    const linked = { root: join(folder, 'link') }
    for (const cwd of ['a', join(folder, 'link/a'), join(places.root, 'a')])
      expect(orderOf((await readRules({ ...linked, cwd })).always), cwd).toEqual(['a/AGENTS.md'])
  })

  it.each(['.env', 'config/secrets.json', '.npmrc', 'id_rsa'])(
    'are words: a link to %s is not read, whatever it is called',
    async (target) => {
      const { places, link } = arrangeFiles({ [`root/${target}`]: 'hunter2', 'root/docs/real.md': 'words' })
      link('root/AGENTS.md', target)
      link('root/.cursorrules', target)
      link('root/CLAUDE.md', 'docs/real.md')
      const { always, problems } = await readRules(places)
      expect(always).toContain('words')
      expect(always).not.toContain('hunter2')
      expect(problems).toContainEqual({
        path: 'AGENTS.md',
        message: 'is a link to a file of another kind and was not followed',
      })
    },
  )

  it('are said once when tools copy or link them', async () => {
    const { places, link } = arrangeFiles({
      'root/AGENTS.md': 'the same\r\n',
      'root/CONVENTIONS.md': '\uFEFFthe same',
    })
    link('root/GEMINI.md', 'AGENTS.md')
    const set = await readRules(places)
    expect(orderOf(set.always)).toEqual(['AGENTS.md'])
    expect(usesOf(set)).toEqual({
      'AGENTS.md': 'always',
      'GEMINI.md': 'duplicate',
      'CONVENTIONS.md': 'duplicate',
    })
  })

  it('can be switched off, all or those of other tools', async () => {
    const { places } = arrangeFiles({ 'root/AGENTS.md': 'a', 'root/GEMINI.md': 'g', 'root/x/CLAUDE.md': 'c' })
    const at = { ...places, cwd: 'x' }
    expect(orderOf((await readRules({ ...at, off: ['other-tools'] })).always)).toEqual(['AGENTS.md'])
    expect(await readRules({ ...at, off: ['rules'] })).toMatchObject({ always: '', files: [] })
  })
})

describe('hostile files', () => {
  it('are refused with a problem: links that lead out, pipes, folders, what is not text', async () => {
    const { places, link } = arrangeFiles({
      'secret/s.md': 'SECRET',
      'root/CONVENTIONS.md/x': '',
      'root/.windsurfrules': Buffer.from([0, 1, 2]),
      'root/CLAUDE.md': 'stands in',
    })
    link('root/AGENTS.md', '../secret/s.md')
    link('root/.cursor/rules', '../../secret')
    link('root/.parley/rules/x.md', '../../../secret/s.md')
    makePipe(join(places.root, 'GEMINI.md'))
    const { always, problems } = await readRules(places)
    expect(orderOf(always)).toEqual(['CLAUDE.md'])
    expect(problems).toEqual([
      { path: 'AGENTS.md', message: 'leads out of its folder and was not followed' },
      { path: 'GEMINI.md', message: 'is not a regular file' },
      { path: '.cursor/rules', message: 'leads out of its folder and was not followed' },
      { path: '.windsurfrules', message: 'is not text' },
      { path: 'CONVENTIONS.md', message: 'is a folder, not a file' },
      { path: '.parley/rules/x.md', message: 'leads out of its folder and was not followed' },
    ])
  })

  it('are cut at 32 KiB, with a notice, not within a character', async () => {
    const { places } = arrangeFiles({ 'root/AGENTS.md': `a${'规'.repeat(20_000)}` })
    truncateSync(join(places.root, 'AGENTS.md'), 32 * 1024 + 1)
    const set = await readRules(places, { project: 100_000, custom: 100 })
    expect(set.always).toContain('[Cut: only the first 32,768 of 32,769 bytes of AGENTS.md were read.]')
    expect(set.always).not.toContain('\uFFFD')
    expect(set.files).toMatchObject([{ bytes: 32_769, isCut: true }])
  })

  it('cannot break out of a caption by their name', async () => {
    const { places } = arrangeFiles({ 'root/.roo/rules/a">\n<b>规则.md': 'x' })
    expect((await readRules(places)).always).toContain('<rules from=".roo/rules/a????b?规则.md">')
  })

  it('do not matter in number', async () => {
    const { places } = arrangeFiles()
    fillFolder(join(places.root, '.cursor/rules'), 1_010)
    const { problems } = await readRules(places)
    expect(problems).toEqual([
      { path: '.cursor/rules', message: 'has more than 1000 entries; some were not read' },
    ])
  })
})

describe('the budget', () => {
  const words = (count: number) => 'some words on a line\n'.repeat(count / 5)

  it('goes to the nearest first, and what is cut or left out is named in the text', async () => {
    const { places } = arrangeFiles({
      'root/AGENTS.md': words(6_000),
      'root/a/AGENTS.md': words(5_000),
      'root/CONVENTIONS.md': 'short',
    })
    const set = await readRules({ ...places, cwd: 'a' })
    expect(countTokens(set.always)).toBeLessThanOrEqual(8_000)
    expect(countTokens(set.always)).toBeGreaterThan(7_500)
    expect(set.always).toContain('[Cut: the rest of AGENTS.md does not fit into the 8,000 tokens for rules.]')
    expect(set.always).toContain('[Left out, because rules may have 8,000 tokens: CONVENTIONS.md.]')
    expect(set.files.map(({ path, isCut, use }) => [path, isCut, use])).toEqual([
      ['AGENTS.md', true, 'always'],
      ['a/AGENTS.md', false, 'always'],
      ['CONVENTIONS.md', true, 'left-out'],
    ])
  })

  it('may be anything', async () => {
    const { places } = arrangeFiles({ 'root/AGENTS.md': words(100), 'root/.parley/rules/x.md': words(105) })
    for (const tokens of [-1, 0, 1, 50, 150, 250, 400]) {
      const { always } = await readRules(places, { project: tokens, custom: tokens })
      expect(always).toMatch(/AGENTS\.md[^]*x\.md/)
      if (tokens >= 250) expect(countTokens(always)).toBeLessThanOrEqual(2 * tokens)
    }
  })

  it('holds for a hundred files with long names', async () => {
    const name = (index: number) => `root/.roo/rules/${index}-${'n'.repeat(180)}.md`
    const { places } = arrangeFiles(
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [name(index), `${index} ${words(100)}`])),
    )
    const { always } = await readRules(places)
    expect(countTokens(always)).toBeLessThanOrEqual(8_000)
    expect(always).toMatch(/and \d+ more\.\]/)
  })
})

describe('custom rules', () => {
  const rule = (matter: string, body: string) => `---\n${matter}\n---\n${body}`

  it('of the scope come before those of the user, with their titles', async () => {
    const { places } = arrangeFiles({
      'root/.parley/rules/b.md': rule('title: 标题 "B"', 'scope b'),
      'root/.parley/rules/a.md': 'scope a',
      'user/rules/a.md': rule('enabled: true', 'user a'),
      'user/rules/off.md': rule('enabled: false', 'user off'),
    })
    const set = await readRules(places)
    expect(orderOf(set.always)).toEqual(['.parley/rules/a.md', '.parley/rules/b.md', 'user:rules/a.md'])
    expect(set.always).toContain('title="标题 ?B?"')
    expect(set.always).not.toContain('user off')
    expect(usesOf(set)['user:rules/off.md']).toBe('disabled')
  })

  it('apply always, for some paths, or by hand', async () => {
    const { places } = arrangeFiles({
      'root/.parley/rules/always.md': rule('alwaysApply: true\nglobs: "*.ts"', 'ALWAYS'),
      'root/.parley/rules/plain.md': 'PLAIN',
      'root/.parley/rules/ts.md': rule('globs: src/**/*.{ts,tsx}, *.mts', 'TS'),
      'root/.parley/rules/list.md': rule('globs:\n  - docs/**\n  - "*.md"', 'LIST'),
      'root/.parley/rules/hand.md': rule('alwaysApply: false\ndescription: on request', 'HAND'),
      'root/.cursor/rules/c.mdc': rule('description:\nglobs: *.tsx\nalwaysApply: false', 'CURSOR'),
      'user/rules/u.md': rule('globs: "*.ts"', 'USER'),
    })
    const set = await readRules(places)
    const matching = (...paths: string[]) => selectRules(set, { paths }).matching.map(({ text }) => text)
    expect(orderOf(set.always)).toEqual(['.parley/rules/always.md', '.parley/rules/plain.md'])
    expect(selectRules(set, { paths: ['a.ts'] }).always).toBe(set.always)
    expect(matching()).toEqual([])
    expect(matching('src/a/b.tsx')).toEqual(['CURSOR', 'TS'])
    expect(matching('a.ts')).toEqual(['USER'])
    expect(matching('a.mts', './docs/x')).toEqual(['LIST', 'TS'])
    expect(matching(join(places.root, 'README.md'))).toEqual(['LIST'])
    expect(matching('../a.ts', '/elsewhere/a.ts', '')).toEqual([])
    expect(set.rules.find(({ text }) => text === 'HAND')).toMatchObject({
      applies: 'manual',
      description: 'on request',
    })
  })

  it('with front matter that cannot be understood are text, and a pattern that cannot is a problem', async () => {
    const { places } = arrangeFiles({
      'root/.parley/rules/bad.md': rule('globs: [', 'BAD'),
      'root/.parley/rules/open.md': '---\nglobs: x\nOPEN',
      'root/.parley/rules/glob.md': rule('globs: "*.+(a|b)"', 'GLOB'),
    })
    const set = await readRules(places)
    expect(orderOf(set.always)).toEqual(['.parley/rules/bad.md', '.parley/rules/open.md'])
    expect(set.always).toContain('BAD')
    expect(set.problems).toMatchObject([
      { path: '.parley/rules/bad.md', message: expect.stringContaining('it is taken as text') },
      {
        path: '.parley/rules/glob.md',
        message: expect.stringMatching(/^has the pattern \*\.\+\(a\|b\), which has a group/),
      },
    ])
  })

  it('have 4,000 tokens together with those for the paths at hand', async () => {
    const many = 'some words on a line\n'.repeat(600)
    const { places } = arrangeFiles({
      'root/.parley/rules/a.md': many,
      'root/.parley/rules/b.md': rule('globs: "*.ts"', many),
      'root/.parley/rules/c.md': rule('globs: "*.ts"', many),
    })
    const { always, matching, leftOut } = selectRules(await readRules(places), { paths: ['x.ts'] })
    const texts = [always, ...matching.map(({ text }) => text)]
    expect(texts.reduce((sum, text) => sum + countTokens(text), 0)).toBeLessThanOrEqual(4_000)
    expect(matching.map(({ path, isCut }) => [path, isCut])).toEqual([['.parley/rules/b.md', true]])
    expect(leftOut.map(({ path }) => path)).toEqual(['.parley/rules/c.md'])
  })
})

describe('the hash', () => {
  it('changes with the text, the front matter and the files, not with line ends or time', async () => {
    const { places, write } = arrangeFiles({
      'root/AGENTS.md': 'a\nb',
      'root/.parley/rules/x.md': '---\nglobs: a\n---\nx',
    })
    const hashes = [(await readRules(places)).hash]
    write('root/AGENTS.md', 'a\r\nb')
    expect((await readRules(places)).hash).toBe(hashes[0])
    for (const [path, text] of [
      ['AGENTS.md', 'a'],
      ['.parley/rules/x.md', '---\nglobs: b\n---\nx'],
      ['GEMINI.md', 'g'],
    ] as const) {
      write(`root/${path}`, text)
      hashes.push((await readRules(places)).hash)
    }
    rmSync(join(places.root, 'GEMINI.md'))
    symlinkSync('AGENTS.md', join(places.root, 'GEMINI.md'))
    hashes.push((await readRules(places)).hash)
    expect(new Set(hashes).size).toBe(4)
    expect(hashes[4]).toBe(hashes[2])
  })
})

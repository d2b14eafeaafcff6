import { describe, expect, it } from 'vitest'
import { cpuMsOf } from '../../../test/cpu-time.ts'
import { arrangeFiles } from '../../../test/context-arrange.ts'
import { readRules } from './rules.ts'

const read = async (files: Record<string, string>) => {
  const { places } = arrangeFiles(files)
  return readRules(places, { project: 1_000_000, custom: 0 })
}

describe('imports of GEMINI.md', () => {
  it('take the place of their names, also within imports, and are listed', async () => {
    const { always, files, problems } = await read({
      'root/GEMINI.md': 'Start\n@docs/a.md\nSee @./b.txt, please.',
      'root/docs/a.md': 'A with @../b.txt and @c.md',
      'root/docs/c.md': 'C',
      'root/b.txt': 'B\r\n',
    })
    expect(always).toContain(
      [
        'Start',
        '<imported from="docs/a.md">',
        'A with <imported from="b.txt">',
        'B',
        '</imported> and <imported from="docs/c.md">',
        'C',
        '</imported>',
        '</imported>',
        'See @./b.txt [imported above], please.',
      ].join('\n'),
    )
    expect(files.map(({ path, use }) => [path, use])).toEqual([
      ['GEMINI.md', 'always'],
      ['docs/a.md', 'imported'],
      ['b.txt', 'imported'],
      ['docs/c.md', 'imported'],
    ])
    expect(problems).toEqual([])
  })

  it('leave a note when missing, outside, or not text', async () => {
    const { places, link } = arrangeFiles({
      'root/GEMINI.md': '@missing.md\n@../secret/s.md\n@link.md\n@/etc/hosts.md\n@folder.md',
      'root/folder.md/x': '',
      'secret/s.md': 'SECRET',
    })
    link('root/link.md', '../secret/s.md')
    const { always, problems } = await readRules(places)
    expect(always).toContain('@missing.md [not imported: it does not exist]')
    expect(always).toContain(
      '@../secret/s.md [not imported: it leads out of its folder and was not followed]',
    )
    expect(always).toContain('@link.md [not imported: it leads out')
    expect(always).toContain('@folder.md [not imported: it is a folder, not a file]')
    expect(always).not.toContain('SECRET')
    expect(problems).toHaveLength(5)
    expect(problems[0]).toEqual({ path: 'GEMINI.md', message: 'imports missing.md, which does not exist' })
  })

  it('stop at a circle, at a depth and at a number', async () => {
    const circle = await read({
      'root/GEMINI.md': '@a.md',
      'root/a.md': '@b.md @GEMINI.md',
      'root/b.md': '@a.md',
    })
    expect(circle.always).toContain('@a.md [imported above]')
    expect(circle.always).toContain('@GEMINI.md [imported above]')

    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`root/${index}.md`, `depth ${index} @${index + 1}.md`]),
    )
    const deep = await read({ 'root/GEMINI.md': '@0.md', ...chain })
    expect(deep.always).toContain('depth 4 @5.md [not imported: it is more than 5 imports deep]')

    const many = Array.from({ length: 60 }, (_, index) => `f${index}.md`)
    const wide = await read({
      'root/GEMINI.md': many.map((name) => `@${name}`).join('\n'),
      ...Object.fromEntries(many.map((name) => [`root/${name}`, name])),
    })
    expect(wide.files).toHaveLength(51)
    expect(wide.always).toContain('@f50.md [not imported: it is more than the 50 files allowed]')
  })

  it('are not what only looks like one: code, addresses, names, other files', async () => {
    const text = [
      'me@example.md',
      '@alice @.env @package.json @run.sh',
      '`@docs/a.md` and `x` `@docs/a.md`',
      '```',
      '@docs/a.md',
      '```',
    ].join('\n')
    const { always, files } = await read({
      'root/GEMINI.md': text,
      'root/docs/a.md': 'A',
      'root/.env': 'KEY=1',
    })
    expect(always).toContain(text)
    expect(files).toHaveLength(1)
  })

  it('take time in proportion on hostile text', async () => {
    for (const part of ['@', '@a.', ' @x.md', '`@a.md`', ' @', '@a.md.']) {
      const readChars = (length: number) =>
        cpuMsOf(() => read({ 'root/GEMINI.md': part.repeat(length / part.length) }))
      // four times as much, and not sixteen times
      expect(await readChars(32_768), part).toBeLessThan(10 * (await readChars(8_192)))
    }
  })
})

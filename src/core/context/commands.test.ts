import { describe, expect, it } from 'vitest'
import { arrangeFiles } from '../../../test/context-arrange.ts'
import { expandCommand, findCommand, parseSlash, readCommands } from './commands.ts'

describe('command files', () => {
  it('are found in all places, the first one winning', async () => {
    const { places } = arrangeFiles({
      'root/.parley/commands/review.md':
        '---\nname: Review\ndescription: 审查\naliases: [rv, 审查]\nallowed-tools: Read, Bash(git add:*)\n---\nReview $1',
      'user/commands/review.md': 'hidden',
      'user/commands/note.md': '---\nmode: action\naliases: rv n\n---\nNoted',
      'root/.claude/commands/fix.md': '---\nargument-hint: [issue]\n---\nFix {{args}}',
      'root/.cursor/commands/plain.md': '\uFEFFPlain\r\ntext',
      'root/.parley/commands/off.md': '---\nenabled: false\n---\nOff',
      'root/.parley/commands/ignored.txt': 'x',
    })
    const set = await readCommands(places)
    expect(set.commands.map(({ name, path, mode }) => [name, path, mode])).toEqual([
      ['fix', '.claude/commands/fix.md', 'prompt'],
      ['note', 'user:commands/note.md', 'action'],
      ['plain', '.cursor/commands/plain.md', 'prompt'],
      ['review', '.parley/commands/review.md', 'prompt'],
    ])
    expect(findCommand(set, 'review')).toMatchObject({
      description: '审查',
      aliases: ['rv', '审查'],
      allowedTools: ['Read', 'Bash(git add:*)'],
      text: 'Review $1',
    })
    expect(findCommand(set, 'RV')?.name).toBe('review')
    expect(findCommand(set, '审查')?.name).toBe('review')
    expect(findCommand(set, 'n')?.name).toBe('note')
    expect(findCommand(set, 'plain')?.text).toBe('Plain\ntext')
    expect(findCommand(set, 'off')).toBeUndefined()
    expect(set.problems).toEqual([
      { path: 'user:commands/review.md', message: 'is hidden by .parley/commands/review.md' },
    ])
  })

  it('lend no alias that is the name of another', async () => {
    const { places } = arrangeFiles({
      'root/.parley/commands/a.md': '---\naliases: b\n---\nA',
      'root/.parley/commands/b.md': 'B',
    })
    expect(findCommand(await readCommands(places), 'b')?.text).toBe('B')
  })

  it('are plain text when their front matter is not closed or not YAML', async () => {
    const { places } = arrangeFiles({
      'root/.parley/commands/open.md': '---\nname: other\nDo it',
      'root/.parley/commands/bad.md': '---\nname: [\n---\nDo it',
    })
    const { commands, problems } = await readCommands(places)
    expect(commands.map(({ name, text }) => [name, text])).toEqual([
      ['bad', '---\nname: [\n---\nDo it'],
      ['open', '---\nname: other\nDo it'],
    ])
    expect(problems).toHaveLength(1)
  })

  it('with a wrong mode or name are problems', async () => {
    const { places, link } = arrangeFiles({
      'root/.parley/commands/mode.md': '---\nmode: shell\n---\nx',
      'root/.parley/commands/name.md': '---\nname: ../x\n---\nx',
      'root/.parley/commands/two words.md': 'x',
      'secret.md': 'SECRET',
    })
    link('root/.parley/commands/out.md', '../../../secret.md')
    const { commands, problems } = await readCommands(places)
    expect(commands).toEqual([])
    expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '.parley/commands/mode.md has the mode "shell"; it must be "prompt" or "action"',
      '.parley/commands/name.md has the name "../x", which cannot be typed as one',
      '.parley/commands/out.md leads out of its folder and was not followed',
      '.parley/commands/two words.md has the name "two words", which cannot be typed as one',
    ])
  })

  it('can be switched off, all or those of other tools', async () => {
    const { places } = arrangeFiles({ 'root/.parley/commands/a.md': 'a', 'root/.claude/commands/b.md': 'b' })
    const names = async (off: 'commands' | 'other-tools') =>
      (await readCommands({ ...places, off: [off] })).commands.map(({ name }) => name)
    expect(await names('commands')).toEqual([])
    expect(await names('other-tools')).toEqual(['a'])
  })
})

describe('a slash', () => {
  it.each([
    ['/help', 'help', ''],
    ['  /Help  ', 'help', ''],
    ['/cmd a b', 'cmd', 'a b'],
    ['/cmd   a  b ', 'cmd', 'a  b'],
    ['/cmd\nline one\nline two', 'cmd', 'line one\nline two'],
    ['/(cmd a b)', 'cmd', 'a b'],
    [' /( CMD a (b) )', 'cmd', 'a (b)'],
    ['/(cmd)', 'cmd', ''],
    ['/待办 买牛奶', '待办', '买牛奶'],
    ['/usr/bin', 'usr/bin', ''],
    ['/usr/bin is a folder', 'usr/bin', 'is a folder'],
    ['/read doc:1', 'read', 'doc:1'],
    ['/cmd (a)', 'cmd', '(a)'],
  ])('reads %j', (text, name, args) => {
    expect(parseSlash(text)).toEqual({ name, args })
  })

  it.each([
    '',
    '/',
    '/()',
    '/( )',
    ' / ',
    '/ cmd',
    '//cmd',
    '// a comment',
    '/(cmd a',
    '/(cmd a) b',
    '/cmd(a)',
    'a /cmd',
  ])('does not take %j for a command', (text) => {
    expect(parseSlash(text)).toBeUndefined()
  })

  // what looks at everything again for every character takes many minutes
  it('comes to an end with a million characters', () => {
    for (const part of ['/', ' ', '(', '/(', 'a', '/a ', '\n'])
      expect(() => parseSlash(`/${part.repeat(1_000_000)}`)).not.toThrow()
  })
})

describe('expanding', () => {
  it.each([
    ['all: $ARGUMENTS', 'a "b c"', 'all: a "b c"'],
    ['{{args}} and {{ args }}', 'x', 'x and x'],
    ['$1-$2', 'a b c', 'a-b'],
    ['$1|$10|$11|', '1 2 3 4 5 6 7 8 9 ten', '1|ten||'],
    ['$1 $2 $3 end', 'a', 'a   end'],
    ['$1', '"two words" x', 'two words'],
    ['$1/$2', `'it is' "a \\"b\\" c"`, 'it is/a "b" c'],
    ['$1/$2', `don't stop`, `don't/stop`],
    ['$1/$2', '"open end', '"open/end'],
    ['$1', '""', ''],
    ['$2', '"" b', 'b'],
    ['$1', '$2', '$2'],
    ['$ARGUMENTS', '{{args}} $1', '{{args}} $1'],
    ['\\$1 and \\$ARGUMENTS for $1', 'x', '$1 and $ARGUMENTS for x'],
    ['$0 $100 $ARGUMENTSX $x {{arg}} $$1', 'a', '$0 $100 $ARGUMENTSX $x {{arg}} $a'],
    ['$1', '中文 参数', '中文'],
    ['no variables', '', 'no variables'],
    ['no variables', 'but this', 'no variables\n\nbut this'],
  ])('%j with %j', (text, args, expected) => {
    expect(expandCommand({ text }, args)).toBe(expected)
  })

  it('refuses to multiply a long argument', () => {
    expect(() => expandCommand({ text: '$1'.repeat(10_000) }, 'x'.repeat(10_000))).toThrow(
      'A command may grow by 2,000,000 characters at most.',
    )
  })

  it('comes to an end with arguments and texts that are long', () => {
    for (const part of ['"', '"a ', "'", '\\', '"\\', ' ', 'a'])
      expect(expandCommand({ text: '$1 {{'.repeat(3) }, part.repeat(300_000 / part.length))).toContain('{{')
    for (const part of ['{{ ', '$', '\\$', '$1'])
      expect(expandCommand({ text: part.repeat(200_000) }, 'a')).toMatch(/^[{$a\\]/)
  })
})

import { expect, it } from 'vitest'
import { createReferenceParser } from '../../../../src/core/context/references.ts'
import {
  applyOption,
  findTrigger,
  matchCommands,
  splitMention,
  toFileOption,
  toReference,
} from './completion.ts'

const trigger = (text: string) => {
  const caret = text.indexOf('|')
  return findTrigger(text.replace('|', ''), caret)
}

it.each([
  ['/|', 'command', ''],
  ['/he|', 'command', 'he'],
  ['/搜|', 'command', '搜'],
  ['@|', 'mention', ''],
  ['look at @src/ma|', 'mention', 'src/ma'],
  ['看@文件:一|', 'mention', '文件:一'],
  ['one\n@two|', 'mention', 'two'],
  ['(@two|', 'mention', 'two'],
])('completes in %j', (text, kind, query) => {
  expect(trigger(text)).toMatchObject({ kind, query })
})

it.each([
  '|',
  'hello|',
  ' /help|',
  '/help |',
  '/help me|',
  '/usr/bin|',
  'mail me@home|',
  'npm i a/@b|',
  '@one two|',
  `@${'x'.repeat(200)}|`,
])('does not complete in %j', (text) => {
  expect(trigger(text)).toBeUndefined()
})

it('knows which kind was typed', () => {
  expect(splitMention('file:src')).toEqual({ only: 'file', words: 'src' })
  expect(splitMention('会话：旧')).toEqual({ only: 'session', words: '旧' })
  expect(splitMention('src')).toEqual({ words: 'src' })
})

it('finds commands by name, alias and part, in this order', () => {
  const command = (name: string, ...aliases: string[]) => ({ name, aliases, source: 'built-in' })
  const commands = [command('xsea'), command('look', 'seek'), command('search', '搜索'), command('other')]
  const names = (query: string) => matchCommands(commands, query).map(({ name }) => name)
  expect(names('se')).toEqual(['search', 'look', 'xsea'])
  expect(names('搜')).toEqual(['search'])
  expect(names('')).toEqual(['look', 'other', 'search', 'xsea'])
  expect(names('zzz')).toEqual([])
})

it.each(['src/main.ts', 'with space.md', 'a(b).txt', '文档/说明。md', 'ends.', "it's", 'a,b'])(
  'writes a reference to %j that the server reads back',
  (path) => {
    const text = `see ${toReference('file', path)} please`
    expect(
      createReferenceParser()
        .parseReferences(text)
        .map(({ type, id }) => [type, id]),
    ).toEqual([['file', path]])
  },
)

it('puts the pick in the place of what was typed', () => {
  const pick = (text: string, path: string, kind: 'file' | 'folder' = 'file') => {
    const caret = text.indexOf('|')
    const plain = text.replace('|', '')
    const { text: after, caret: at } = applyOption(
      plain,
      findTrigger(plain, caret)!,
      toFileOption({ path, kind }),
    )
    return `${after.slice(0, at)}|${after.slice(at)}`
  }
  expect(pick('see @ma|', 'src/main.ts')).toBe('see @file:src/main.ts |')
  expect(pick('see @ma| now', 'src/main.ts')).toBe('see @file:src/main.ts |now')
  expect(pick('see @s|', 'src', 'folder')).toBe('see @file:src/|')
  expect(trigger('see @file:src/|')).toMatchObject({ query: 'file:src/' })
})

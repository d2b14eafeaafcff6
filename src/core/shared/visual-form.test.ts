import { expect, it } from 'vitest'
import { visualForm } from './visual-form.ts'

it.each([
  'Operator',
  'ＯＰＥＲＡＴＯＲ',
  'o p e r a t o r',
  'oper\u200bator',
  'oper\u00adator',
  '«operator»',
  'ôpérator',
  'оpеratоr',
  'ᴏᴘᴇʀᴀᴛᴏʀ',
  '𝐨𝐩𝐞𝐫𝐚𝐭𝐨𝐫',
  'operator\u202e',
])('sees the same in %j', (name) => {
  expect(visualForm(name)).toBe(visualForm('operator'))
})

it('tells names apart that differ', () => {
  const names = ['operators', 'mira', 'ガ', 'カ', '牛奶', '牛', 'कि', 'का', '!!', '🐱', '🐶', 'a1', 'al']
  expect(new Set(names.map(visualForm)).size).toBe(names.length)
})

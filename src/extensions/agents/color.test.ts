import { expect, it } from 'vitest'
import { toColor } from './color.ts'

it.each([
  ['#AABBCC', '#aabbcc'],
  ['#abc', '#aabbcc'],
  [' Teal ', '#0f766e'],
  ['grey', '#6b7280'],
  ['mauve', undefined],
  ['constructor', undefined],
  ['#12345', undefined],
  [7, undefined],
  [['red'], undefined],
])('reads %j as %j', (given, color) => {
  expect(toColor(given)).toBe(color)
})

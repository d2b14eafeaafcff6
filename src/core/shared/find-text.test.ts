import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFinder, findText } from './find-text.ts'

it('finds what the engine finds', () => {
  const word = fc
    .array(fc.constantFrom('a', 'b', '\ud83d'), { maxLength: 8 })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(word, word, fc.nat(2_000), (one, other, from) => {
      const piece = `${one}${other}`.repeat(60) + one
      const text = `${other}${piece.slice(1)}${piece}${one}${piece}`
      expect(findText(text, piece, from)).toBe(text.indexOf(piece, from))
      expect(createFinder(piece)(text, from)).toBe(text.indexOf(piece, from))
    }),
  )
})

it('comes to an end, whatever is looked for', () => {
  const half = 'a'.repeat(1_000_000)
  const piece = `${half}b${half}`
  expect(findText('a'.repeat(5_000_000), piece)).toBe(-1)
  expect(findText(`${'a'.repeat(3_000_000)}b${half}`, piece)).toBe(2_000_000)
})

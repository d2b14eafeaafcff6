import { expect, it } from 'vitest'
import type { Message } from '../../../src/client/index.ts'
import { toHardBreaks, withPlainLines } from './plain-lines.ts'

it('keeps lines as lines, and what is fenced as it is', () => {
  expect(toHardBreaks('One\nTwo\n\nThree\n```\ncode\nmore\n```\nFour\nFive')).toBe(
    'One  \nTwo\n\nThree  \n```\ncode\nmore\n```\nFour  \nFive',
  )
})

it('leaves alone what a model said, and makes nothing twice', () => {
  const message = (parts: object[]) => ({ id: 'm', parts }) as unknown as Message
  const said = message([{ type: 'text', text: 'a\nb', state: 'done' }])
  expect(withPlainLines(said)).toBe(said)
  const written = message([{ type: 'text', text: 'a\nb' }])
  expect(withPlainLines(written).parts[0]).toMatchObject({ text: 'a  \nb' })
  expect(withPlainLines(written)).toBe(withPlainLines(written))
})

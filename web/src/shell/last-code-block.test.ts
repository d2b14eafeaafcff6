import { expect, it } from 'vitest'
import { lastCodeBlock } from './last-code-block.ts'

it('takes the last of several blocks, without fences and language', () => {
  expect(lastCodeBlock('a\n```js\none\n```\nb\n~~~\ntwo\nlines\n~~~\nend')).toBe('two\nlines')
})
it('finds nothing where there is no block', () => {
  expect(lastCodeBlock('just `code` in a line, and ```more``` of it')).toBeUndefined()
})
it('keeps shorter fences that are inside', () => {
  expect(lastCodeBlock('````md\n```\ninner\n```\n````')).toBe('```\ninner\n```')
})
it('takes the indent of a list away, and nothing more', () => {
  expect(lastCodeBlock('1. step\n   ```\n   one\n     two\n   ```')).toBe('one\n  two')
})
it('goes to the end when an answer was cut off', () => {
  expect(lastCodeBlock('```\ndone\n```\n```py\nhalf')).toBe('half')
})

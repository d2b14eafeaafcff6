import { describe, expect, it } from 'vitest'
import { ParleyError, type Issue } from '../../../src/client/index.ts'
import { toErrorText, toFieldErrors } from './field-errors.ts'
import { issueTexts as en } from './en.ts'
import { issueTexts as zh } from './zh.ts'

const invalid = (message: string, issues?: Issue[], more?: number) =>
  new ParleyError('invalid_request', message, issues && { details: { issues, more } })

const empty = (...path: Issue['path']): Issue => ({
  path,
  code: 'too_small',
  params: { origin: 'string', minimum: 1, inclusive: true },
})

describe('errors of the server', () => {
  it('are told at their fields, in the language of the page', () => {
    const error = invalid('English.', [
      empty('prompt'),
      {
        path: ['timeoutMs'],
        code: 'too_small',
        params: { origin: 'number', minimum: 1000, inclusive: true },
      },
      { path: ['x'], code: 'required', params: { expected: ['string'] } },
    ])
    expect(toFieldErrors(error, ['prompt', 'timeoutMs'], en)).toEqual({
      prompt: 'Can’t be empty.',
      timeoutMs: 'Must be at least 1000.',
      form: 'x: Required.',
    })
    expect(toFieldErrors(error, ['prompt', 'timeoutMs'], zh)).toEqual({
      prompt: '不能为空。',
      timeoutMs: '不能小于 1000。',
      form: '“x”：此项必填。',
    })
  })

  it('say where within a field, and belong to no field whose name only begins the same', () => {
    const error = invalid('English.', [empty('limits', 'maxSteps'), empty('names', 0), empty('named')])
    expect(toFieldErrors(error, ['limits', 'names', 'name'], en)).toEqual({
      limits: 'maxSteps: Can’t be empty.',
      names: '1: Can’t be empty.',
      form: 'named: Can’t be empty.',
    })
    expect(toFieldErrors(invalid('', [empty('limit', 'chars')]), ['limit.chars'], en)).toEqual({
      'limit.chars': 'Can’t be empty.',
    })
  })

  it('are told once, and how many more there are', () => {
    const error = invalid('English.', [empty('text'), empty('text')], 3)
    expect(toFieldErrors(error, ['text'], zh)).toEqual({ text: '不能为空。', form: '还有 3 处。' })
  })

  it('are told in the words of the server where only it has some, at their field', () => {
    const refused = invalid('The time zone "Mars" is not known.', [
      { path: ['timeZone'], code: 'custom', params: {} },
    ])
    expect(toFieldErrors(refused, ['timeZone'], zh)).toEqual({ timeZone: refused.message })
    const own: Issue = { path: ['to'], code: 'custom', params: { message: 'must be after "from"' } }
    expect(toFieldErrors(invalid('English.', [own, empty('x')]), ['to', 'x'], zh)).toEqual({
      to: 'must be after "from"',
      x: '不能为空。',
    })
    const unknown: Issue = { path: ['x'], code: 'custom', params: {} }
    expect(toFieldErrors(invalid('All of it.', [unknown, empty('y')]), ['x', 'y'], zh)).toEqual({
      form: 'All of it.',
    })
  })

  it('are told as a whole when they are about no field', () => {
    expect(toFieldErrors(new ParleyError('conflict', 'Not now.'), ['prompt'], en)).toEqual({
      form: 'Not now.',
    })
    expect(toFieldErrors(undefined, ['prompt'], en)).toEqual({})
    expect(toErrorText(new Error('No Parley answers.'), zh)).toBe('No Parley answers.')
    expect(toErrorText(invalid('English.', [empty('text')]), zh)).toBe('“text”：不能为空。')
  })
})

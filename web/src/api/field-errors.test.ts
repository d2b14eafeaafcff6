import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../src/client/index.ts'
import { toFieldErrors } from './field-errors.ts'

const invalid = (message: string) => new ParleyError('invalid_request', message)

describe('errors of the server', () => {
  it('are told at the fields that they name', () => {
    const error = invalid('At "prompt": too small; got "". At "timeoutMs": too small; got 0. At "x": no.')
    expect(toFieldErrors(error, ['prompt', 'timeoutMs'])).toEqual({
      prompt: 'Too small; got "".',
      timeoutMs: 'Too small; got 0.',
      form: 'At "x": no.',
    })
  })

  it('are told at the field whose words they use', () => {
    const error = invalid('The time zone "Mars" is not known. Name one of the IANA database.')
    expect(toFieldErrors(error, ['timeZone'], { timeZone: /^The time zone/ })).toEqual({
      timeZone: error.message,
    })
  })

  it('are told as a whole when they are about none', () => {
    expect(toFieldErrors(new ParleyError('conflict', 'Not now.'), ['prompt'])).toEqual({ form: 'Not now.' })
    expect(toFieldErrors(undefined, ['prompt'])).toEqual({})
  })
})

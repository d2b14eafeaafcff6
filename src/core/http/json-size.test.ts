import { describe, expect, it } from 'vitest'
import { requireFewValues } from './json-size.ts'

const check = (text: string, maxValues: number) => requireFewValues(Buffer.from(text), maxValues)
const refusal = { code: 'payload_too_large' }

describe('the number of values', () => {
  it('is that of lists, objects, keys and items, wherever they stand', async () => {
    await expect(check('[1,[2,3],{"a":4,"b":{}}]', 8)).resolves.toBeUndefined()
    await expect(check('[1,[2,3],{"a":4,"b":{}}]', 7)).rejects.toMatchObject(refusal)
  })

  it('does not count what stands in texts, escapes included', async () => {
    const text = String.raw`{"a,[{\"":"[,,,{\\","b":"\\\",,,[["}`
    expect(JSON.parse(text)).toBeTypeOf('object')
    await expect(check(text, 2)).resolves.toBeUndefined()
    await expect(check(text, 1)).rejects.toMatchObject(refusal)
  })

  it('is the same when a text or an escape lies across two slices of the body', async () => {
    for (const shift of [0, 1, 2, 3]) {
      const text = `{"a":"${'x'.repeat(1_048_576 - 8 + shift)}\\",,,\\\\","b":1}`
      expect(JSON.parse(text)).toBeTypeOf('object')
      await expect(check(text, 2), `${shift}`).resolves.toBeUndefined()
    }
  })

  it('ends the reading as soon as it is too large', async () => {
    await expect(check(`${'[],'.repeat(3_000_000)}`, 100)).rejects.toMatchObject(refusal)
  })
})

it('refuses what is nested beyond all measure, without reading it recursively', async () => {
  await expect(check('['.repeat(100_000), 1_000_000)).rejects.toMatchObject({ code: 'invalid_request' })
})

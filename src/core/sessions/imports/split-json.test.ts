import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { splitJson } from './split-json.ts'

const limits = { conversationBytes: 1_000, depth: 50, values: 100 }

/** The values of a text that arrives in pieces of a size. */
async function split(text: string, size = text.length || 1): Promise<{ values: string[]; torn: number[] }> {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const torn: number[] = []
  const values: string[] = []
  for await (const value of splitJson(Readable.from(pieces), limits, (line) => torn.push(line)))
    values.push(value.bytes.toString())
  return { values, torn }
}

const whole: [name: string, text: string, values: string[]][] = [
  ['nothing', '', []],
  ['an empty list', ' [ ] ', []],
  ['a list', '[{"a":[1,{"b":"]}"}]}, 2 ,"x,]", null]', ['{"a":[1,{"b":"]}"}]}', '2', '"x,]"', 'null']],
  ['a list over lines', '[\n{"a":\n1},\n[]\n]\n', ['{"a":\n1}', '[]']],
  ['lines', '{"a":1}\n\n{"b":"\\"}"}\r\n3\n', ['{"a":1}', '{"b":"\\"}"}', '3']],
  ['values over lines', '{\n"a":1}\n{\n"b":2}', ['{\n"a":1}', '{\n"b":2}']],
  ['a mark of byte order', '\uFEFF[{"a":"é"}]', ['{"a":"é"}']],
  ['text that ends with a backslash', '["\\\\",{"\\\\":"\\\\"}]', ['"\\\\"', '{"\\\\":"\\\\"}']],
  ['what is no JSON', 'role,content\nuser', ['role,content', 'user']],
  ['a closing bracket', ']\n}', [']', '}']],
]

it.each(whole)('finds the values of %s, however it arrives', async (_name, text, values) => {
  for (const size of [1, 2, 3, 7, 1_000]) expect((await split(text, size)).values).toEqual(values)
})

it('keeps lines apart when one is not whole', async () => {
  expect((await split('{"a":1}\n{"b":{\n{"c":3}\n{"d')).values).toEqual(['{"a":1}', '{"b":{', '{"c":3}'])
  expect((await split('{"a":1}\n{"b":"\n{"c":3}\n')).values).toEqual(['{"a":1}', '{"b":"', '{"c":3}'])
  expect((await split('{"a":1}\n{"d')).torn).toEqual([2])
})

const refused: [name: string, text: string, message: RegExp][] = [
  ['a list that is cut off', '[{"a":1},{"b"', /cut off/],
  ['a list that does not end', '[{"a":1}', /after 1 values.*cut off/],
  ['a single value that is cut off', '{"a":[1,\n2', /middle of its first value/],
  ['a list without commas', '[{} {}]', /comma is missing/],
  ['a list of commas', '[,]', /comma where a value belongs/],
  ['a list that ends after a comma', '[1,]', /after a comma/],
  ['something after a list', '[1]\n[2]', /Line 2: something follows/],
  ['nesting without end', '['.repeat(100), /more than 50 levels.*imports\.depth/],
  ['nesting in lines', `{"a":1}\n${'{"a":'.repeat(100)}`, /Line 2: nested.*imports\.depth/],
  ['a value of very many values', `[[${'0,'.repeat(200)}0]]`, /more than 100 values \(imports\.values\)/],
  ['a value without end', `["${'x'.repeat(2_000)}`, /larger than 1000 bytes \(imports\.conversationBytes\)/],
]

it.each(refused)('refuses %s', async (_name, text, message) => {
  for (const size of [1, 13, 10_000]) await expect(split(text, size)).rejects.toThrow(message)
})

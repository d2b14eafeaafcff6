import { afterEach, describe, expect, it } from 'vitest'
import { ParleyError } from '../../protocol/error.ts'
import { formats } from './format.ts'
import { readDocuments } from './read-documents.ts'
import { sampleDocument } from './sample-document.ts'

const head = 'format: parley.session\nversion: 1\nsession:\n  title: x\n'
const jsonWith = (metadata: string) =>
  `{"format":"parley.session","version":1,"session":{},"messages":[{"role":"user","content":"x","metadata":${metadata}}]}`
const yamlWith = (metadata: string) =>
  `${head}messages:\n  - role: user\n    content: x\n    metadata: ${metadata}\n...\n`
const jsonlWith = (metadata: string) =>
  [
    '{"type":"session","format":"parley.session","version":1,"messageCount":1,"session":{}}',
    `{"type":"message","role":"user","content":"x","metadata":${metadata}}\n`,
  ].join('\n')
const markdownWith = (metadata: string) =>
  [
    `---\n${head}messageCount: 1\n---\n`,
    `<!-- parley:message {"role":"user","metadata":${metadata}} -->\n## User\n`,
    '<!-- parley:content text -->\n\nx\n',
    '<!-- parley:end -->\n',
  ].join('\n')
const every = { json: jsonWith, yaml: yamlWith, jsonl: jsonlWith, markdown: markdownWith }

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
for (let level = 1; level < 10; level++) bomb.push(`a${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}x]`)

const hostile: Record<string, string> = {
  'a YAML alias bomb': `${head}${bomb.join('\n')}\n...\n`,
  'an alias to an anchor': yamlWith('[&a 1, *a]'),
  'a merge key with an alias': `${head}base: &b {a: 1}\nother: {<<: *b}\n...\n`,
  'a YAML 1.1 directive that would switch merge keys on': `%YAML 1.1\n---\n${yamlWith('{<<: {a: 1}}')}`,
  '!!js/function': yamlWith('{f: !!js/function "function () { return 1 }"}'),
  'a tag of another language': yamlWith('!!python/object/apply:os.system ["id"]'),
  '!!binary': yamlWith('{b: !!binary AAAA}'),
  'duplicate keys': yamlWith('{a: 1, a: 2}'),
  infinity: yamlWith('{n: .inf}'),
  'two YAML documents': `${yamlWith('{}')}---\n${yamlWith('{}')}`,
  'nested flow lists': yamlWith('['.repeat(100_000)),
  'nested flow lists, closed': yamlWith(`{a: ${deep}}`),
  'nested block lists': `${head}messages:\n  ${'- '.repeat(90_000)}x\n...\n`,
  'nested flow maps': yamlWith('{a: '.repeat(40_000)),
  'a file of commas': `${head}messages: [${','.repeat(150_000)}\n...\n`,
  'a map of one key, repeated': `${head}${'a: 1\n'.repeat(28_000)}...\n`,
  'more tokens than the limit': `${head}messages:\n${'- 1\n'.repeat(1_000_000)}...\n`,
  'more text than the limit': `${head}messages: "${'x'.repeat(5_000_000)}"\n...\n`,
  'nested JSON lists': jsonWith(`{"a":${deep}}`),
  'nested JSON objects': jsonWith(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  'nested JSON that never ends': '['.repeat(100_000),
  'nested JSON Lines': jsonlWith(`{"a":${deep}}`),
  'nested front matter': `---\n${head}  modeState: ${'['.repeat(100_000)}\n---\n\n<!-- parley:end -->\n`,
  'nested JSON in a marker': markdownWith(`{"a":${deep}}`),
  'arguments of a tool call that are nested': JSON.stringify([
    {
      role: 'assistant',
      tool_calls: [{ id: '1', function: { name: 'f', arguments: `${deep}` } }],
    },
  ]),
  'a nested type of a line': `{"type":${deep},"format":"parley.session"}\n{}\n`,
  'a nested format': `{"type":"session","format":"parley.session","version":${deep},"messageCount":0,"session":{}}`,
  'nested content': `[{"role":"user","content":{"a":${deep}}}]`,
  'a nested error of a tool': `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","is_error":true,"content":${deep}}]}]`,
  'a million wrong messages': jsonWith('{}').replace('"messages":[', `"messages":[${'0,'.repeat(1_000_000)}`),
  'a million wrong parts': jsonWith('{}').replace(
    '"content":"x"',
    `"parts":[${'{"type":"text"},'.repeat(500_000)}0]`,
  ),
  'a million wrong names': jsonWith('{}').replace(
    '"session":{}',
    `"session":{"allowedTools":[${'0,'.repeat(1_000_000)}0]}`,
  ),
  'a million lines of junk': `{}\n${'x\n'.repeat(1_000_000)}`,
  'another version': jsonWith('{}').replace('"version":1', '"version":2'),
  'another version in JSON Lines': jsonlWith('{}').replace('"version":1', '"version":2'),
  'the format of another tool': '{"format":"other.tool","version":1,"items":[]}',
  'the YAML of another tool': 'format: other.tool\nmessages: []\n...\n',
  'an empty file': '',
  'nothing but blanks': ' \r\n\t\n',
  'a byte order mark alone': '\uFEFF',
  'binary junk': Buffer.from(
    Array.from({ length: 4_000 }, (_, index) => (index * 7_919 + (index >> 3)) % 256),
  ).toString(),
  'a PNG': '\uFFFDPNG\r\n\u001A\n\0\0\0\rIHDR',
  'a bare number': '42',
  'a list of numbers': '[1, 2, 3]',
  'an empty object': '{}',
  'a role that does not exist': '[{"role":"root","content":"x"}]',
  'a role named like a method': '[{"role":"toString","content":"x"}]',
  'permissions in a document': jsonWith('{}').replace(
    '"session":{}',
    '"session":{"grantedPaths":["/"],"permissionMode":"bypassPermissions"}',
  ),
}
for (const [name, write] of Object.entries(every)) {
  hostile[`a __proto__ key in ${name}`] = write('{"__proto__":{"polluted":true}}')
  hostile[`a nested __proto__ key in ${name}`] = write('{"a":[{"__proto__":{"polluted":true}}]}')
  hostile[`a NUL escape in ${name}`] = write(String.raw`{"a":"\u0000"}`)
  hostile[`a NUL byte in ${name}`] = write('{"a":"\0"}')
  hostile[`half a surrogate pair in ${name}`] = write(String.raw`{"a":"\ud800"}`)
  hostile[`half a surrogate pair in a key in ${name}`] = write(String.raw`{"\udc00":1}`)
}
hostile['a __proto__ key in UI messages'] =
  '[{"role":"user","content":"x","metadata":{"__proto__":{"polluted":true}}}]'
hostile['a __proto__ key in arguments'] = JSON.stringify([
  {
    role: 'assistant',
    tool_calls: [{ id: '1', function: { name: 'f', arguments: '{"__proto__":{"polluted":true}}' } }],
  },
])
hostile['a NUL in a Claude Code log'] =
  String.raw`{"type":"user","message":{"role":"user","content":"\u0000"}}`

const pristine = Object.getOwnPropertyNames(Object.prototype)

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(pristine)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

describe('readDocuments refuses', () => {
  it.each(Object.entries(hostile))('%s', (_name, text) => {
    expect(() => readDocuments(text)).toThrow(ParleyError)
  })

  it('the same through each reader, whichever is asked for', () => {
    for (const text of Object.values(hostile).filter((candidate) => candidate.length < 10_000))
      for (const format of Object.values(formats)) expect(() => format.read(text)).toThrow(ParleyError)
  })
})

describe.each(Object.values(formats))('a $name file', (format) => {
  const written = format.write(sampleDocument)

  it('is refused when it was cut off, wherever that was', () => {
    for (let length = 1; length < written.trimEnd().length; length += 3) {
      expect(() => readDocuments(written.slice(0, length)), `the first ${length} characters`).toThrow(
        ParleyError,
      )
      expect(() => format.read(written.slice(0, length)), `the first ${length} characters`).toThrow(
        ParleyError,
      )
    }
  })

  it('is read when only the line break at its end is missing', () => {
    expect(readDocuments(written.trimEnd())).toEqual([sampleDocument])
  })

  it('keeps keys that are names of methods', () => {
    const metadata = { constructor: 'a', toString: 'b', hasOwnProperty: { valueOf: 1 } }
    const document = { ...sampleDocument, messages: [{ role: 'user' as const, content: 'x', metadata }] }
    expect(JSON.stringify(format.read(format.write(document)).messages[0]?.metadata)).toBe(
      JSON.stringify(metadata),
    )
  })
})

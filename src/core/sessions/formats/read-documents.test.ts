import { describe, expect, it } from 'vitest'
import { formats } from './format.ts'
import { readableFormats, readDocuments } from './read-documents.ts'
import { sampleDocument } from './sample-document.ts'

const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const claude = { type: 'user', message: { role: 'user', content: 'Hi' }, uuid: 'u1', sessionId: 's1' }
const hello = { role: 'user', content: 'Hi' }

describe('recognises', () => {
  it.each([
    ['messages in a list', JSON.stringify([hello], null, 2)],
    ['messages in an object', JSON.stringify({ id: 'x', messages: [hello] })],
    ['messages in YAML', 'title: x\nmessages:\n  - role: user\n    content: Hi\n'],
    ['one message per line', lines(hello, { role: 'assistant', content: 'Ho' })],
    ['a single message', lines(hello)],
    ['one conversation per line', lines({ messages: [hello] })],
    ['a log of Claude Code', lines(claude)],
    [
      'a log of Claude Code that begins with other lines',
      lines({ type: 'mode', mode: 'x' }, { type: 'progress' }, claude),
    ],
  ])('%s', (_name, text) => {
    const [document] = readDocuments(text)
    expect(document?.messages[0]).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'Hi' }] })
  })

  it('several conversations', () => {
    expect(
      readDocuments(lines({ messages: [hello] }, { messages: [hello, hello] })).map((d) => d.messages.length),
    ).toEqual([1, 2])
  })

  it('a session without messages in every format', () => {
    const empty = { ...sampleDocument, messages: [] }
    for (const format of Object.values(formats)) expect(readDocuments(format.write(empty))).toEqual([empty])
  })
})

it('reads as the format that is asked for', () => {
  expect(readDocuments(formats.json.write(sampleDocument), { format: 'json' })).toEqual([sampleDocument])
  expect(() => readDocuments('[]', { format: 'json' })).toThrow(
    'expected object; got []. The file was read as json.',
  )
  expect(() => readDocuments('[]', { format: 'docx' })).toThrow(
    /^Unknown format "docx"\. Formats that can be imported: json/,
  )
})

it('says what is wrong, where, and what would be right', () => {
  const text = formats.json.write(sampleDocument).replace('"user"', '"root"')
  expect(() => readDocuments(text)).toThrow(
    `messages.1 is not valid. At "role": expected "user" or "assistant" or "system"; got "root". The file was read as json. ` +
      `Formats that can be imported: ${readableFormats.join(', ')}.`,
  )
})

it('refuses two messages with one id in our own formats', () => {
  const text = formats.jsonl.write(sampleDocument).replace('"msg_2"', '"msg_1"')
  expect(() => readDocuments(text)).toThrow('messages.0 and messages.1 have the same id "msg_1"')
})

import { expect, it } from 'vitest'
import { formats } from './format.ts'
import { readJsonl } from './jsonl.ts'
import { sampleDocument } from './sample-document.ts'

const written = formats.jsonl.write(sampleDocument)

it('writes the session first, then one message per line', () => {
  const lines = written.split('\n')
  expect(lines[0]).toMatch(
    /^\{"type":"session","format":"parley.session","version":1,"messageCount":3,"session":\{"id"/,
  )
  expect(lines[1]).toBe('{"type":"message","id":"msg_1","role":"system","content":"Be brief."}')
  expect(lines).toHaveLength(5)
})

it('says which line is torn', () => {
  expect(() => readJsonl(written.slice(0, -10))).toThrow(
    'Line 4, the last one and perhaps cut off, is not valid JSON',
  )
  expect(() => readJsonl(written.replace('"role":"user"', '"role:"user"'))).toThrow(
    'Line 3 is not valid JSON',
  )
})

it('notices messages that are missing at a line border', () => {
  const cut = written.split('\n').slice(0, 3).join('\n')
  expect(() => readJsonl(cut)).toThrow('announces 3 messages, but the file holds 2')
})

it('refuses lines of other kinds and headers with more in them', () => {
  expect(() => readJsonl(written.replace('"type":"message"', '"type":"note"'))).toThrow(
    'Line 2 has the type "note", but "message" belongs there.',
  )
  expect(() => readJsonl(written.replace('"version":1', '"version":1,"messages":[]'))).toThrow(
    'unknown key "messages"',
  )
})

import { describe, expect, it } from 'vitest'
import { decodeText } from './charset.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')
const page = (charset: string, body: Buffer) =>
  Buffer.concat([latin(`<html><head><meta charset="${charset}"></head>`), body])

describe('text is read', () => {
  it.each([
    ['as the header says', latin('caf\xe9'), 'text/plain; charset=iso-8859-1', 'café'],
    ['with quotes around the name', latin('caf\xe9'), 'text/plain; charset="ISO-8859-1"', 'café'],
    ['as UTF-8 when nothing is said', Buffer.from('café 中文'), 'text/plain', 'café 中文'],
    ['as Windows-1252 where UTF-8 does not fit', latin('caf\xe9 \x93hi\x94'), 'text/plain', 'café “hi”'],
    [
      'as if nothing was said, by an unknown name',
      Buffer.from('café'),
      'text/plain; charset=klingon',
      'café',
    ],
    [
      'by its mark, whatever the header says',
      Buffer.from('\ufeffcafé'),
      'text/plain; charset=latin1',
      'café',
    ],
    ['by a mark of UTF-16', Buffer.from('\ufeffcafé', 'utf16le'), 'text/plain', 'café'],
    ['in Chinese', Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), 'text/html; charset=gb2312', '中文'],
    ['in Japanese', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/html; charset=Shift_JIS', '日本'],
  ])('%s', (_name, body, contentType, text) => {
    expect(decodeText(body, contentType)).toBe(text)
  })

  it('as the page itself says, after the header', () => {
    const gbk = page('gbk', Buffer.from([0xd6, 0xd0]))
    expect(decodeText(gbk, 'text/html')).toContain('中')
    expect(decodeText(gbk, 'text/html; charset=utf-8')).toContain('\ufffd')
    const xml = latin('<?xml version="1.0" encoding="iso-8859-1"?><a>\xe9</a>')
    expect(decodeText(xml, 'application/xml')).toContain('é')
  })
})

import { expect, it } from 'vitest'
import { readAttachment } from './attachment.ts'

it.each(['%', '100% sure', '%zz', '%F0%9F'])(
  'reads %j, which is no way to write a text in a URL, as it is',
  (text) => {
    const { source } = readAttachment({
      type: 'file',
      url: `data:text/plain,${text}`,
      mediaType: 'text/plain',
    })
    expect(source).toEqual({ text: `<file name="file">\n${text}\n</file>` })
  },
)

it('reads a text that is written for a URL', () => {
  const { source } = readAttachment({
    type: 'file',
    url: 'data:,a%20b',
    mediaType: 'text/plain',
    filename: 'a.txt',
  })
  expect(source).toEqual({ text: '<file name="a.txt">\na b\n</file>' })
})

import { expect, it } from 'vitest'
import {
  addAttachments,
  freeName,
  maxTotalBytes,
  readFile,
  textToAttachment,
  type Attachment,
} from './attachments.ts'

const read = (name: string, content: BlobPart, type = '') => readFile(new File([content], name, { type }))
const contentOf = ({ url }: Attachment) => Buffer.from(url.split(',')[1]!, 'base64').toString()

it('reads an image as it is, and any text as text', async () => {
  expect(await read('a.png', new Uint8Array([137, 80, 0]), 'image/png')).toMatchObject({
    name: 'a.png',
    mediaType: 'image/png',
    url: 'data:image/png;base64,iVAA',
    bytes: 3,
  })
  const source = (await read('main.rs', '// 你好')) as Attachment
  expect(source.mediaType).toBe('text/plain')
  expect(contentOf(source)).toBe('// 你好')
  expect(await read('a.json', '{}', 'application/json')).toMatchObject({ mediaType: 'application/json' })
  // markup that no provider takes as an image, and that a browser must not be given as one
  expect(await read('a.svg', '<svg/>', 'image/svg+xml')).toMatchObject({ mediaType: 'text/plain' })
})

it('refuses what no model can read', async () => {
  expect(await read('a.zip', new Uint8Array([80, 75, 3, 4, 0, 255]), 'application/zip')).toBe('unreadable')
  expect(await read('a.txt', new Uint8Array([255, 254]), 'text/plain')).toBe('unreadable')
  expect(await read('a.txt', 'x'.repeat(maxTotalBytes + 1))).toBe('too-large')
})

it('takes as many as fit, and says which do not', () => {
  const half = { ...textToAttachment('half', ''), bytes: maxTotalBytes / 2 }
  const { attachments, refused } = addAttachments(
    [half],
    [
      { name: 'fits', result: { ...half, name: 'fits' } },
      { name: 'too much', result: { ...half, bytes: 1 } },
      { name: 'broken', result: 'unreadable' },
    ],
  )
  expect(attachments.map(({ name }) => name)).toEqual(['half', 'fits'])
  expect(refused).toEqual([
    { name: 'too much', reason: 'too-large' },
    { name: 'broken', reason: 'unreadable' },
  ])
})

it('names pasted files one after another', () => {
  const first = textToAttachment(freeName([]), 'a')
  expect(first.name).toBe('pasted.txt')
  expect(freeName([first])).toBe('pasted-2.txt')
})

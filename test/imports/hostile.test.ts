import { afterEach, describe, expect, it } from 'vitest'
import type { Parley, ParleyOptions } from '../../src/parley.ts'
import { asFile, asLines, notesOf, openHere, textsIn } from './import-harness.ts'
import { makeZip } from './make-zip.ts'
import { gptBranches, gptConversation, gptNode } from './samples.ts'

const pristine = Object.getOwnPropertyNames(Object.prototype)

afterEach(() => {
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(pristine)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

const isEmpty = async ({ sessions }: Parley) => (await sessions.list({ variants: 'all' })).items.length === 0

const good = JSON.stringify([gptBranches])
const zeros = Buffer.alloc(5_000_000)
const zip = (...files: Parameters<typeof makeZip>[0]) => makeZip(files)

const refused: [
  name: string,
  content: string | Buffer,
  message: RegExp,
  imports?: ParleyOptions['imports'],
][] = [
  ['nothing', '', /it is empty.*Formats that can be imported: ChatGPT/],
  ['blanks', ' \n ', /it is empty/],
  ['prose', '# Notes\n\nof a person', /begins with "# Notes/],
  ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), /not a known export/],
  [
    'JSON of another program',
    '{"name":"package","version":"1"}',
    /objects with the fields "name", "version"/,
  ],
  ['a list of numbers', '[1,2,3]', /JSON values such as 1/],
  ['an empty list', '[]', /not a known export/],
  ['a file that was cut off', good.slice(0, -20), /cut off/],
  ['another Parley', '{"format":"other.session"}', /"format"/],
  ['a file that is too large', good, /larger than 100 bytes \(imports\.fileBytes\)/, { fileBytes: 100 }],
  ['a conversation that is too large', good, /imports\.conversationBytes/, { conversationBytes: 500 }],
  ['values without end', `[{"mapping":[${'{},'.repeat(3_000_000)}`, /imports\.values/],
  ['nesting without end', `[{"mapping":${'{"a":'.repeat(20_000)}`, /imports\.depth/],
  [
    'an archive that was cut off',
    zip({ name: 'conversations.json', content: good }).subarray(0, 200),
    /archive cannot be read/,
  ],
  ['an empty archive', zip(), /archive is empty/],
  ['an archive of pictures', zip({ name: 'a.png', content: 'x' }), /No file of the archive.*"a\.png"/],
  [
    'a path upwards',
    zip({ name: '../../conversations.json', content: good }),
    /archive cannot be read.*relative path/,
  ],
  [
    'an absolute path',
    zip({ name: '/etc/conversations.json', content: good }),
    /archive cannot be read.*absolute path/,
  ],
  ['an encrypted file', zip({ name: 'conversations.json', content: good, isEncrypted: true }), /encrypted/],
  [
    'a size that is stated wrong',
    zip({ name: 'conversations.json', content: good, statedSize: 10 }),
    /archive cannot be read at "conversations\.json"/,
  ],
  [
    'a bomb',
    zip({ name: 'conversations.json', content: zeros }),
    /imports\.unpackedBytes/,
    { unpackedBytes: 1_000_000 },
  ],
  [
    'a bomb in one value',
    zip({ name: 'conversations.json', content: `["${zeros.toString('latin1')}` }),
    /imports\.conversationBytes/,
    { conversationBytes: 1_000_000 },
  ],
  [
    'too many files',
    zip(...Array.from({ length: 20 }, (_, index) => ({ name: `${index}.json`, content: '{}' }))),
    /imports\.entries/,
    { entries: 10 },
  ],
]

describe('a file is refused as a whole, and nothing is stored', () => {
  it.each(refused)('%s', async (_name, content, message, imports) => {
    await using open = await openHere({ imports })
    const taken = open.parley.sessions.importFile(new Blob([content]))
    await expect(taken).rejects.toThrow(message)
    await expect(taken).rejects.toMatchObject({ name: 'ParleyError' })
    expect(await isEmpty(open.parley)).toBe(true)
  })
})

describe('a conversation that is wrong is reported, and the others are stored', () => {
  const wrong: [name: string, value: unknown, message: RegExp][] = [
    ['another kind of value', 5, /not an object: 5/],
    ['a conversation of another program', { chat_messages: [] }, /not a conversation of ChatGPT/],
    ['a mapping that is a list', { title: 'x', mapping: [] }, /not a conversation/],
    ['a role that nobody has', gptConversation('r', gptNode('a', null, 'root', 'x')), /role "root"/],
    [
      'more values than a message may have',
      gptConversation(
        'v',
        gptNode('a', null, 'user', null, {
          message: { content: { content_type: 'odd', list: Array(80_000).fill(0) } },
        }),
      ),
      /limits\.jsonValues/,
    ],
  ]
  it.each(wrong)('%s', async (_name, value, message) => {
    await using open = await openHere()
    const report = await open.parley.sessions.importFile(
      asFile([gptBranches, value, { ...gptBranches, conversation_id: 'x' }]),
    )
    expect(report).toMatchObject({ conversations: 3, sessions: { added: 6 }, failed: 1 })
    expect(report.failures).toMatchObject([
      { place: expect.stringMatching(/^line 1/) as string, reason: expect.stringMatching(message) as string },
    ])
  })

  it('a value that is not JSON', async () => {
    await using open = await openHere()
    const report = await open.parley.sessions.importFile(
      new Blob([`[${JSON.stringify(gptBranches)},{"mapping":{]}]`]),
    )
    expect(report).toMatchObject({ sessions: { added: 3 }, failed: 1 })
    expect(report.failures[0]!.reason).toContain('not valid JSON')
  })
})

describe('what is odd is taken with care', () => {
  it('keys of prototypes, in ids and anywhere else', async () => {
    await using open = await openHere()
    const polluted = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
    const text = `[{${polluted},"conversation_id":"__proto__","title":"odd","mapping":{
      "__proto__":{"id":"__proto__","parent":null,"message":{"author":{"role":"user",${polluted}},"content":{"content_type":"text","parts":["one"]}}},
      "constructor":{"parent":"__proto__","message":{"author":{"role":"assistant"},"content":{"content_type":"toString",${polluted},"x":1}}}}}]`
    const report = await open.parley.sessions.importFile(new Blob([text]))
    expect(report).toMatchObject({ sessions: { added: 1 }, failed: 0 })
    const [session] = (await open.parley.sessions.list()).items
    const exported = await open.parley.sessions.export(session!.id)
    expect(exported).toContain('"one"')
    expect(exported).not.toContain('"__proto__":')
  })

  it('characters that cannot be stored are removed and counted', async () => {
    await using open = await openHere()
    const mapping = gptNode('a', null, 'user', 'a\0b\ud800c')
    const report = await open.parley.sessions.importFile(
      asFile([gptConversation('c', mapping, { title: 'x\u0007\ud800' })]),
    )
    expect(notesOf(report)).toEqual({ characters_removed: 1 })
    expect(await textsIn(open.parley)).toEqual([['ab\ufffdc']])
  })

  it('ids that are used twice, or are no ids', async () => {
    await using open = await openHere()
    const said = (uuid: unknown, text: string) => ({
      uuid,
      sender: 'human',
      text,
      created_at: '2025-01-01T00:00:00Z',
    })
    const chat = {
      uuid: '../../etc/passwd',
      name: 'a\nb'.repeat(400),
      chat_messages: [
        said('same', 'one'),
        said('same', 'two'),
        said(7, 'three'),
        said('x'.repeat(500), 'four'),
      ],
    }
    const report = await open.parley.sessions.importFile(asFile([chat]))
    expect(report).toMatchObject({ failed: 0, messages: expect.any(Number) as number })
    expect(notesOf(report)).toMatchObject({ duplicate_ids: 1 })
    expect((await textsIn(open.parley)).flat()).toEqual(
      expect.arrayContaining(['one', 'two', 'three', 'four']),
    )
  })

  it('a tree as wide and as deep as its limits', async () => {
    await using open = await openHere({ imports: { branches: 20, messages: 5_000 } })
    const wide: Record<string, unknown> = gptNode('n0', null, 'user', 'start')
    for (let index = 1; index < 3_000; index++)
      Object.assign(wide, gptNode(`n${index}`, `n${index - 1}`, 'user', 'deep'))
    for (let index = 0; index < 3_000; index++)
      Object.assign(wide, gptNode(`w${index}`, 'n0', 'assistant', 'wide'))
    const report = await open.parley.sessions.importFile(
      asFile([gptConversation('tree', wide, { current_node: 'n2999' })]),
    )
    expect(report.sessions.added).toBe(20)
    expect(notesOf(report)).toEqual({ branches_left_out: 2_981 })
  })

  it('lines that are wrong, among those of a log', async () => {
    await using open = await openHere()
    const line = (payload: object) => ({ timestamp: '2025-01-01T00:00:00Z', type: 'response_item', payload })
    const said = (text: string) =>
      line({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
    const text = await asLines([
      line({ type: 'unknown' }),
      said('one'),
      line({ type: 'message', role: 'user' }),
    ]).text()
    const report = await open.parley.sessions.importFile(
      new Blob([text, '{"broken\n', '5\n', JSON.stringify(said('two'))]),
    )
    expect(notesOf(report)).toEqual({ other_lines: 1, empty_messages: 1, broken_lines: 2 })
    expect(await textsIn(open.parley)).toEqual([['one', 'two']])
  })
})

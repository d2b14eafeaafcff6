import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/protocol/message.ts'
import { anyDatabase } from '../harness.ts'
import { asFile, messagesOf, notesOf, onlySession, openHere, openOn, textsIn } from './import-harness.ts'
import { makeZip } from './make-zip.ts'
import { gptBranches, gptConversation, gptNode, textOf } from './samples.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe.each(anyDatabase)('an export of ChatGPT on %s', (_name, openDatabase) => {
  it('becomes sessions with titles and times, each branch a variant', async () => {
    await using open = await openOn(openDatabase)
    const { parley } = open
    const report = await parley.sessions.importFile(asFile([gptBranches]))
    expect(report).toMatchObject({
      formats: ['chatgpt'],
      conversations: 1,
      sessions: { added: 3, extended: 0, unchanged: 0 },
      messages: 7,
      failed: 0,
      notes: [],
    })
    const { items } = await parley.sessions.list()
    expect(items.map(({ title, createdAt, updatedAt }) => [title, createdAt, updatedAt])).toEqual([
      ['Water', '2023-11-14T22:15:00.000Z', '2023-11-14T22:28:20.500Z'],
    ])
    const messages = await messagesOf(parley, items[0]!.id)
    expect(messages.map(({ role, parts, createdAt }) => [role, textOf(parts), createdAt])).toEqual([
      ['user', 'What is a fjord?', '2023-11-14T22:13:30.000Z'],
      ['assistant', 'An inlet made by ice.', '2023-11-14T22:15:00.000Z'],
      ['user', 'Thanks', '2023-11-14T22:15:10.000Z'],
    ])
    expect(await textsIn(parley)).toEqual([
      ['What is a fjord?', 'A long inlet.'],
      ['What is a fjord?', 'An inlet made by ice.', 'Thanks'],
      ['What is a delta?', 'The mouth of a river.'],
    ])
    const variants = (await parley.sessions.variants(items[0]!.id)).items
    const [first] = variants
    expect(variants.map(({ forkedFrom }) => forkedFrom)).toEqual([
      undefined,
      { sessionId: first!.sessionId, messageId: 'a1', before: true },
      { sessionId: first!.sessionId, messageId: 'q1', before: true },
    ])
  })

  it('is one when it is imported twice, and grows when it has grown', async () => {
    await using open = await openOn(openDatabase)
    const { parley } = open
    await parley.sessions.importFile(asFile([gptBranches]))
    const again = await parley.sessions.importFile(asFile([gptBranches]))
    expect(again).toMatchObject({ sessions: { added: 0, extended: 0, unchanged: 3 }, messages: 0 })
    const mapping = {
      ...gptBranches.mapping,
      ...gptNode('a3', 'q3', 'assistant', 'You are welcome.', { time: 1_700_001_000 }),
      ...gptNode('a4', 'q3', 'assistant', 'Any time.', { time: 1_700_001_100 }),
    }
    const grown = gptConversation('conv-branches', mapping, {
      current_node: 'a4',
      update_time: 1_700_001_200,
    })
    const third = await parley.sessions.importFile(asFile([grown]))
    expect(third).toMatchObject({ sessions: { added: 1, extended: 1, unchanged: 2 }, messages: 5, notes: [] })
    expect(await textsIn(parley)).toContainEqual([
      'What is a fjord?',
      'An inlet made by ice.',
      'Thanks',
      'Any time.',
    ])
    expect((await parley.sessions.list()).items).toMatchObject([{ updatedAt: '2023-11-14T22:33:20.000Z' }])
  })

  it('stays as it is where it was continued here, and that is counted', async () => {
    await using open = await openOn(openDatabase)
    const { parley } = open
    const line = {
      ...gptNode('q', null, 'user', 'Hello', { time: 1_700_000_000 }),
      ...gptNode('a', 'q', 'assistant', 'Hi', { time: 1_700_000_001 }),
    }
    await parley.sessions.importFile(asFile([gptConversation('c', line)]))
    const { id } = await onlySession(parley)
    await parley.sessions.append(id, { role: 'user', content: 'Said here' })
    expect(await parley.sessions.importFile(asFile([gptConversation('c', line)]))).toMatchObject({
      sessions: { unchanged: 1 },
      notes: [],
    })
    const grown = { ...line, ...gptNode('q2', 'a', 'user', 'Said there', { time: 1_700_000_002 }) }
    const report = await parley.sessions.importFile(asFile([gptConversation('c', grown)]))
    expect(report).toMatchObject({ sessions: { unchanged: 1 }, messages: 0 })
    expect(notesOf(report)).toEqual({ continued_here: 1 })
    expect(await textsIn(parley)).toEqual([['Hello', 'Hi', 'Said here']])
  })
})

describe('an archive of ChatGPT', () => {
  it('holds images, of which those that are missing are named and counted', async () => {
    await using open = await openHere()
    const { parley } = open
    const parts = [
      {
        content_type: 'image_asset_pointer',
        asset_pointer: 'file-service://file-AbC123',
        width: 1,
        height: 1,
      },
      { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_00aa', width: 1, height: 1 },
      { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-Gone', width: 1, height: 1 },
      'What is this?',
    ]
    const metadata = {
      attachments: [
        { id: 'file-AbC123', name: 'a.png', mime_type: 'image/png' },
        { id: 'file-Notes1', name: 'notes.txt', mime_type: 'text/plain' },
      ],
    }
    const asking = {
      message: { content: { content_type: 'multimodal_text', parts } },
      metadata,
    }
    const conversation = gptConversation('images', gptNode('q', null, 'user', '', asking))
    const zip = makeZip([
      { name: 'export/conversations-000.json', content: JSON.stringify([conversation]) },
      { name: 'export/conversations-001.json', content: JSON.stringify([gptBranches]) },
      { name: 'export/user.json', content: '{"id":"user"}' },
      { name: 'export/chat.html', content: '<html></html>' },
      { name: 'export/file-AbC123-a.png', content: png },
      { name: 'export/dalle-generations/file_00aa-b.dat', content: png },
      { name: 'export/file-Notes1-notes.txt', content: 'Buy milk' },
    ])
    const report = await parley.sessions.importFile(new Blob([zip]))
    expect(report).toMatchObject({
      formats: ['chatgpt'],
      conversations: 2,
      sessions: { added: 4 },
      failed: 0,
    })
    expect(notesOf(report)).toMatchObject({ images_missing: 1 })
    const { items } = await parley.sessions.list({ q: 'this' })
    const [message] = await messagesOf(parley, items[0]!.id)
    const image = {
      type: 'file',
      mediaType: 'image/png',
      url: `data:image/png;base64,${png.toString('base64')}`,
    }
    expect(message!.parts).toMatchObject([
      image,
      image,
      { type: 'text', text: expect.stringContaining('file-Gone') as string },
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'text/plain', filename: 'notes.txt' },
    ])
  })
})

describe('a conversation of ChatGPT', () => {
  const take = async (mapping: object, more: object = {}) => {
    await using open = await openHere()
    const report = await open.parley.sessions.importFile(asFile([gptConversation('c', mapping, more)]))
    const { items } = await open.parley.sessions.list({ variants: 'all', archived: 'all' })
    const texts = await textsIn(open.parley)
    const first = items[0] ? await messagesOf(open.parley, items[0].id) : []
    return { report, notes: notesOf(report), texts, items, first }
  }

  it('keeps calls of tools with their results, thoughts, code and instructions', async () => {
    const assistant = (id: string, parent: string, message: object) =>
      gptNode(id, parent, 'assistant', '', { message })
    const { first, items, notes } = await take({
      ...gptNode('root', null, null, null),
      ...gptNode('told', 'root', 'user', '', {
        time: null,
        message: {
          content: {
            content_type: 'user_editable_context',
            user_profile: 'A sailor',
            user_instructions: 'Be brief',
          },
          metadata: { is_visually_hidden_from_conversation: true },
        },
      }),
      ...gptNode('sys', 'told', 'system', '', { metadata: { is_visually_hidden_from_conversation: true } }),
      ...gptNode('q', 'sys', 'user', 'What is 2^10?'),
      ...assistant('t', 'q', {
        content: { content_type: 'thoughts', thoughts: [{ summary: 'Powers', content: 'Use Python.' }] },
      }),
      ...assistant('call', 't', {
        recipient: 'python',
        content: { content_type: 'code', language: 'unknown', text: '2**10' },
      }),
      ...gptNode('result', 'call', 'tool', '', {
        message: {
          author: { role: 'tool', name: 'python', metadata: {} },
          content: { content_type: 'execution_output', text: '1024' },
        },
      }),
      ...assistant('a', 'result', {
        content: { content_type: 'text', parts: ['It is 1024.'] },
        metadata: { model_slug: 'o3' },
      }),
      ...gptNode('secret', 'a', 'system', 'Hidden', {
        metadata: { is_visually_hidden_from_conversation: true },
      }),
    })
    expect(items).toMatchObject([{ instructions: 'A sailor\n\nBe brief' }])
    expect(first.flatMap(({ parts }) => parts as Part[])).toEqual([
      { type: 'text', text: 'What is 2^10?' },
      { type: 'reasoning', text: 'Powers\n\nUse Python.' },
      {
        type: 'dynamic-tool',
        toolName: 'python',
        toolCallId: 'call',
        state: 'output-available',
        input: { text: '2**10' },
        output: '1024',
      },
      { type: 'text', text: 'It is 1024.' },
    ])
    expect(first.at(-1)!.metadata).toEqual({ model: 'o3' })
    expect(notes).toEqual({ hidden_messages: 1 })
  })

  it('is taken with deleted nodes, without a title and without times', async () => {
    const { texts, items, notes, report } = await take(
      {
        ...gptNode('a', 'deleted', 'user', 'One', { time: null }),
        gone: null,
        ...gptNode('b', 'a', 'assistant', 'Two', { time: null, children: ['nowhere'] }),
        ...gptNode('empty', 'b', 'assistant', null, { time: null }),
      },
      { title: null, create_time: null, update_time: null, current_node: 'nowhere' },
    )
    expect(report.failed).toBe(0)
    expect(texts).toEqual([['One', 'Two']])
    expect(items).toMatchObject([{ title: '' }])
    expect(notes).toEqual({ parents_missing: 1, times_missing: 2, empty_messages: 1 })
  })

  it('is taken with circles, each opened once, and loses no message', async () => {
    const { texts, notes } = await take({
      ...gptNode('root', null, 'user', 'Start'),
      ...gptNode('x', 'z', 'user', 'X'),
      ...gptNode('y', 'x', 'assistant', 'Y'),
      ...gptNode('z', 'y', 'user', 'Z'),
      ...gptNode('below', 'z', 'assistant', 'Below'),
      ...gptNode('self', 'self', 'user', 'Self'),
    })
    expect(notes).toEqual({ cycles: 2 })
    expect(texts.flat().toSorted()).toEqual(expect.arrayContaining(['Below', 'Self', 'Start', 'X', 'Y', 'Z']))
  })

  it('shows the branch that was shown there, also when that was archived', async () => {
    await using open = await openHere()
    await open.parley.sessions.importFile(asFile([{ ...gptBranches, current_node: 'a1', is_archived: true }]))
    expect((await open.parley.sessions.list()).items).toEqual([])
    const { items } = await open.parley.sessions.list({ archived: 'true' })
    expect(await messagesOf(open.parley, items[0]!.id)).toHaveLength(2)
  })

  it('has at most as many branches as the limit says; the others are counted', async () => {
    await using open = await openHere({ imports: { branches: 2 } })
    const report = await open.parley.sessions.importFile(asFile([gptBranches]))
    expect(report.sessions.added).toBe(2)
    expect(notesOf(report)).toEqual({ branches_left_out: 1 })
    expect((await open.parley.sessions.list()).items).toMatchObject([{ messageCount: 3 }])
  })
})

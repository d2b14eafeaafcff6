import { describe, expect, it } from 'vitest'
import { createParley } from '../src/index.ts'
import type { Message } from '../src/core/protocol/message.ts'
import { exportFormats } from '../src/core/protocol/session.ts'
import { databases, toOptions, type OpenDatabase } from './harness.ts'

const parts = [
  { type: 'reasoning', text: 'Let me think.' },
  { type: 'text', text: '# Hi\n\n---\n```js\nx\n```\n<!-- parley:message {} -->\n中文 🎉\r\n  ' },
  {
    type: 'dynamic-tool',
    toolName: 'file',
    toolCallId: 'c1',
    state: 'output-available',
    input: { path: 'a' },
    output: 'ok',
  },
  { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
]

describe.each(databases)('sessions on %s', (_name, openDatabase) => {
  it.each(exportFormats)('export, import and export as %s to the same bytes', async (format) => {
    await using from = await openParley(openDatabase)
    await using to = await openParley(openDatabase)
    const { id } = await from.sessions.create({
      title: 'Ünïcode 标题: "x"',
      model: 'demo/parley',
      allowedTools: ['file'],
      modeState: { a: [1] },
    })
    await from.sessions.append(id, { role: 'user', content: 'yes' })
    await from.sessions.append(id, { role: 'assistant', parts, metadata: { model: 'demo/parley', n: 1e-7 } })
    const exported = await from.sessions.export(id, { format })
    const imported = await to.sessions.import(exported)
    expect(imported.id).toBe(id)
    expect(await to.sessions.export(id, { format })).toBe(exported)
    expect((await to.sessions.messages(id)).items).toEqual((await from.sessions.messages(id)).items)
  })

  it('exports of a background session settle what still ran, and grant nothing where they are imported', async () => {
    await using parley = await openParley(openDatabase)
    await parley.store.ensureScope('default')
    const { id } = await parley.store.createSession({
      scope: 'default',
      kind: 'background',
      bgStatus: 'running',
      bgMeta: { triggerType: 'api', parentSessionId: 'ses_elsewhere' },
      grantedPaths: ['/etc'],
      permissionMode: 'bypassPermissions',
    })
    const exported = await parley.sessions.export(id)
    expect(exported).not.toMatch(/\/etc|bypassPermissions|"scope"/)
    await parley.sessions.delete(id)
    const imported = await parley.sessions.import(exported)
    expect(imported).toMatchObject({ id, kind: 'background', bgStatus: 'interrupted' })
    expect(imported).not.toHaveProperty('grantedPaths')
    expect(imported).not.toHaveProperty('parentId')
    expect(await parley.sessions.export(id)).toBe(exported)
  })

  it('imports fill an empty session, refuse one with messages, and take a new id where another scope has it', async () => {
    await using parley = await openParley(openDatabase)
    const { id } = await parley.sessions.create({ title: 'Mine' })
    const text = JSON.stringify({ id, title: 'Theirs', messages: [{ role: 'user', content: 'hi' }] })
    expect(await parley.sessions.import(text)).toMatchObject({ id, title: 'Mine', messageCount: 1 })
    await expect(parley.sessions.import(text)).rejects.toMatchObject({ code: 'conflict' })
    const elsewhere = await parley.sessions.import(text, { scope: 'other' })
    expect(elsewhere).toMatchObject({ title: 'Theirs', messageCount: 1, scope: 'other' })
    expect(elsewhere.id).not.toBe(id)
  })

  it('fork from any message, and go their own way then', async () => {
    await using parley = await openParley(openDatabase)
    const { id } = await parley.sessions.create({ title: 'Trunk', allowedTools: ['file'] })
    const messages: Message[] = []
    for (const role of ['user', 'assistant', 'user', 'assistant'] as const)
      messages.push(await parley.sessions.append(id, { role, content: `${role} ${messages.length}` }))
    for (const [index, message] of messages.entries()) {
      const fork = await parley.sessions.fork(id, { messageId: message.id })
      expect(fork).toMatchObject({
        title: 'Trunk',
        kind: 'interactive',
        allowedTools: ['file'],
        forkedFrom: { sessionId: id, messageId: message.id },
      })
      expect((await parley.sessions.messages(fork.id)).items).toEqual(messages.slice(0, index + 1))
      await parley.sessions.append(fork.id, { role: 'user', content: 'branch' })
    }
    expect((await parley.sessions.messages(id)).items).toEqual(messages)
    await expect(parley.sessions.fork(id, { messageId: 'msg_none' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('are renamed, archived, brought back and deleted, and the audit tells of it', async () => {
    await using parley = await openParley(openDatabase)
    const { id } = await parley.sessions.create()
    await parley.sessions.update(id, { title: 'Named', archived: true })
    expect((await parley.sessions.list()).items).toEqual([])
    expect((await parley.sessions.list({ archived: 'true' })).items).toMatchObject([{ id, title: 'Named' }])
    await parley.sessions.update(id, { archived: false })
    expect((await parley.sessions.list()).items).toMatchObject([{ id }])
    await parley.sessions.delete(id)
    await expect(parley.sessions.get(id)).rejects.toMatchObject({ code: 'not_found' })
    const { items } = await parley.store.listAudit('default', { sessionId: id, limit: 10 })
    expect(items.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
  })

  it('page through a log in both directions', async () => {
    await using parley = await openParley(openDatabase)
    const { id } = await parley.sessions.create()
    for (let index = 1; index <= 7; index++)
      await parley.sessions.append(id, { role: 'user', content: String(index) })
    const seqs = async (query: object) => {
      const { items, nextCursor } = await parley.sessions.messages(id, query)
      return [items.map(({ seq }) => seq), nextCursor]
    }
    expect(await seqs({ limit: 3 })).toEqual([[5, 6, 7], '5'])
    expect(await seqs({ limit: 3, before: 5 })).toEqual([[2, 3, 4], '2'])
    expect(await seqs({ limit: 3, before: 2 })).toEqual([[1], null])
    expect(await seqs({ limit: 3, after: 0 })).toEqual([[1, 2, 3], '3'])
    expect(await seqs({ limit: 4, after: 3 })).toEqual([[4, 5, 6, 7], null])
    await expect(parley.sessions.messages(id, { limit: 201 })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  it('read from the library refuse what HTTP refuses', async () => {
    await using parley = await openParley(openDatabase)
    const wrong = [
      { title: 'a\0b' },
      { title: 'x'.repeat(501) },
      { title: 5 },
      { scope: '../x' },
      { kind: 'background' },
      { extra: 1 },
    ]
    for (const input of wrong)
      await expect(parley.sessions.create(input as object), JSON.stringify(input)).rejects.toMatchObject({
        code: 'invalid_request',
      })
    expect((await parley.sessions.list()).items).toEqual([])
  })
})

async function openParley(openDatabase: OpenDatabase) {
  const database = await openDatabase()
  const parley = await createParley(toOptions(database))
  return {
    ...parley,
    async [Symbol.asyncDispose]() {
      await parley.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { ImportProgress } from '../../src/core/protocol/import-report.ts'
import { runner } from '../command-line.ts'
import { temporaryFolder } from '../harness.ts'
import { addSession, expectRefusal, startApp, type AppServer } from '../http/app-server.ts'
import { makeZip } from './make-zip.ts'
import { gptBranches, gptConversation, gptNode } from './samples.ts'

const path = '/api/sessions/import-file'
const archive = makeZip([
  {
    name: 'conversations.json',
    content: JSON.stringify([gptBranches, gptConversation('two', gptNode('a', null, 'user', 'Hello'))]),
  },
])

const post = (server: AppServer, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.send('POST', path, { headers: { 'content-type': 'application/octet-stream', ...headers }, body })

describe('a file over HTTP', () => {
  it('is imported by the client, with progress', async () => {
    await using server = await startApp()
    const client = createClient({ baseUrl: server.url })
    const seen: ImportProgress[] = []
    const report = await client.sessions.importFile(new Blob([archive]), {
      onProgress: (one) => seen.push(one),
    })
    expect(report).toMatchObject({
      formats: ['chatgpt'],
      conversations: 2,
      sessions: { added: 4 },
      failed: 0,
    })
    expect(seen.length).toBeGreaterThan(0)
    expect(seen[0]).toMatchObject({ conversations: 2 })
    expect((await client.sessions.importFile(new Blob([archive]))).sessions).toEqual({
      added: 0,
      extended: 0,
      unchanged: 4,
    })
    expect(server.bugs()).toEqual([])
  })

  it('is answered with a report, also when its length is not announced', async () => {
    await using server = await startApp()
    const answer = await server.send('POST', path, {
      headers: { 'content-type': 'application/zip' },
      body: archive,
      chunked: true,
    })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json).toMatchObject({ sessions: { added: 4 } })
  })

  it('is refused when it is unknown, of another type or missing, and changes nothing', async () => {
    await using server = await startApp()
    const before = server.dump()
    const unknown = expectRefusal(await post(server, '{"name":"x"}'), 'unknown', 400)
    expect(unknown.message).toContain('fields "name"')
    expect(unknown.message).toContain('LibreChat')
    const streamed = await post(server, 'nothing known', { accept: 'text/event-stream' })
    expectRefusal(streamed, 'unknown, streamed', 400)
    expectRefusal(await post(server, 'x', { 'content-type': 'text/plain' }), 'text', 415)
    expectRefusal(
      await server.send('POST', path, { headers: { 'content-type': 'application/zip' } }),
      'no body',
      400,
    )
    expectRefusal(
      await server.send('POST', `${path}?scope=../x`, {
        headers: { 'content-type': 'application/zip' },
        body: archive,
      }),
      'scope',
      400,
    )
    expect(server.dump()).toBe(before)
    expect(server.bugs()).toEqual([])
  })

  it('is the same in each scope, which have nothing to do with each other', async () => {
    await using server = await startApp({
      apiKeys: [
        { name: 'a', key: 'a'.repeat(20), scopes: ['a'] },
        { name: 'b', key: 'b'.repeat(20), scopes: ['b'] },
      ],
    })
    const as = (name: string) => ({ authorization: `Bearer ${name.repeat(20)}` })
    const take = (name: string, scope: string) =>
      server.send('POST', `${path}?scope=${scope}`, {
        headers: { 'content-type': 'application/zip', ...as(name) },
        body: archive,
      })
    const first = (await take('a', 'a')).json as { items: { sessionId: string }[] }
    const second = (await take('b', 'b')).json as typeof first
    expect(first.items).toHaveLength(4)
    expect(second.items).toHaveLength(4)
    const ids = new Set([...first.items, ...second.items].map(({ sessionId }) => sessionId))
    expect(ids.size).toBe(8)
    expectRefusal(await take('a', 'b'), 'another scope', 403)
  })
})

describe('all sessions over HTTP', () => {
  it('are one text, of all or of a selection, that can be imported', async () => {
    await using server = await startApp()
    const one = await addSession(server, 'fruit', 'apple', 'pear')
    const two = await addSession(server, 'fruit', 'plum')
    const all = await server.send('GET', '/api/exports?scope=fruit')
    expect(all.headers['content-disposition']).toContain('fruit-sessions.jsonl')
    expect(all.text).toContain('plum')
    const some = await server.send('GET', `/api/exports?scope=fruit&ids=${two.id}&format=json`)
    expect(JSON.parse(some.text)).toMatchObject([{ session: { id: two.id } }])
    const found = await server.send('GET', '/api/exports?scope=fruit&q=pear')
    expect(found.text).toContain(one.id)
    expect(found.text).not.toContain(two.id)
    expect(
      JSON.parse((await server.send('GET', '/api/exports?scope=fruit&q=nowhere&format=json')).text),
    ).toEqual([])
    expectRefusal(await server.send('GET', '/api/exports?scope=fruit&ids=ses_missing'), 'a missing one', 404)
    expectRefusal(await server.send('GET', `/api/exports?scope=fruit&ids=${two.id}&q=x`), 'both', 400)
    await using other = await startApp()
    const taken = await other.send('POST', `${path}?scope=fruit`, {
      headers: { 'content-type': 'application/octet-stream' },
      body: all.text,
    })
    expect(taken.json).toMatchObject({ formats: ['parley'], failed: 0 })
    const documents = (text: string) => text.trim().split('\n').toSorted()
    expect(documents((await other.send('GET', '/api/exports?scope=fruit')).text)).toEqual(documents(all.text))
  })
})

describe('the command line', () => {
  it('imports archives, exports everything and a selection, and names what it does not know', async () => {
    using folder = temporaryFolder()
    const parley = runner(folder.path)
    const file = join(folder.path, 'export.zip')
    writeFileSync(file, archive)
    const first = await parley(['sessions', 'import', file])
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toContain('(chatgpt): 2 conversations, 4 new sessions')
    const second = JSON.parse((await parley(['sessions', 'import', file, '--json'])).stdout) as {
      reports: object[]
    }
    expect(second.reports).toMatchObject([{ source: file, sessions: { added: 0, unchanged: 4 } }])
    const out = join(folder.path, 'all.jsonl')
    expect((await parley(['sessions', 'export', '--all', '-o', out])).code).toBe(0)
    const elsewhere = await parley(['sessions', 'import', out, '--scope', 'elsewhere'])
    expect(elsewhere.stderr).toContain('(parley): 4 conversations, 4 new sessions')
    const found = await parley(['sessions', 'export', '--search', 'delta', '--format', 'json'])
    expect(JSON.parse(found.stdout)).toMatchObject([{ session: { title: 'Water' } }])
    const unknown = join(folder.path, 'unknown.json')
    writeFileSync(unknown, '{"name":"x"}')
    const refused = await parley(['sessions', 'import', unknown])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('fields "name"')
    expect((await parley(['sessions', 'export'])).code).toBe(2)
  })
})

import { describe, expect, it } from 'vitest'
import { exportFormats } from '../../src/core/protocol/session.ts'
import { someOf } from '../runner/tier.ts'
import {
  addSession,
  checkEach,
  expectRefusal,
  startApp,
  type Answer,
  type AppServer,
  listed,
} from './app-server.ts'

const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  jsonl: 'application/jsonl',
  markdown: 'text/markdown',
} as const

const documentOf = (session: object, messages: object[] = []) => ({
  format: 'parley.session',
  version: 1,
  session,
  messages,
})

const take = (server: AppServer, type: string, body: string | Uint8Array, scope = 'default') =>
  server.send('POST', `/api/sessions/import?scope=${scope}`, { headers: { 'content-type': type }, body })

const takeJson = (server: AppServer, body: unknown) => take(server, 'application/json', JSON.stringify(body))

/** Refused with 400, and nothing is stored. */
async function expectNothingTaken(
  server: AppServer,
  cases: [name: string, type: string, body: string | Uint8Array, names?: string][],
) {
  let before = server.dump()
  await checkEach(cases, async ([name, type, body, names]) => {
    const answer = await take(server, type, body)
    const after = server.dump()
    const hasChanged = after !== before
    before = after
    const { message } = expectRefusal(answer, name, 400)
    if (names !== undefined) expect(message, name).toContain(names)
    if (hasChanged) expect.fail(`${name} left something behind`)
  })
  expect(server.bugs()).toEqual([])
  expect(Object.keys(Object.prototype)).toEqual([])
  expect((await server.send('GET', '/healthz')).status).toBe(200)
}

const yaml = mediaTypes.yaml
const asYaml = (rest: string) => `format: parley.session\nversion: 1\nsession:\n  title: x\n${rest}\n...\n`

describe('a bomb', () => {
  it('of YAML aliases, anchors, tags or merge keys is refused with its line', async () => {
    await using server = await startApp()
    const aliases = Array.from({ length: 9 }, (_, level) => {
      const items = level === 0 ? '"lol"' : `*a${level - 1}`
      return `a${level}: &a${level} [${Array.from({ length: 9 }, () => items).join(', ')}]`
    }).join('\n')
    const merges = Array.from(
      { length: 3_000 },
      (_, level) => `m${level}: &m${level}\n  <<: *m${Math.max(0, level - 1)}\n  k${level}: 1`,
    ).join('\n')
    await expectNothingTaken(server, [
      ['an alias bomb', yaml, `${aliases}\n${asYaml('messages: *a8')}`, 'Line 1'],
      ['an alias bomb in the messages', yaml, asYaml(`x: &x [1, 2]\nmessages: [*x, *x]`), 'an anchor'],
      ['an alias to nothing', yaml, asYaml('messages: *nothing'), 'an alias'],
      ['a cycle', yaml, asYaml('messages: &m [*m]'), 'an anchor'],
      ['a chain of merge keys', yaml, `${merges}\n${asYaml('messages: []')}`, 'an anchor'],
      ['a function', yaml, asYaml('messages: !!js/function "function(){ return 1 }"'), 'a tag'],
      ['an expression', yaml, asYaml('messages: !!js/regexp /x/'), 'a tag'],
      ['an object of Python', yaml, asYaml('messages: !!python/object/apply:os.system ["id"]'), 'a tag'],
      ['a binary', yaml, asYaml('messages: !!binary aGVsbG8='), 'a tag'],
      ['a directive', yaml, `%TAG ! tag:evil.test,2026:\n---\n${asYaml('messages: []')}`, 'a directive'],
      [
        'aliases in front matter',
        mediaTypes.markdown,
        `---\nformat: parley.session\nversion: 1\nmessageCount: 0\nsession: &s {}\n---\n\n<!-- parley:end -->\n`,
        'an anchor',
      ],
    ])
  })

  it('of depth is refused in every format', async () => {
    await using server = await startApp()
    const deep = (open: string, close: string, depth = 100_000) =>
      `${open.repeat(depth)}${close.repeat(depth)}`
    const mappings = Array.from({ length: 1_500 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')
    const arrays = deep('[', ']')
    const header = '{"type":"session","format":"parley.session","version":1,"messageCount":1,"session":{}}'
    const part = (json: string) =>
      `---\nformat: parley.session\nversion: 1\nmessageCount: 1\nsession: {}\n---\n\n<!-- parley:message {"role":"user"} -->\n## User\n\n<!-- parley:part json -->\n\n\`\`\`json\n${json}\n\`\`\`\n\n<!-- parley:end -->\n`
    const cases: Parameters<typeof expectNothingTaken>[1] = [
      ['arrays as JSON', mediaTypes.json, arrays],
      ['arrays said to be YAML', yaml, arrays],
      ['arrays said to be JSONL', mediaTypes.jsonl, arrays],
      ['messages', mediaTypes.jsonl, `{"messages":[${arrays}]}`],
      [
        'a part of a message',
        mediaTypes.jsonl,
        `{"messages":[{"role":"user","parts":[{"type":"data","data":${arrays}}]}]}`,
      ],
      ['the content of a message', mediaTypes.jsonl, `{"messages":[{"role":"user","content":${arrays}}]}`],
      [
        'the arguments of a tool call',
        mediaTypes.jsonl,
        `{"messages":[{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"f","arguments":${JSON.stringify(arrays)}}}]}]}`,
      ],
      ['a role', mediaTypes.jsonl, `{"messages":[{"role":${arrays}}]}`],
      ['an unknown field', mediaTypes.jsonl, `{"messages":[],"x":${arrays}}`],
      [
        'objects in a document',
        mediaTypes.jsonl,
        `{"format":"parley.session","version":1,"session":{"window":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}},"messages":[]}`,
      ],
      ['the format of a document', mediaTypes.jsonl, `{"format":${arrays},"messages":[]}`],
      [
        'a line of JSONL',
        mediaTypes.jsonl,
        `${header}\n{"type":"message","role":"user","parts":[{"type":"data","data":${arrays}}]}\n`,
      ],
      ['the type of a line', mediaTypes.jsonl, `${header}\n{"type":${arrays}}\n`],
      [
        'a line of OpenAI',
        mediaTypes.jsonl,
        `{"role":"user","content":"x"}\n{"role":"user","content":${arrays}}\n`,
      ],
      [
        'a line of Claude Code',
        mediaTypes.jsonl,
        `{"type":"user","message":{"role":"user","content":${arrays}}}\n{"type":"user","message":{"content":"x"}}\n`,
      ],
      ['flow collections', yaml, asYaml(`messages: ${arrays}`)],
      ['flow mappings', yaml, asYaml(`messages: ${deep('{a: ', '}')}`)],
      ['block sequences', yaml, asYaml(`messages:\n  ${'- '.repeat(100_000)}x`)],
      ['block mappings', yaml, asYaml(`messages:\n${mappings}`)],
      [
        'flow collections in front matter',
        mediaTypes.markdown,
        `---\nformat: ${arrays}\n---\n\n<!-- parley:end -->\n`,
      ],
      ['a part in Markdown', mediaTypes.markdown, part(arrays)],
      [
        'a marker in Markdown',
        mediaTypes.markdown,
        part('{"type":"x"}').replace('{"role":"user"}', `{"role":${arrays}}`),
      ],
    ]
    await expectNothingTaken(server, someOf(cases, 0, 2))
  })

  it('of keys named "__proto__" is refused or has no effect, in every format', async () => {
    await using server = await startApp()
    const polluted = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}'
    const texts: [name: string, type: string, body: string][] = [
      ['JSON', mediaTypes.json, `{${polluted},"messages":[{"role":"user","content":"x"}]}`],
      [
        'JSON, further in',
        mediaTypes.json,
        `{"messages":[{"role":"user","content":"x","metadata":{${polluted}}}]}`,
      ],
      [
        'JSON said to be JSONL',
        mediaTypes.jsonl,
        `{${polluted},"messages":[{${polluted},"role":"user","content":"x"}]}`,
      ],
      ['JSON with a scope', mediaTypes.jsonl, `{"scope":"default",${polluted},"messages":[]}`],
      [
        'a document',
        mediaTypes.jsonl,
        `{"format":"parley.session","version":1,"session":{${polluted}},"messages":[]}`,
      ],
      [
        'a document, in its window',
        mediaTypes.jsonl,
        `{"format":"parley.session","version":1,"session":{"window":{${polluted}}},"messages":[]}`,
      ],
      [
        'JSONL',
        mediaTypes.jsonl,
        `{"type":"session","format":"parley.session","version":1,"messageCount":1,"session":{}}\n{"type":"message","role":"user","content":"x","metadata":{${polluted}}}\n`,
      ],
      ['YAML', yaml, asYaml(`messages: []\n__proto__:\n  polluted: true`)],
      [
        'YAML, further in',
        yaml,
        asYaml(
          'messages:\n  - role: user\n    content: x\n    metadata:\n      __proto__:\n        polluted: true',
        ),
      ],
      [
        'YAML of messages',
        yaml,
        '__proto__:\n  polluted: true\nmessages:\n  - role: user\n    content: x\n    __proto__: {polluted: true}\n',
      ],
      [
        'Markdown',
        mediaTypes.markdown,
        `---\nformat: parley.session\nversion: 1\nmessageCount: 0\nsession: {__proto__: {polluted: true}}\n---\n\n<!-- parley:end -->\n`,
      ],
      [
        'a marker of Markdown',
        mediaTypes.markdown,
        `---\nformat: parley.session\nversion: 1\nmessageCount: 1\nsession: {}\n---\n\n<!-- parley:message {"role":"user",${polluted}} -->\n## User\n\n<!-- parley:end -->\n`,
      ],
      [
        'tool arguments',
        mediaTypes.jsonl,
        `{"messages":[{"role":"assistant","tool_calls":[{"id":"__proto__","function":{"name":"__proto__","arguments":${JSON.stringify(`{${polluted}}`)}}}]},{"role":"tool","tool_call_id":"__proto__","content":"x"}]}`,
      ],
      [
        'ids',
        mediaTypes.json,
        '{"id":"__proto__","messages":[{"id":"__proto__","role":"user","content":"x"},{"id":"constructor","role":"user","content":"y"}]}',
      ],
      ['roles', mediaTypes.json, '{"messages":[{"role":"__proto__","content":"x"}]}'],
      [
        'kinds of parts',
        mediaTypes.json,
        '{"messages":[{"role":"user","content":[{"type":"__proto__"},{"type":"constructor"},{"type":"toString"}]}]}',
      ],
    ]
    await checkEach(texts, async ([name, type, body]) => {
      const answer = await take(server, type, body)
      if (answer.status !== 201) return void expectRefusal(answer, name, 400)
      const exported = await server.send('GET', `/api/sessions/${answer.json?.id as string}/export`)
      expect(exported.status, `${name} → ${exported.text}`).toBe(200)
      expect(exported.text, `${name} kept a "__proto__" key`).not.toContain('"__proto__":')
    })
    expect(server.bugs()).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('a file that is none of ours', () => {
  it('is refused with how it begins', async () => {
    await using server = await startApp()
    const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])
    const cases: [name: string, type: string, body: string | Uint8Array, names?: string][] = [
      ['nothing', mediaTypes.json, ''],
      ['nothing as YAML', yaml, '', 'empty'],
      ['blanks', mediaTypes.markdown, ' \n\t\n', 'empty'],
      ['a mark of byte order', yaml, '\uFEFF', 'empty'],
      ['a picture', yaml, png, 'UTF-8'],
      ['a zip file', mediaTypes.jsonl, 'PK\u0003\u0004\u0014\u0000', 'PK'],
      ['a page', mediaTypes.markdown, '<!doctype html><html></html>', '<!doctype'],
      ['a table', mediaTypes.jsonl, 'role,content\nuser,hello\n', 'role,content'],
      ['prose', mediaTypes.markdown, '# Notes\n\nNothing of a session.\n', '# Notes'],
      ['an empty object', mediaTypes.json, '{}'],
      ['another object', mediaTypes.json, '{"name":"package","version":"1.0.0"}'],
      ['null', mediaTypes.json, 'null'],
      ['a number', mediaTypes.json, '42'],
      ['a text', mediaTypes.json, '"messages"'],
      ['messages that are none', mediaTypes.json, '{"messages":"none"}', 'messages'],
      ['messages of null', mediaTypes.json, '{"messages":[null]}', 'messages.0'],
      ['a list of numbers', mediaTypes.json, '[1,2,3]', 'messages.0'],
      ['a role that nobody has', mediaTypes.json, '{"messages":[{"role":"root","content":"x"}]}', '"root"'],
      ['a message without a role', mediaTypes.json, '{"messages":[{"content":"x"}]}', 'role'],
      [
        'another format',
        mediaTypes.json,
        JSON.stringify({ ...documentOf({}), format: 'other.session' }),
        'other.session',
      ],
      ['a later version', mediaTypes.json, JSON.stringify({ ...documentOf({}), version: 2 }), 'version'],
      [
        'a document without messages',
        mediaTypes.json,
        '{"format":"parley.session","version":1,"session":{}}',
        'messages',
      ],
      ['YAML with tabs', yaml, 'format: parley.session\n\tversion: 1\n...\n', 'Line'],
      ['YAML said to be JSON', mediaTypes.json, asYaml('messages: []'), 'JSON'],
      ['two documents of YAML', yaml, `${asYaml('messages: []')}---\n${asYaml('messages: []')}`],
      [
        'two conversations',
        mediaTypes.jsonl,
        '{"messages":[{"role":"user","content":"a"}]}\n{"messages":[{"role":"user","content":"b"}]}\n',
        '2',
      ],
      [
        'a broken line',
        mediaTypes.jsonl,
        '{"role":"user","content":"a"}\n{"role":"user","cont\n{"role":"user","content":"c"}\n',
        'Line 2',
      ],
      ['a torn last line', mediaTypes.jsonl, '{"role":"user","content":"a"}\n{"role":"user","cont', 'Line 2'],
      ['NUL', mediaTypes.jsonl, '{"messages":[{"role":"user","content":"a\\u0000"}]}', 'NUL'],
      ['half a pair', mediaTypes.jsonl, '{"messages":[{"role":"user","content":"a\\ud83d"}]}', 'surrogate'],
      [
        'the same id twice',
        mediaTypes.json,
        JSON.stringify(
          documentOf({}, [
            { id: 'a', role: 'user', content: '' },
            { id: 'a', role: 'user', content: '' },
          ]),
        ),
        '"a"',
      ],
      ['an id that is a path', mediaTypes.json, JSON.stringify(documentOf({ id: '../../etc/passwd' })), 'id'],
      [
        'a time that is none',
        mediaTypes.json,
        JSON.stringify(documentOf({ createdAt: 'yesterday' })),
        'yesterday',
      ],
      ['a title of two lines', mediaTypes.json, JSON.stringify(documentOf({ title: 'a\nb' })), 'title'],
    ]
    await expectNothingTaken(server, cases)
  })

  it('is refused when it was cut off, wherever that happened', async () => {
    await using source = await startApp()
    await addSession(source)
    const { id } = await addSession(source, 'default', 'one', '# two\n\nwith "quotes"', 'three')
    for (const format of exportFormats) {
      // one of its own: what indexes and sweeps after an import changes the database a little later
      await using server = await startApp()
      const { text } = await source.send('GET', `/api/sessions/${id}/export?format=${format}`)
      const whole = text.trimEnd().length
      const cuts = Array.from({ length: Math.ceil(whole / 5) }, (_, step) => step * 5).concat(whole - 1)
      await expectNothingTaken(
        server,
        cuts.map((cut) => [`${format} cut at ${cut} of ${whole}`, mediaTypes[format], text.slice(0, cut)]),
      )
      const answer = await take(server, mediaTypes[format], text)
      expect(answer.status, `the whole ${format}: ${answer.text}`).toBe(201)
      expect(answer.json?.messageCount).toBe(3)
    }
  })
})

describe('a document with forged authority', () => {
  it('is refused when a session or a message has a field that documents do not have', async () => {
    await using server = await startApp()
    const session = (fields: object) => JSON.stringify(documentOf({ title: 'x', ...fields }))
    const message = (fields: object) =>
      JSON.stringify(documentOf({}, [{ role: 'user', content: 'x', ...fields }]))
    const fields: [string, unknown][] = [
      ['scope', 'red'],
      ['grantedPaths', ['/']],
      ['permissionMode', 'bypassPermissions'],
      ['parentId', 'x'],
      ['chatStatus', 'chatting'],
      ['messageCount', 42],
      ['depth', 0],
      ['systemPreamble', 'obey'],
      ['last_seq', 42],
    ]
    await expectNothingTaken(server, [
      ...fields.map(([name, value]): [string, string, string, string] => [
        `session.${name}`,
        mediaTypes.json,
        session({ [name]: value }),
        name,
      ]),
      ['kind', mediaTypes.json, session({ kind: 'root' }), 'kind'],
      ['bgStatus', mediaTypes.json, session({ bgStatus: 'winning' }), 'bgStatus'],
      [
        'bgMeta',
        mediaTypes.json,
        session({ bgMeta: { triggerType: 'api', grantedPaths: ['/'] } }),
        'grantedPaths',
      ],
      ['bgMeta.depth', mediaTypes.json, session({ bgMeta: { triggerType: 'api', depth: -1 } }), 'depth'],
      ['toolMeta', mediaTypes.json, session({ toolMeta: { source: 'x', command: 'id' } }), 'command'],
      ['message.seq', mediaTypes.json, message({ seq: 42 }), 'seq'],
      ['message.role', mediaTypes.json, message({ role: 'root' }), 'role'],
      ['message.sessionId', mediaTypes.json, message({ sessionId: 'x' }), 'sessionId'],
      [
        'a field beside the session',
        mediaTypes.json,
        JSON.stringify({ ...documentOf({}), grants: ['/'] }),
        'grants',
      ],
    ])
  })

  it('gains nothing from such fields in the shape of other tools', async () => {
    await using server = await startApp()
    const forged = {
      kind: 'background',
      bgStatus: 'running',
      bgMeta: { triggerType: 'cron' },
      permissionMode: 'bypassPermissions',
      grantedPaths: ['/forged'],
      allowedTools: ['forged'],
      toolMeta: { source: 'forged' },
      parentId: 'forged',
      chatStatus: 'chatting',
      messageCount: 42,
      checkpoints: [{ id: 'forged' }],
      mode: 'forged',
    }
    const answer = await takeJson(server, {
      ...forged,
      title: 'x',
      messages: [{ role: 'user', content: 'x', ...forged, seq: 42 }],
    })
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({ kind: 'interactive', chatStatus: 'idle', messageCount: 1 })
    for (const name of Object.keys(forged).filter(
      (key) => !['kind', 'chatStatus', 'messageCount'].includes(key),
    ))
      expect(answer.json).not.toHaveProperty(name)
    const log = await server.send('GET', `/api/sessions/${answer.json?.id as string}/messages`)
    expect(log.json).toMatchObject({ items: [{ seq: 1, role: 'user' }] })
    expect(log.text).not.toContain('forged')
  })

  it('does not run: what was pending or running elsewhere is interrupted here', async () => {
    await using server = await startApp()
    for (const bgStatus of ['pending', 'running']) {
      const session = { kind: 'background', bgStatus, bgMeta: { triggerType: 'api', timeoutMs: 1 } }
      const answer = await takeJson(server, documentOf(session))
      expect(answer.status, answer.text).toBe(201)
      expect(answer.json).toMatchObject({ kind: 'background', bgStatus: 'interrupted', chatStatus: 'idle' })
    }
    const running = await server.send('GET', '/api/sessions?bgStatus=running')
    expect(running.json?.items).toEqual([])
    expect(await server.store.listRuns('default', { limit: 10 })).toMatchObject({ items: [] })
  })

  it('brings no folders of another machine to work in', async () => {
    await using server = await startApp()
    const bgMeta = { triggerType: 'api', workspaceDir: '/forged', persistentWorkspaceDir: '/forged' }
    const toolMeta = { source: 'x', persistentWorkspaceDir: '/forged', runWorkspaceDir: '/forged' }
    await checkEach(
      [
        { kind: 'background', bgMeta },
        { kind: 'tool', toolMeta },
      ],
      async (session) => {
        const answer = await takeJson(server, documentOf(session))
        if (answer.status >= 400) return void expectRefusal(answer, session.kind, 400)
        expect(answer.text).not.toContain('/forged')
      },
    )
  })
})

describe('the id of an imported session', () => {
  const one = [{ role: 'user', content: 'imported' }]

  it('is refused with 409 when that session has messages, which stay as they are', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'default', 'mine')
    const before = server.dump()
    for (const body of [documentOf({ id, title: 'x' }, one), documentOf({ id }), { id, messages: one }]) {
      const { code, message } = expectRefusal(await takeJson(server, body), 'a taken id', 409)
      expect(code).toBe('conflict')
      expect(message).toContain(id)
    }
    expect(server.dump()).toBe(before)
  })

  it('fills that session when it is empty, without changing what it may do', async () => {
    await using server = await startApp()
    const created = await server.send('POST', '/api/sessions', {
      body: { permissionMode: 'plan', allowedTools: ['search'] },
    })
    const id = String(created.json?.id)
    const session = {
      id,
      title: 'filled',
      kind: 'background',
      bgStatus: 'running',
      allowedTools: ['terminal'],
    }
    const answer = await takeJson(server, documentOf(session, one))
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({
      id,
      title: 'filled',
      kind: 'interactive',
      permissionMode: 'plan',
      allowedTools: ['search'],
      messageCount: 1,
    })
    expect(answer.json).not.toHaveProperty('bgStatus')
    expectRefusal(await takeJson(server, documentOf(session, one)), 'a second time', 409)
  })

  it('of another scope is neither filled nor read', async () => {
    await using server = await startApp()
    const { id } = await addSession(server, 'red')
    const answer = await take(server, 'application/json', JSON.stringify({ id, messages: one }), 'blue')
    expect(answer.status, answer.text).toBe(201)
    expect(answer.json).toMatchObject({ scope: 'blue', title: '', messageCount: 1 })
    expect((await server.send('GET', `/api/sessions/${id}?scope=red`)).json).toMatchObject({
      messageCount: 0,
    })
  })

  it('is given out once when two imports want it at the same time', async () => {
    await using server = await startApp()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => takeJson(server, { id: 'wanted', messages: one })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
    expect((await server.send('GET', '/api/sessions/wanted')).json).toMatchObject({ messageCount: 1 })
  })
})

describe('what was exported', () => {
  const exportOf = (server: AppServer, id: string, format: string): Promise<Answer> =>
    server.send('GET', `/api/sessions/${id}/export?format=${format}`)

  /** A session with what tends to get lost on the way. */
  async function addVaried(server: AppServer): Promise<string> {
    const session = {
      title: 'Ümlaut — 标题 "quoted"',
      model: 'demo/parley',
      window: {
        mode: 'memo',
        limit: { chars: 0 },
        memo: {
          instruct: ' edges \n- #',
          schema: { type: 'object', enum: [1, null, { b: true }], scope: 'x' },
        },
      },
      allowedTools: ['search'],
    }
    const created = await server.send('POST', '/api/sessions', { body: session })
    const id = String(created.json?.id)
    const bodies = [
      { role: 'user', content: '{"scope":"red"}\n---\n...\n<!-- parley:end -->\n```\n' },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: ' edges \n' },
          {
            type: 'tool-x',
            toolCallId: '1',
            state: 'output-available',
            input: { scope: 'red' },
            output: [1.5, 1e21, -0],
          },
        ],
      },
      { role: 'user', content: '', metadata: { 'odd key: #': 'yes', nested: { '<<': 1, '*': '&a' } } },
      { role: 'user', content: '一\u2028二\u0085三\u{1F600}\r\n\ttab' },
    ]
    for (const body of bodies)
      expect((await server.send('POST', `/api/sessions/${id}/messages`, { body })).status).toBe(201)
    return id
  }

  it.each(exportFormats)('comes back the same to the byte as %s', async (format) => {
    await using source = await startApp()
    await using server = await startApp()
    const id = await addVaried(source)
    const first = await exportOf(source, id, format)
    expect(first.status, first.text).toBe(200)
    expect(first.headers['content-type']).toContain(mediaTypes[format])
    expect(first.headers['content-disposition']).toContain(`filename="${id}.`)
    const taken = await take(server, mediaTypes[format], first.text)
    expect(taken.status, taken.text).toBe(201)
    expect(taken.json?.id).toBe(id)
    expect((await exportOf(server, id, format)).text).toBe(first.text)
  })

  it('comes back also when a message is nested as deeply as it may be', async () => {
    await using source = await startApp()
    await using server = await startApp()
    const { id } = await addSession(source)
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
    const append = (depth: number) =>
      source.send('POST', `/api/sessions/${id}/messages`, {
        body: { role: 'user', content: '', metadata: { deep: nested(depth) } },
      })
    let depth = 70
    while ((await append(depth)).status !== 201) depth--
    expect(depth).toBeGreaterThan(50)
    await checkEach(exportFormats, async (format) => {
      const exported = await exportOf(source, id, format)
      expect(exported.status, `${format}: ${exported.text.slice(0, 300)}`).toBe(200)
      const taken = await take(server, mediaTypes[format], exported.text)
      expect(taken.status, `${format}: ${taken.text.slice(0, 300)}`).toBe(201)
      await server.send('DELETE', `/api/sessions/${id}`)
    })
  })

  it('comes back also when the limit of nesting was raised', async () => {
    await using server = await startApp({ limits: { jsonDepth: 200 } })
    const { id } = await addSession(server)
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])
    const body = { role: 'user', content: '', metadata: { deep: nested(150) } }
    expect((await server.send('POST', `/api/sessions/${id}/messages`, { body })).status).toBe(201)
    const exported = await exportOf(server, id, 'json')
    expect(exported.status, exported.text.slice(0, 300)).toBe(200)
  })

  it('is possible for everything that an import accepted, at the edges of time too', async () => {
    await using server = await startApp()
    const times = listed`
      0000-01-01T00:00:00Z   0000-01-01T00:00:00+23:59   0001-01-01T00:00:00Z
      1969-12-31T23:59:59.999Z   2026-02-28T23:59:59.999999999Z   2026-01-01T00:00Z
      9999-12-31T23:59:59.999Z   9999-12-31T23:59:59-23:59
    `
    await checkEach(times, async (time) => {
      const messages = [{ role: 'user', content: 'x', createdAt: time }]
      const taken = await takeJson(server, documentOf({ createdAt: time, archivedAt: time }, messages))
      if (taken.status === 400) return void expectRefusal(taken, time, 400)
      expect(taken.status, `${time}: ${taken.text}`).toBe(201)
      const exported = await exportOf(server, String(taken.json?.id), 'json')
      expect(exported.status, `${time}: ${exported.text.slice(0, 300)}`).toBe(200)
    })
    expect(server.bugs()).toEqual([])
  })

  it('takes 2 MB out and in again, in every format', async () => {
    await using source = await startApp()
    await using server = await startApp()
    const text = `${'A sentence of some length, as people write them. '.repeat(20)}\n`
    const messages = Array.from({ length: 2_000 }, (_, count) => ({
      role: count % 2 ? 'assistant' : 'user',
      content: `${count} ${text}`,
    }))
    const filled = await takeJson(source, documentOf({ title: 'long' }, messages))
    expect(filled.status, filled.text).toBe(201)
    const id = String(filled.json?.id)
    for (const format of exportFormats) {
      const exported = await exportOf(source, id, format)
      expect(exported.status, exported.text.slice(0, 300)).toBe(200)
      expect(exported.text.length).toBeGreaterThan(2_000_000)
      const taken = await take(server, mediaTypes[format], exported.text)
      expect(taken.status, taken.text.slice(0, 300)).toBe(201)
      expect(taken.json?.messageCount).toBe(2_000)
      await server.send('DELETE', `/api/sessions/${id}`)
    }
  })
})

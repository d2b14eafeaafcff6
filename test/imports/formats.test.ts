import { describe, expect, it } from 'vitest'
import { asFile, asLines, messagesOf, notesOf, onlySession, openHere, textsIn } from './import-harness.ts'
import { makeZip } from './make-zip.ts'

const dataUrl = 'data:image/png;base64,iVBORw0KGgo='
const at = (second: number) => new Date(Date.UTC(2025, 0, 1, 10, 0, second)).toISOString()

/** Imports a file that holds one conversation without branches; imported again, it changes nothing. */
async function take(file: Blob) {
  await using open = await openHere()
  const { parley } = open
  const report = await parley.sessions.importFile(file)
  expect(report.failures).toEqual([])
  const again = await parley.sessions.importFile(file)
  expect(again).toMatchObject({ sessions: { added: 0, extended: 0 }, messages: 0 })
  const session = await onlySession(parley)
  const messages = await messagesOf(parley, session.id)
  return { report, notes: notesOf(report), session, messages, parts: messages.flatMap(({ parts }) => parts) }
}

describe('Claude', () => {
  const said = (uuid: string, sender: string, text: string, second: number, more: object = {}) => ({
    uuid,
    sender,
    text,
    content: [{ type: 'text', text, citations: [] }],
    created_at: at(second),
    updated_at: at(second),
    attachments: [],
    files: [],
    ...more,
  })
  const conversation = (messages: object[], more: object = {}) => ({
    uuid: '5f0c4e5a-0000-4d2b-9a3e-0d9f3a4b5c6d',
    name: 'Maps',
    created_at: at(0),
    updated_at: at(50),
    account: { uuid: 'account' },
    chat_messages: messages,
    ...more,
  })

  it('is taken with thoughts, tools, attachments and names of missing files', async () => {
    const answer = {
      content: [
        { type: 'thinking', thinking: 'Look it up', summaries: [] },
        { type: 'tool_use', name: 'web_search', input: { query: 'oslo' } },
        {
          type: 'tool_result',
          name: 'web_search',
          content: [{ type: 'text', text: 'A city' }],
          is_error: false,
        },
        { type: 'token_budget' },
        { type: 'text', text: 'Oslo is a city.' },
      ],
    }
    const { session, messages, parts, notes, report } = await take(
      asFile([
        conversation([
          said('m1', 'human', 'What is Oslo?', 1, {
            attachments: [
              { file_name: 'notes.md', file_size: 5, file_type: 'md', extracted_content: 'Søndag' },
            ],
            files: [{ file_name: 'map.png', file_uuid: 'f1' }],
          }),
          said('m2', 'assistant', 'Oslo is a city.', 2, answer),
        ]),
      ]),
    )
    expect(report.formats).toEqual(['claude'])
    expect(session).toMatchObject({ title: 'Maps', createdAt: at(0), updatedAt: at(50) })
    expect(messages.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      ['m1', 'user', at(1)],
      ['m2', 'assistant', at(2)],
    ])
    expect(parts).toMatchObject([
      { type: 'text', text: 'What is Oslo?' },
      { type: 'file', filename: 'notes.md', mediaType: 'text/plain' },
      { type: 'text', text: '[Image map.png: not in the export]' },
      { type: 'reasoning', text: 'Look it up' },
      { type: 'dynamic-tool', toolName: 'web_search', input: { query: 'oslo' }, output: 'A city' },
      { type: 'data-claude-token_budget' },
      { type: 'text', text: 'Oslo is a city.' },
    ])
    expect(notes).toEqual({ images_missing: 1, kept_as_data: 1 })
  })

  it('is taken with branches, and as an archive with other files', async () => {
    await using open = await openHere()
    const root = '00000000-0000-4000-8000-000000000000'
    const tree = conversation(
      [
        said('m1', 'human', 'Hello', 1, { parent_message_uuid: root }),
        said('m2', 'assistant', 'Hi', 2, { parent_message_uuid: 'm1' }),
        said('m3', 'assistant', 'Good day', 3, { parent_message_uuid: 'm1' }),
      ],
      { name: '' },
    )
    const zip = makeZip([
      { name: 'conversations.json', content: JSON.stringify([tree]) },
      { name: 'users.json', content: '[{"uuid":"u"}]' },
      { name: 'projects.json', content: '[]' },
    ])
    const report = await open.parley.sessions.importFile(new Blob([zip]))
    expect(report).toMatchObject({ sessions: { added: 2 }, failed: 0 })
    expect(notesOf(report)).toEqual({ other_files: 2 })
    expect(await textsIn(open.parley)).toEqual([
      ['Hello', 'Hi'],
      ['Hello', 'Good day'],
    ])
    expect((await open.parley.sessions.list()).items).toMatchObject([{ title: '', messageCount: 2 }])
  })
})

describe('Open WebUI', () => {
  const message = (
    id: string,
    parentId: string | null,
    role: string,
    content: string,
    more: object = {},
  ) => ({
    [id]: { id, parentId, childrenIds: [], role, content, timestamp: 1_735_725_600, ...more },
  })

  it('is taken with branches, images, thoughts and tool calls', async () => {
    await using open = await openHere()
    const details =
      '<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n&gt; Hm.\n&gt; 1 &lt; 2\n</details>\n' +
      '<details type="tool_calls" done="true" id="c1" name="add" arguments="&quot;{\\&quot;a\\&quot;: 1}&quot;" result="&quot;2&quot;">\n<summary>Tool Executed</summary>\n</details>\nTwo.'
    const chat = {
      id: 'chat-1',
      user_id: 'u',
      title: 'Sums',
      archived: false,
      created_at: 1_735_725_600,
      updated_at: 1_735_725_700,
      chat: {
        system: 'Count carefully.',
        history: {
          currentId: 'a2',
          messages: {
            ...message('q', null, 'user', '1+1?', { files: [{ type: 'image', url: dataUrl }] }),
            ...message('a1', 'q', 'assistant', details, { model: 'llama3', timestamp: 1_735_725_610 }),
            ...message('a2', 'q', 'assistant', '2', { timestamp: 1_735_725_620 }),
          },
        },
      },
    }
    const report = await open.parley.sessions.importFile(asFile([chat]))
    expect(report).toMatchObject({ formats: ['open-webui'], sessions: { added: 2 }, failed: 0, notes: [] })
    const [first] = (await open.parley.sessions.list({ variants: 'all' })).items.toSorted((a, b) =>
      a.createdAt.localeCompare(b.createdAt),
    )
    expect(first).toMatchObject({ title: 'Sums', instructions: 'Count carefully.' })
    expect((await messagesOf(open.parley, first!.id)).flatMap(({ parts }) => parts)).toEqual([
      { type: 'text', text: '1+1?' },
      { type: 'file', mediaType: 'image/png', url: dataUrl },
      { type: 'reasoning', text: 'Hm.\n1 < 2' },
      {
        type: 'dynamic-tool',
        toolName: 'add',
        toolCallId: 'c1',
        state: 'output-available',
        input: { a: 1 },
        output: '2',
      },
      { type: 'text', text: 'Two.' },
    ])
  })

  it('is taken as older versions wrote it, as a list', async () => {
    const { messages } = await take(
      asFile([
        {
          id: 'old',
          title: 'Old',
          chat: {
            messages: [
              { role: 'user', content: 'a' },
              { role: 'assistant', content: 'b' },
            ],
          },
        },
      ]),
    )
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
})

describe('LibreChat', () => {
  const root = '00000000-0000-0000-0000-000000000000'
  const message = (messageId: string, parentMessageId: string, text: string, more: object = {}) => ({
    messageId,
    parentMessageId,
    text,
    sender: 'User',
    isCreatedByUser: true,
    createdAt: at(1),
    ...more,
  })
  const answer = { sender: 'GPT', isCreatedByUser: false, createdAt: at(2), model: 'gpt-4o' }

  it('is taken with branches', async () => {
    await using open = await openHere()
    const report = await open.parley.sessions.importFile(
      asFile({
        conversationId: 'lc-1',
        endpoint: 'openAI',
        title: 'Tea',
        exportAt: 'x',
        branches: true,
        recursive: false,
        options: { promptPrefix: 'Be kind.' },
        messages: [
          message('q', root, 'Tea?'),
          message('a1', 'q', '', {
            ...answer,
            content: [
              { type: 'think', think: 'Yes' },
              {
                type: 'tool_call',
                tool_call: { id: 't1', name: 'kettle', args: '{"on":true}', output: 'hot' },
              },
              { type: 'text', text: { value: 'Please.' } },
            ],
          }),
          message('a2', 'q', 'No.', { ...answer, createdAt: at(3) }),
        ],
      }),
    )
    expect(report).toMatchObject({ formats: ['librechat'], sessions: { added: 2 }, failed: 0 })
    expect(await textsIn(open.parley)).toEqual([
      ['Tea?', 'Please.'],
      ['Tea?', 'No.'],
    ])
  })

  it('is taken as nested children, deeper than any recursion', async () => {
    let nested: object = message('m1499', '', 'last', answer)
    for (let index = 1_498; index >= 0; index--)
      nested = { ...message(`m${index}`, '', `${index}`), children: [nested] }
    const { messages, report } = await take(
      asFile({ conversationId: 'deep', title: 'Deep', recursive: true, messagesTree: [nested] }),
    )
    expect(report.messages).toBe(1_500)
    expect(messages).toHaveLength(200)
  })
})

describe('OpenCode', () => {
  it('is taken with tools, files and costs', async () => {
    const { session, messages, parts, notes } = await take(
      asFile({
        info: {
          id: 'ses_abc',
          title: 'Fix',
          version: '1.0',
          time: { created: Date.parse(at(0)), updated: Date.parse(at(9)) },
        },
        messages: [
          {
            info: { id: 'msg_1', role: 'user', time: { created: Date.parse(at(1)) } },
            parts: [
              { type: 'text', text: 'Fix it' },
              { type: 'file', mime: 'image/png', filename: 'a.png', url: dataUrl },
            ],
          },
          {
            info: {
              id: 'msg_2',
              role: 'assistant',
              providerID: 'anthropic',
              modelID: 'claude',
              cost: 0.5,
              tokens: { input: 1, output: 2, reasoning: 0, cache: { read: 3, write: 4 } },
              time: { created: Date.parse(at(2)) },
            },
            parts: [
              { type: 'step-start' },
              { type: 'reasoning', text: 'Read it' },
              {
                type: 'tool',
                callID: 'c1',
                tool: 'read',
                state: { status: 'completed', input: { path: 'a' }, output: 'x' },
              },
              {
                type: 'tool',
                callID: 'c2',
                tool: 'edit',
                state: { status: 'error', input: {}, error: 'denied' },
              },
              { type: 'text', text: 'Done' },
              { type: 'step-finish' },
            ],
          },
        ],
      }),
    )
    expect(session).toMatchObject({ title: 'Fix', createdAt: at(0), updatedAt: at(9) })
    expect(messages[1]!.metadata).toEqual({
      model: 'anthropic/claude',
      cost: 0.5,
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
    })
    expect(parts).toMatchObject([
      { type: 'text' },
      { type: 'file', filename: 'a.png', url: dataUrl },
      { type: 'reasoning' },
      { type: 'dynamic-tool', toolCallId: 'c1', state: 'output-available', output: 'x' },
      { type: 'dynamic-tool', toolCallId: 'c2', state: 'output-error', errorText: 'denied' },
      { type: 'text', text: 'Done' },
    ])
    expect(notes).toEqual({ other_lines: 2 })
  })
})

describe('Codex', () => {
  const line = (type: string, payload: object, second = 1) => ({ timestamp: at(second), type, payload })
  const rows = [
    line(
      'session_meta',
      { id: '0199a213-81c0-7800-8aa1-bbab2a035a53', timestamp: at(0), cwd: '/x', instructions: null },
      0,
    ),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>\n</environment_context>' }],
    }),
    line('turn_context', { model: 'gpt-5-codex' }),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'List files' },
        { type: 'input_image', image_url: dataUrl },
      ],
    }),
    line('event_msg', { type: 'user_message', message: 'List files' }),
    line(
      'response_item',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Use ls' }], encrypted_content: 'x' },
      2,
    ),
    line(
      'response_item',
      { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
      3,
    ),
    line(
      'response_item',
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: '{"output":"a.txt","metadata":{"exit_code":0}}',
      },
      4,
    ),
    line(
      'response_item',
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One file.' }] },
      5,
    ),
  ]

  it('is taken without what the program said to the model, and grows', async () => {
    const { session, parts, notes, messages } = await take(asLines(rows))
    expect(session).toMatchObject({ title: 'List files', createdAt: at(0) })
    expect(parts).toMatchObject([
      { type: 'text', text: 'List files' },
      { type: 'file', mediaType: 'image/png', url: dataUrl },
      { type: 'reasoning', text: 'Use ls' },
      { type: 'dynamic-tool', toolName: 'shell', input: { command: ['ls'] }, output: 'a.txt' },
      { type: 'text', text: 'One file.' },
    ])
    expect(messages.at(-1)!.metadata).toEqual({ model: 'gpt-5-codex' })
    expect(notes).toEqual({ hidden_messages: 1, other_lines: 3 })
  })

  it('may end in the middle of a line, as a log does that is being written', async () => {
    await using open = await openHere()
    const text = await asLines(rows).text()
    const half = new Blob([text.slice(0, -30)])
    const first = await open.parley.sessions.importFile(half)
    expect(notesOf(first)).toMatchObject({ broken_lines: 1 })
    const whole = await open.parley.sessions.importFile(new Blob([text]))
    expect(whole.sessions).toEqual({ added: 0, extended: 1, unchanged: 0 })
    const { id } = await onlySession(open.parley)
    expect((await messagesOf(open.parley, id)).at(-1)!.parts).toEqual([{ type: 'text', text: 'One file.' }])
  })
})

describe('Claude Code', () => {
  const sessionId = '5f0c4e5a-7d41-4d2b-9a3e-0d9f3a4b5c6d'
  const user = (uuid: string, parentUuid: string | null, content: unknown, more: object = {}) => ({
    type: 'user',
    uuid,
    parentUuid,
    sessionId,
    timestamp: at(Number(uuid.slice(1))),
    message: { role: 'user', content },
    ...more,
  })
  const assistant = (uuid: string, parentUuid: string, id: string, block: object) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    sessionId,
    timestamp: at(Number(uuid.slice(1))),
    message: { id, role: 'assistant', model: 'claude', content: [block] },
  })
  const result = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }]
  const use = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })
  const rows = [
    { type: 'summary', summary: 'Two commands', leafUuid: 'x' },
    user('u1', null, 'Run both'),
    assistant('a2', 'u1', 'msg_1', { type: 'text', text: 'I will.' }),
    assistant('a3', 'a2', 'msg_1', use('t1')),
    assistant('a4', 'a3', 'msg_1', use('t2')),
    // the first result follows the line of its call, not the last line of the answer
    user('u5', 'a3', result('t1', 'one')),
    user('u6', 'a4', result('t2', 'two')),
    assistant('a7', 'u6', 'msg_2', { type: 'text', text: 'Both are done.' }),
    user('u8', 'a7', 'A sub-task', { isSidechain: true }),
  ]

  it('joins the lines of an answer, with tools that ran at once', async () => {
    const { session, messages, notes } = await take(asLines(rows))
    expect(session).toMatchObject({ title: 'Two commands' })
    expect(messages.map(({ id, role }) => [id, role])).toEqual([
      ['u1', 'user'],
      ['a2', 'assistant'],
      ['a7', 'assistant'],
    ])
    expect(messages[1]!.parts).toMatchObject([
      { type: 'text', text: 'I will.' },
      { type: 'dynamic-tool', toolCallId: 't1', output: 'one' },
      { type: 'dynamic-tool', toolCallId: 't2', output: 'two' },
    ])
    expect(notes).toEqual({ side_chains: 1, other_lines: 1 })
  })

  it('makes a branch where the session was rewound', async () => {
    await using open = await openHere()
    const rewound = [
      ...rows,
      user('u9', 'a2', 'Stop'),
      assistant('a10', 'u9', 'msg_3', { type: 'text', text: 'Stopped.' }),
    ]
    const report = await open.parley.sessions.importFile(asLines(rewound))
    expect(report).toMatchObject({ sessions: { added: 2 }, failed: 0 })
    expect(await textsIn(open.parley)).toEqual([
      ['Run both', 'I will.', 'Both are done.'],
      ['Run both', 'I will.', 'Stop', 'Stopped.'],
    ])
  })

  it('completes an answer whose tool had not answered when it was imported first', async () => {
    await using open = await openHere()
    await open.parley.sessions.importFile(asLines(rows.slice(0, 5)))
    const report = await open.parley.sessions.importFile(asLines(rows))
    expect(report.sessions).toEqual({ added: 0, extended: 1, unchanged: 0 })
    const { id } = await onlySession(open.parley)
    expect((await messagesOf(open.parley, id))[1]!.parts).toMatchObject([
      {},
      { output: 'one' },
      { output: 'two' },
    ])
  })
})

describe('ShareGPT', () => {
  it('is taken as a list and by lines, also without ids', async () => {
    await using open = await openHere()
    const one = {
      conversations: [
        { from: 'system', value: 'Be brief.' },
        { from: 'human', value: 'Weather?' },
        { from: 'function_call', value: '{"name":"weather","arguments":{"city":"Oslo"}}' },
        { from: 'observation', value: 'Rain' },
        { from: 'gpt', value: 'Rain.' },
      ],
    }
    const two = {
      id: 'two',
      conversations: [
        { from: 'human', value: '' },
        { from: 'gpt', value: 'Hello' },
      ],
    }
    const report = await open.parley.sessions.importFile(asFile([one, two]))
    expect(report).toMatchObject({
      formats: ['sharegpt'],
      conversations: 2,
      sessions: { added: 2 },
      failed: 0,
    })
    expect(notesOf(report)).toMatchObject({ empty_messages: 1 })
    expect((await open.parley.sessions.importFile(asLines([one, two]))).sessions).toEqual({
      added: 0,
      extended: 0,
      unchanged: 2,
    })
    const { items } = await open.parley.sessions.list({ q: 'Rain' })
    expect((await messagesOf(open.parley, items[0]!.id)).map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'assistant',
    ])
  })
})

describe('Parley and lists of messages', () => {
  it('are taken: documents, lines of many sessions, AI SDK messages', async () => {
    await using from = await openHere()
    const first = await from.parley.sessions.create({ title: 'First' })
    await from.parley.sessions.append(first.id, { role: 'user', content: 'one' })
    await from.parley.sessions.create({ title: 'Second' })
    for (const format of ['jsonl', 'json'] as const) {
      const pieces: string[] = []
      for await (const piece of from.parley.sessions.exportAll({ format })) pieces.push(piece)
      const file = new Blob(pieces)
      await using to = await openHere()
      const report = await to.parley.sessions.importFile(file)
      expect(report, format).toMatchObject({
        formats: ['parley'],
        conversations: 2,
        sessions: { added: 2 },
        failed: 0,
      })
      expect(await to.parley.sessions.export(first.id)).toBe(await from.parley.sessions.export(first.id))
      expect((await to.parley.sessions.importFile(file)).sessions).toEqual({
        added: 0,
        extended: 0,
        unchanged: 2,
      })
    }
    const messages = { id: 'list', title: 'A list', messages: [{ role: 'user', content: 'Hi' }] }
    const { session } = await take(asFile(messages))
    expect(session).toMatchObject({ id: 'list', title: 'A list' })
    await take(asFile(messages.messages))
    await take(new Blob([await from.parley.sessions.export(first.id, { format: 'markdown' })]))
  })
})

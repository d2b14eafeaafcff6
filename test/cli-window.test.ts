import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createClient } from '../src/client/index.ts'
import type { WindowSettings } from '../src/core/protocol/window.ts'
import { createScripted, says } from './chat-harness.ts'
import { runner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { startApp } from './http/app-server.ts'

async function createFilled(parley: ReturnType<typeof runner>, turns: number): Promise<string> {
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: 'user', content: `question ${turn + 1}` },
    { role: 'assistant', content: `answer ${turn + 1}` },
  ]).flat()
  const imported = await parley(['sessions', 'import', '-', '--json'], {
    input: JSON.stringify({ messages }),
  })
  return JSON.parse(imported.stdout).items[0].id
}

it('shows a window, changes only what is asked for, and takes it all back', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const id = await createFilled(parley, 3)
  const settingsOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await parley(['sessions', 'window', id, ...args, '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout).settings as WindowSettings
  }

  const shown = await parley(['sessions', 'window', id])
  expect(shown.stdout).toMatch(/^mode lite {2}\(set here: nothing\)\n6 of 6 messages, from number 1;/)
  expect(shown.stdout).toMatch(/chars +\d+ +400000 +0 %\nmessages +6 +400 +2 %\ntokens +\d+ +none\n/)

  expect(await settingsOf('--chars', '100', '--mode', 'memo')).toEqual({
    mode: 'memo',
    limit: { chars: 100 },
  })
  expect(await settingsOf('--messages', '0', '--every-n-turns', '5')).toEqual({
    mode: 'memo',
    limit: { chars: 100, messages: 0 },
    resize: { every_n_turns: 5 },
  })
  const full = await parley(['sessions', 'window', id, '--tokens', '9', '--preset', 'last-20'])
  expect(full.stdout).toMatch(
    /^mode memo, every 5 turns {2}\(set here: mode memo, preset last-20, limit\.chars 100, /,
  )
  expect(full.stdout).toMatch(/messages +6 +none\ntokens +\d+ +9 +\d+ %/)
  expect(await settingsOf('--reset', '--chars', '7')).toEqual({ limit: { chars: 7 } })
  expect(await settingsOf('--reset')).toEqual({})
  expect(await settingsOf()).toEqual({})

  for (const args of [
    ['--chars', '-1'],
    ['--chars', '1.5'],
    ['--messages', 'many'],
    ['--tokens', ''],
    ['--tokens', '99999999999'],
    ['--mode', 'full'],
    ['--preset', 'last-30'],
  ]) {
    const refused = await parley(['sessions', 'window', id, ...args])
    expect(refused, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr, args.join(' ')).toMatch(args[1] === '99999999999' ? /limit\.tokens/ : args[0]!)
  }
  expect(await settingsOf()).toEqual({})
  expect((await parley(['sessions', 'window', 'ses_unknown'])).code).toBe(3)
  expect((await parley(['sessions', 'window', id, '--scope', 'blue'])).code).toBe(3)
})

it('follows the configuration where a session says nothing, and refuses keys that are gone', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const id = await createFilled(parley, 1)
  const file = join(folder.path, 'parley.yaml')
  writeFileSync(
    file,
    'session:\n  mode: memo\n  limit: {chars: 1200, messages: 12}\n  memo: {enabled: false}\n',
  )
  const { stdout } = await parley(['sessions', 'window', id, '--messages', '30', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    settings: { limit: { messages: 30 } },
    effective: { mode: 'memo', memo: false, maxChars: 1_200, maxMessages: 30 },
  })
  expect((await parley(['sessions', 'window', id])).stdout).toMatch(/^mode memo, without a memo {2}/)
  writeFileSync(file, 'session:\n  resize: {keep_last_messages: 10}\n')
  expect(await parley(['sessions', 'window', id])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/keep_last_messages.*session\.limit\.messages.*max_keep_messages_count/),
  })
}, 180_000)

it('cuts a window back, and lists what was done', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const id = await createFilled(parley, 4)
  const lite = await parley(['sessions', 'resize', id, '--lite'])
  expect(lite).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^unchanged \(lite\): 8 → 8 messages/),
  })
  const deep = await parley(['sessions', 'resize', id])
  expect(deep.stdout).toMatch(/^resized \(deep\): 8 → 2 messages, \d+ → \d+ chars\n$/)
  const again = JSON.parse((await parley(['sessions', 'resize', id, '--json'])).stdout)
  expect(again).toMatchObject({ number: 3, type: 'deep', outcome: 'unchanged', startSeq: 7 })
  const { stdout } = await parley(['sessions', 'window', id])
  expect(stdout).toContain('2 of 8 messages, from number 7;')
  const table = stdout.slice(stdout.indexOf('when'))
  expect(table).toMatch(/^when +type +reason +severity +before → after\n/)
  expect(table.trimEnd().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^\d{4}-\S+ +deep, unchanged +force +1000 +2 → 2 messages/),
    expect.stringMatching(/^\d{4}-\S+ +deep +force +1000 +8 → 2 messages/),
    expect.stringMatching(/^\d{4}-\S+ +lite, unchanged +force +1000 +8 → 8 messages/),
  ])
  const empty = JSON.parse((await parley(['sessions', 'create', '--json'])).stdout).id
  expect(await parley(['sessions', 'resize', empty])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('no messages'),
  })
}, 180_000)

it('shows, writes, pins, lists and takes back a memo, which is YAML that it takes again', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const id = await createFilled(parley, 1)
  const memo = (...args: string[]) => parley(['sessions', 'memo', id, ...args])
  expect(await memo()).toMatchObject({
    code: 0,
    stdout: '# version 0: nothing is kept yet\n{}\n',
    stderr: '',
  })
  const input = '{"facts":["a: b","#c","是"],"profile":{"name":"Ada"}}'
  const written = await parley(['sessions', 'memo', id, '--set', '-', '--pin', 'profile, facts'], { input })
  expect(written.stdout).toMatch(
    /^# version 1 by user, 52 characters, 2\S+\n# pinned: profile, facts\nfacts:\n {2}- "a: b"\n/,
  )
  const file = join(folder.path, 'memo.yaml')
  writeFileSync(file, written.stdout.replace('Ada', 'Grace'))
  const edited = JSON.parse((await memo('--set', file, '--version', '1', '--json')).stdout)
  expect(edited).toMatchObject({
    version: 2,
    memo: { facts: ['a: b', '#c', '是'], profile: { name: 'Grace' } },
    pinned: ['profile', 'facts'],
  })
  expect(await memo('--set', file, '--version', '1')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('meanwhile'),
  })
  expect((await memo('--version', '1')).stdout).toBe(written.stdout)
  expect((await memo('--undo')).stdout).toMatch(/^# version 3 by undo[\s\S]*name: Ada/)
  expect((await memo('--undo', '2')).stdout).toMatch(/^# version 4 by undo[\s\S]*name: Grace/)
  expect((await memo('--pin', '')).stdout).not.toContain('pinned')
  const table = (await memo('--versions')).stdout
  expect(table).toMatch(
    /^version +made +by +took in +characters +keys\n5 +2\S+ +user +54 → 54 +facts, profile\n/,
  )
  expect(table.trimEnd().split('\n')).toHaveLength(6)
  const page = JSON.parse((await memo('--versions', '--json')).stdout)
  expect(page).toMatchObject({ nextCursor: null, items: [{ version: 5 }, {}, {}, {}, { version: 1 }] })
  expect(JSON.parse((await memo('--versions', '--cursor', '3', '--json')).stdout).items).toHaveLength(2)

  writeFileSync(join(folder.path, 'list.yaml'), '- a\n')
  writeFileSync(join(folder.path, 'wrong.yaml'), 'facts: one\n')
  writeFileSync(join(folder.path, 'broken.yaml'), 'facts: [\n')
  const refusals: [args: string[], code: number, message: RegExp][] = [
    [['--version', 'x'], 2, /--version is "x"/],
    [['--version', '9'], 3, /memo version/],
    [['--undo', '9'], 3, /memo version/],
    [['--undo', '-1'], 2, /./],
    [['--undo', '--versions'], 2, /--versions and --undo/],
    [['--undo', '--pin', 'a'], 2, /--undo and --set or --pin/],
    [['--set', 'none.yaml'], 2, /none\.yaml/],
    [['--set', 'list.yaml'], 2, /mapping/],
    [['--set', 'wrong.yaml'], 2, /"facts": expected array/],
    [['--set', 'broken.yaml'], 2, /YAML/],
  ]
  for (const [args, code, message] of refusals)
    expect(await memo(...args), args.join(' ')).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(message),
    })
  expect(JSON.parse((await memo('--json')).stdout).version).toBe(5)
  expect(readFileSync(file, 'utf8')).toContain('Grace')
}, 180_000)

it('works on a server elsewhere, where a model keeps the memo', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const model = createScripted((request) =>
    request.cacheKey?.endsWith(':memo') ? says('{"facts":["asked twice"]}') : says('Hello'),
  )
  await using server = await startApp({ model })
  const { sessions } = createClient({ baseUrl: server.url })
  const { id } = await sessions.create({ scope: 'notes', window: { mode: 'memo' } })
  for (const content of ['one', 'two']) await sessions.chat(id, { scope: 'notes', content })
  const at = ['--url', server.url, '--scope', 'notes']
  const resized = await parley(['sessions', 'resize', id, ...at])
  expect(resized).toMatchObject({ code: 0, stderr: '' })
  expect(resized.stdout).toMatch(/^resized \(deep\): 4 → 2 messages, .*, memo version 1\n$/)
  expect((await parley(['sessions', 'memo', id, ...at])).stdout).toMatch(
    /^# version 1 by model \(scripted\/test\), 25 characters, 2\S+\nfacts:\n {2}- asked twice\n$/,
  )
  expect((await parley(['sessions', 'memo', id, '--versions', ...at])).stdout).toContain('messages 1 to 4')
  expect((await parley(['sessions', 'memo', id, '--undo', ...at])).stdout).toMatch(
    /^# version 2 by undo, 0 characters, 2\S+\n# 2 messages left the window and are not in it yet\n\{\}\n$/,
  )
  const changed = await parley(['sessions', 'window', id, '--mode', 'lite', ...at])
  expect(changed.stdout).toMatch(/^mode lite {2}\(set here: mode lite\)\n2 of 4 messages/)
}, 180_000)

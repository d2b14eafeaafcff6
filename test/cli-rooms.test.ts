import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RunEvent } from '../src/core/protocol/chunk.ts'
import { runner } from './command-line.ts'
import { says } from './chat-harness.ts'
import { sqliteDatabase, temporaryFolder } from './harness.ts'
import { startRooms } from './room-server.ts'

it('makes, shows and talks in rooms of the local store', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const rooms = async (...args: string[]) => parley(['rooms', ...args])
  const made = await rooms('create', '夜间 talk', '--agents', '@mira, pip', '--policy', 'silent')
  expect(made, made.stderr).toMatchObject({ code: 0, stderr: 'free_chat: mira, pip\n' })
  const id = made.stdout.trim()
  expect(id).toMatch(/^ses_\w+$/)
  expect((await rooms('list')).stdout).toMatch(new RegExp(`${id} +夜间 talk +free_chat +mira, pip`))
  expect(await rooms('list', '--mode', 'quiz')).toMatchObject({ stdout: '', stderr: 'no rooms\n' })
  const shown = await rooms('show', id)
  expect(shown.stdout).toContain(`Room ${id}: 夜间 talk\n💬 free_chat: `)
  expect(shown.stdout).toContain('Policy: silent\nAgents:\n  🦉 Mira @mira, ')
  expect(JSON.parse((await rooms('show', id, '--json')).stdout)).toMatchObject({
    mode: { name: 'free_chat' },
  })

  const said = await rooms('say', id, '@pip hello there')
  expect(said).toMatchObject({ code: 0, stderr: 'Mentioned: Pip.\n' })
  expect(said.stdout).toMatch(/^🐿️ Pip: Pip here\. As to “hello there”: .+\n$/)
  expect(await rooms('say', id, 'anybody?')).toMatchObject({ code: 0, stdout: '' })
  const answer = JSON.parse((await rooms('say', id, '@pip hi', '--json')).stdout)
  expect(answer.messages).toMatchObject([{ metadata: { agent: 'pip' } }])
  expect((await rooms('rounds', id)).stdout).toContain('pip said')
  expect(JSON.parse((await rooms('rounds', id, '--run', answer.run.id, '--json')).stdout).items).toHaveLength(
    1,
  )
  // colours where they are asked for, and only there
  const painted = await parley(['rooms', 'say', id, '@pip hi'], { env: { FORCE_COLOR: '1' } })
  expect(painted.stdout).toContain('m🐿️ Pip\u001b[39m: ')
  expect(painted.stdout.startsWith('\u001b[38;5;')).toBe(true)
  const plain = await parley(['rooms', 'say', id, '@pip hi'], { env: { NO_COLOR: '1' } })
  expect(plain.stdout).toMatch(/^🐿️ Pip: /)
  // all who were asked failed
  const failed = await rooms('say', id, '@pip @mira\nfail auth')
  expect(failed).toMatchObject({ code: 5, stdout: '' })
  expect(failed.stderr).toContain('pip failed: ')
}, 240_000)

it('plays in the terminal, line by line', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const options = ['--option', 'topic=sums', 'rounds=2', 'auto=false', '--agents', 'mira,pip']
  const id = (await parley(['rooms', 'create', '--mode', 'quiz', ...options])).stdout.trim()
  const first = await parley(['rooms', 'advance', id])
  expect(first, first.stderr).toMatchObject({ code: 0 })
  expect(first.stdout).toMatch(/^The quiz begins\. Topic: sums\./)
  expect(first.stderr).toContain('Question 1: ')
  const between = (await parley(['rooms', 'show', id])).stdout
  expect(between).toContain('\nPeople: operator\n')
  expect(between).toMatch(/\n {2}results:\n {4}round 1, .*marks:\n {6}player \w+, answer /)
  expect((await parley(['rooms', 'modes'])).stdout).toMatch(/\n {2}quiz auto=<boolean>: .+default true\n/)
  const chat = await parley(['rooms', 'chat', id], {
    input:
      '/help\n/advnace\n/advance\n/advance\n/act\n/mode chess\n/mode quiz topic=old cheese rounds=1\n/mode free_chat\n@mira how was it?\n/quit\nnever said\n',
  })
  expect(chat, chat.stderr).toMatchObject({ code: 0 })
  expect(chat.stdout).toContain('The quiz is over.')
  expect(chat.stderr).toContain('  /act key=value …  do what the room asks of you\n')
  expect(chat.stderr).toContain('parley: There is no "/advnace" here; /help lists what there is.')
  expect(chat.stderr).toContain('parley: The quiz is over.')
  expect(chat.stderr).toContain('parley: /act needs key=value.')
  expect(chat.stderr).toContain('parley: There is no mode "chess".')
  expect(chat.stderr).toContain('the mode is quiz\nthe mode is free_chat')
  expect(chat.stdout).toContain('🦉 Mira: Mira here. As to “how was it?”: ')
  expect(chat.stdout).not.toContain('never said')
  // what was said before is told when one comes back
  const back = await parley(['rooms', 'chat', id])
  expect(back.stdout).toContain('operator: @mira how was it?\n🦉 Mira: Mira here')

  const events = await parley(['rooms', 'chat', id, '--json'], { input: 'Hi @pip\n' })
  const types = events.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as RunEvent).chunk.type)
  expect(types[0]).toBe('start')
  expect(types).toContain('data-round')
  expect(types.at(-1)).toBe('finish')

  const moved = await parley(['rooms', 'mode', id, 'quiz', '--option', 'topic=7 seas', '--json'])
  expect(JSON.parse(moved.stdout)).toMatchObject({ mode: 'quiz', modeState: { topic: '7 seas' } })
  const on = JSON.parse((await parley(['rooms', 'advance', id, '--json'])).stdout)
  expect(on).toMatchObject({ run: { kind: 'room' }, room: { mode: { name: 'quiz' } } })
}, 240_000)

it('waits for a person who plays, and tells what is asked', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const options = ['--mode', 'quiz', '--agents', 'mira', '--plays', 'ada', '--option', 'rounds=1']
  const id = (await parley(['rooms', 'create', ...options])).stdout.trim()
  const begun = await parley(['rooms', 'advance', id, '--from', 'ada'])
  expect(begun.stdout).toMatch(/🦉 Mira: What is \d+ \+ \d+\?/)
  expect(begun.stderr).toMatch(/ada: What is \d+ \+ \d+\?/)
  const [, one, two] = /What is (\d+) \+ (\d+)\?/.exec(begun.stdout)!
  const shown = await parley(['rooms', 'show', id, '--as', 'ada'])
  expect(shown.stdout).toContain('Waits for:\n  ada: What is')
  expect(shown.stdout).toContain(`parley rooms advance ${id} --from ada --action key=value … answers\n`)
  expect(shown.stdout).toContain(`parley rooms advance ${id} continues without an answer\n`)
  const wrong = await parley(['rooms', 'advance', id, '--from', 'bob', '--action', 'answer=1'])
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  const action = `answer=${Number(one) + Number(two)}`
  const answered = await parley(['rooms', 'advance', id, '--from', 'ada', '--action', action])
  expect(answered, answered.stderr).toMatchObject({ code: 0 })
  expect(answered.stdout).toMatch(/The quiz is over\.\n1\. \w+: /)
}, 240_000)

it('keeps agents and threads', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const rooms = async (...args: string[]) => parley(['rooms', ...args])
  const file = join(folder.path, 'milk.md')
  writeFileSync(file, '---\nnickname: 牛奶\navatar: 🐱\ncolor: "#b45309"\n---\n\nYou are gentle.\n')
  expect(await rooms('agents', 'save', file)).toMatchObject({ code: 0, stdout: 'milk\n' })
  expect((await rooms('agents', 'list')).stdout).toMatch(/milk +🐱 milk +牛奶 +stored/)
  expect((await rooms('agents', 'show', 'Milk')).stdout).toContain(
    '🐱 milk @milk\nCalled 牛奶\nFrom stored\n\nYou are gentle.',
  )
  // saved again it is as the file says now
  writeFileSync(file, '---\ndescription: Kind\n---\nYou are kind.\n')
  expect(await rooms('agents', 'save', file)).toMatchObject({ code: 0 })
  const saved = JSON.parse((await rooms('agents', 'show', 'milk', '--json')).stdout)
  expect(saved).toMatchObject({ description: 'Kind', persona: 'You are kind.' })
  expect(saved).not.toHaveProperty('nicknames')
  expect(await rooms('agents', 'save', file, '--name', 'mira')).toMatchObject({ code: 0, stdout: 'mira\n' })
  expect(await rooms('agents', 'delete', 'mira')).toMatchObject({ code: 0 })
  writeFileSync(file, '---\ncolor: nothing\n---\n')
  expect(await rooms('agents', 'save', file)).toMatchObject({ code: 2 })

  expect(await rooms('threads', 'create', 'cafe', 'The café')).toMatchObject({ code: 0, stdout: 'cafe\n' })
  const id = (await rooms('create', '--thread', 'cafe', '--agents', 'milk,pip')).stdout.trim()
  expect((await rooms('list', '--thread', 'cafe')).stdout).toContain(id)
  expect((await rooms('threads', 'list')).stdout).toMatch(/cafe +The café +1/)
  expect(await rooms('threads', 'archive', 'cafe')).toMatchObject({ code: 2 })
  expect(await rooms('threads', 'archive', 'cafe', '--reason', 'done with it')).toMatchObject({ code: 0 })
  expect(await rooms('threads', 'list')).toMatchObject({ stdout: '', stderr: 'no threads\n' })
  expect((await rooms('threads', 'list', '--archived')).stdout).toContain('done with it')
  expect(await rooms('threads', 'restore', 'cafe')).toMatchObject({ code: 0 })
  expect(await rooms('threads', 'delete', 'cafe')).toMatchObject({ code: 1 })
}, 240_000)

it('says what is wrong, with the exit code of it', async () => {
  using folder = temporaryFolder()
  const parley = runner(folder.path)
  const id = (await parley(['rooms', 'create'])).stdout.trim()
  for (const [code, ...args] of [
    [3, 'show', 'ses_none'],
    [3, 'say', 'ses_none', 'Hi'],
    [2, 'say', id, ' '],
    [2, 'say', id, 'Hi', '--from', 'nobody'],
    [2, 'create', '--mode', 'chess'],
    [2, 'create', '--agents', 'nobody'],
    [2, 'create', '--agents', 'mira,,pip'],
    [2, 'create', '--policy', 'loud'],
    [2, 'create', '--policy', 'moderator', '--moderator', 'coder'],
    [2, 'create', '--mode', 'quiz', '--option', 'topic'],
    [2, 'mode', id, 'chess'],
    [1, 'advance', id],
    [2, 'advance', id, '--action', 'x'],
    [3, 'agents', 'show', 'nobody'],
    [1, 'agents', 'delete', 'mira'],
    [2, 'agents', 'save', 'missing.md'],
    [3, 'threads', 'archive', 'nowhere', '--reason', 'x'],
    [2, 'nothing'],
  ] as [number, ...string[]][]) {
    const answer = await parley(['rooms', ...args])
    expect([args.join(' '), answer.code, answer.stdout], answer.stderr).toEqual([args.join(' '), code, ''])
  }
}, 240_000)

it('shows several agents of a server at once, each line of one of them', async () => {
  using folder = temporaryFolder()
  await using server = await startRooms(sqliteDatabase, (agent) => {
    const lines = Array.from({ length: 20 }, (_, line) => [`${agent} `, 'in ', `line ${line}\n`]).flat()
    return says(...lines)
  })
  const parley = runner(folder.path)
  const at = ['--url', server.url, '--scope', 'red']
  const id = (await parley(['rooms', 'create', 'Many', ...at])).stdout.trim()
  const said = await parley(['rooms', 'say', id, 'Hi', ...at])
  const lines = said.stdout.trim().split('\n')
  expect(lines).toHaveLength(60)
  for (const line of lines) expect(line).toMatch(/^\S+ (Mira|Quill|Pip): \1 in line \d+$/)
})

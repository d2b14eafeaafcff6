/** A person at a terminal: keys, pastes, Ctrl-C, and messages of earlier chats. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Message } from '../src/core/protocol/message.ts'
import { processRunner } from './command-line.ts'
import { temporaryFolder } from './harness.ts'
import { keys, openTerminal, type Terminal } from './terminal.ts'

/** What was said in the session of a terminal, as it is stored. */
async function saidIn(home: string, terminal: Terminal): Promise<string[]> {
  const [, id = ''] = /session (ses_\w+)/.exec(terminal.screen()) ?? []
  const { stdout } = await processRunner(home)(['sessions', 'show', id, '--json'])
  const { messages } = JSON.parse(stdout) as { messages: Message[] }
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
}

it('takes pasted lines and lines that end in a backslash as one message', async () => {
  using folder = temporaryFolder()
  await using terminal = await openTerminal(folder.path, ['chat'])
  await terminal.shows('> ')
  // the terminal was asked to mark what is pasted
  expect(terminal.raw()).toContain('\u001b[?2004h')
  terminal.type(`See: ${keys.paste('one\r\ttwo\u0003\u0004\rthree\r')} ok${keys.enter}`)
  await terminal.shows('You wrote')
  await terminal.shows('\n> ')
  terminal.type(`first\\${keys.enter}`)
  await terminal.shows('… ')
  terminal.type(`second${keys.enter}`)
  await terminal.shows('You wrote')
  await terminal.shows('\n> ')
  const long = Array.from({ length: 300 }, (_, index) => `line ${index} of what is pasted`).join('\r')
  // in pieces, as a terminal may deliver it: the marks are cut, too
  const pasted = keys.paste(long)
  for (const [from, to] of [
    [0, 3],
    [3, 500],
    [500, -2],
    [-2, undefined],
  ])
    terminal.type(pasted.slice(from, to))
  await terminal.shows(/\[pasted 1: 300 lines, \d+ characters\]/)
  terminal.type(keys.enter)
  await terminal.shows('You wrote')
  await terminal.shows('\n> ')
  terminal.type(keys.ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect(terminal.raw()).toContain('\u001b[?2004l')
  expect(await saidIn(folder.path, terminal)).toEqual([
    'See: one\n\ttwo\nthree ok',
    'first\nsecond',
    long.replaceAll('\r', '\n'),
  ])
})

it('finds messages of earlier chats, in a file that others cannot read', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'data', 'history.jsonl')
  const env = { PARLEY_HISTORY_SIZE: '2' }
  {
    await using terminal = await openTerminal(folder.path, ['chat'], env)
    for (const message of ['one', 'two\\', ' a secret', 'four', 'four']) {
      await terminal.shows(/> |… /)
      terminal.type(`${message}${keys.enter}`)
      if (message === 'two\\') continue
      await terminal.shows('You wrote')
    }
    await terminal.shows('\n> ')
    terminal.type(` private${keys.enter}`)
    await terminal.shows('You wrote')
    await terminal.shows('\n> ')
    terminal.type(keys.ctrlD)
    expect(await terminal.ended()).toBe(0)
  }
  const lines = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  expect(lines().map((line) => JSON.parse(line) as string)).toEqual(['one', 'two\n a secret', 'four'])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // what cannot be read is passed over
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"broken\n17\n`)
  await using terminal = await openTerminal(folder.path, ['chat', '--continue'], env)
  await terminal.shows('“private”')
  await terminal.shows('\n> ')
  terminal.type(keys.up)
  await terminal.shows('four')
  terminal.type(keys.up)
  await terminal.shows('two⏎ a secret')
  terminal.type(`!${keys.enter}`)
  await terminal.shows('You wrote')
  await terminal.shows('\n> ')
  terminal.type(keys.ctrlD)
  expect(await terminal.ended()).toBe(0)
  expect((await saidIn(folder.path, terminal)).at(-1)).toBe('two\n a secret!')
  // cut to two when the chat began
  expect(lines()).toHaveLength(3)
})

it('stops the answer by Ctrl-C, and ends by a second one', async () => {
  using folder = temporaryFolder()
  await using terminal = await openTerminal(folder.path, ['chat'])
  await terminal.shows('> ')
  terminal.type(`slow\\${keys.enter}long 5000${keys.enter}`)
  await terminal.shows('long 5000')
  await terminal.shows(/\w+ \w+ \w+/)
  terminal.type(keys.ctrlC)
  await terminal.shows('stopped')
  terminal.type(keys.ctrlC)
  expect(await terminal.ended()).toBe(0)
})

it('discards what was typed by Ctrl-C, says how to end, and then ends', async () => {
  using folder = temporaryFolder()
  await using terminal = await openTerminal(folder.path, ['chat'])
  await terminal.shows('> ')
  terminal.type('never sent')
  await terminal.shows('never sent')
  terminal.type(keys.ctrlC)
  await terminal.shows('Ctrl-C again ends')
  await terminal.shows('> ')
  terminal.type(`sent${keys.enter}`)
  await terminal.shows('You wrote')
  await terminal.shows('\n> ')
  terminal.type(keys.ctrlC)
  await terminal.shows('Ctrl-C again ends')
  terminal.type(keys.ctrlC)
  expect(await terminal.ended()).toBe(0)
  expect(await saidIn(folder.path, terminal)).toEqual(['sent'])
})

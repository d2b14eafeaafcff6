/** A command that a rule forbids is not run in pieces either, that a shell which stays is sent one after the other. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createParley } from '../src/parley.ts'
import type { ModelRequest } from '../src/core/models/adapter.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'
import { needProgram } from './runner/provision.ts'

type Piece = [input: string, press_enter?: boolean]

/** What a shell that was sent the pieces, each list of them at once, left in its folder. */
async function send(...steps: Piece[][]) {
  const folder = temporaryFolder()
  const root = join(folder.path, 'scope')
  mkdirSync(root)
  writeFileSync(join(root, 'kept'), 'kept')
  const shellIn = ({ messages }: ModelRequest) => /term_\w+/.exec(JSON.stringify(messages))?.[0] ?? ''
  const left = [...steps, [['echo done > done']] satisfies Piece[]]
  const model = createScripted((request, call) => {
    if (call === 1) return calls(['terminal', { action: 'spawn' }])
    const pieces = left.shift()
    const terminal_id = shellIn(request)
    return pieces
      ? calls(
          ...pieces.map(([input, press_enter = true]): [string, unknown] => [
            'terminal',
            { action: 'send', terminal_id, input, press_enter, wait_ms: 100 },
          ]),
        )
      : says('Done.')
  })
  const parley = await createParley({
    dataDir: join(folder.path, 'data'),
    scopes: { default: { root } },
    models: { model: 'scripted/test', extra: { scripted: () => model } },
    toolGroups: { terminal: true },
    terminal: { bubblewrap: await needProgram('bwrap') },
    permissions: {
      mode: 'bypassPermissions',
      rules: [{ tool: 'terminal', path: 'rm *', decision: 'deny' }],
    },
    shutdownMs: 200,
  })
  const { id } = await parley.sessions.create()
  await parley.sessions.send(id, 'Go on.')
  const last = async () => (await parley.sessions.messages(id)).items.at(-1)?.parts.at(-1)?.text
  await expect.poll(last, { timeout: 200_000 }).toBe('Done.')
  await expect.poll(() => existsSync(join(root, 'done'))).toBe(true)
  await parley.close()
  const files = readdirSync(root)
  folder[Symbol.dispose]()
  return files
}

it.each<[string, Piece[][]]>([
  ['letter by letter', [[['r', false]], [['m -rf kept']]]],
  ['in one step', [[['r', false], ['m -rf kept']]]],
  ['with its end alone', [[['rm -rf kep', false]], [['t']]]],
  ['after a quote that was open', [[["echo '"]], [["'; rm -rf kept"]], [["'"]]]],
  ['after a text that follows the line', [[['cat <<E']], [["'"]], [['E']], [["rm -rf kept # '"]]]],
])('is not run when it is sent %s', async (_, steps) => {
  expect(await send(...steps)).toContain('kept')
})

it('leaves other lines to be sent in pieces', async () => {
  expect(await send([['echo a', false]], [['b > other']])).toEqual(['done', 'kept', 'other'])
})

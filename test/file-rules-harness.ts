import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import { calls, createScripted, says, type Script } from './chat-harness.ts'
import { temporaryFolder } from './harness.ts'

export const secret = 'TOKEN=hunter2-hunter2'
export interface FileRulesTest extends AsyncDisposable {
  /** Has the model of a new session make the calls, or just answer, and returns everything that models were sent. */
  seenAfter(text: string, made?: Record<string, unknown>[], session?: object): Promise<string>
  /** The same, without waiting for the end of the turn. */
  begin(text: string, made?: Record<string, unknown>[], session?: object): Promise<void>
  ended(): Promise<void>
  isWhole(): boolean
  root: string
  parley: Parley
}

/** A scope with a secret in two places and links to it, and a model that makes the calls it is told to. */
export async function openFileRules(options: Partial<ParleyOptions> = {}): Promise<FileRulesTest> {
  const folder = temporaryFolder()
  const root = join(realpathSync(folder.path), 'scope')
  mkdirSync(join(root, 'app/deep'), { recursive: true })
  writeFileSync(join(root, '.env'), secret)
  writeFileSync(join(root, 'app/.env'), secret)
  writeFileSync(join(root, 'app/a.txt'), 'TOKEN is read from the environment')
  symlinkSync('app/.env', join(root, 'notes.txt'))
  symlinkSync('app', join(root, 'linked'))
  symlinkSync(join(root, 'app/.env'), join(root, 'app/deep/absolute'))
  const sent: string[] = []
  let wanted: Record<string, unknown>[] = []
  const script: Script = (request) => {
    sent.push(JSON.stringify(request))
    const next = wanted.shift()
    return next ? calls(['file', next]) : says('Done.')
  }
  const parley = await createParley({
    dataDir: join(folder.path, 'data'),
    scopes: { default: { root } },
    models: { model: 'scripted/test', extra: { scripted: () => createScripted(script) } },
    shutdownMs: 200,
    ...options,
  })
  let current = ''
  const begin: FileRulesTest['begin'] = async (text, made = [], session = {}) => {
    wanted = [...made]
    sent.length = 0
    current = (await parley.sessions.create(session)).id
    await parley.sessions.send(current, text)
  }
  const ended = async () => {
    const last = async () => (await parley.sessions.messages(current)).items.at(-1)?.parts.at(-1)?.text
    await expect.poll(last).toBe('Done.')
  }
  return {
    root,
    parley,
    begin,
    ended,
    async seenAfter(text, made, session) {
      await begin(text, made, session)
      await ended()
      return sent.join('\n')
    },
    isWhole: () =>
      ['.env', 'app/.env'].every(
        (path) => existsSync(join(root, path)) && readFileSync(join(root, path), 'utf8') === secret,
      ),
    async [Symbol.asyncDispose]() {
      await parley.close()
      folder[Symbol.dispose]()
    },
  }
}

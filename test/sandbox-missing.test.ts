import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createParley, type Parley, type ParleyOptions } from '../src/parley.ts'
import type { PermissionMode } from '../src/core/protocol/permission.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { createCommandRunner } from '../src/extensions/room/test-command-runner.ts'
import { defaultRoomLimits } from '../src/extensions/room/room-service.ts'
import { createSandbox } from '../src/core/processes/sandbox/sandbox.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { sqliteDatabase, temporaryFolder, toOptions, type TestDatabase } from './harness.ts'

/** Programs that are there and make no sandbox; each writes what it could do. */
const broken: Record<string, string> = {
  'forbids namespaces': 'echo "bwrap: No permissions to create new namespace" >&2; exit 1',
  'runs the command as it is': 'while [ "$1" != -- ]; do shift; done; shift; echo "$*" >&2; exit 1',
  'says nothing': 'exit 0',
}
const options = '--bind-fd --ro-bind-fd --disable-userns --size --perms --clearenv'

function writeProgram(folder: string, body: string): string {
  const file = join(folder, 'bwrap')
  const help = options.split(' ').map((option) => `echo "    ${option} X"`)
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --help ]; then ${help.join('; ')}; exit; fi\n${body}\n`)
  chmodSync(file, 0o755)
  return file
}

describe('a sandbox', () => {
  it.each(Object.entries(broken))('is missing where the program %s', (_, body) => {
    using folder = temporaryFolder()
    expect(createSandbox({ bubblewrap: writeProgram(folder.path, body) }).state()).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('does not work here'),
    })
  })

  it('is missing where there is no program, or an old one', () => {
    using folder = temporaryFolder()
    expect(createSandbox({}, { environment: { PATH: folder.path } }).state()).toMatchObject({
      kind: 'missing',
      next: expect.stringContaining('bubblewrap'),
    })
    const file = join(folder.path, 'bwrap')
    writeFileSync(file, '#!/bin/sh\necho "    --bind SRC DEST"\n')
    chmodSync(file, 0o755)
    expect(createSandbox({ bubblewrap: file }).state()).toMatchObject({
      kind: 'missing',
      reason: expect.stringContaining('--ro-bind-fd'),
    })
  })
})

/** A Parley whose model wants to run one harmless command, on a machine without a sandbox. */
async function open(database: TestDatabase, root: string, more: Partial<ParleyOptions> = {}) {
  mkdirSync(root, { recursive: true })
  return createParley({
    ...toOptions(database),
    scopes: { default: { root } },
    models: {
      model: 'scripted/test',
      extra: {
        scripted: () =>
          createScripted((_request, call) =>
            call % 2 === 1 ? calls(['terminal', { action: 'execute', command: 'touch made' }]) : says('Done'),
          ),
      },
    },
    toolGroups: { terminal: true },
    terminal: { bubblewrap: '/nonexistent/bwrap' },
    shutdownMs: 200,
    ...more,
  })
}

const send = async (parley: Parley, session: Session, more: object = {}) => {
  const { begin } = await parley.chats.admit(
    parley.store,
    { scope: session.scope, sessionId: session.id },
    { message: { id: parley.ids.next('msg'), parts: [{ type: 'text', text: 'Go' }] }, ...more },
  )
  begin()
}

const ended = async (parley: Parley, session: Session) => {
  await expect
    .poll(async () => (await parley.sessions.messages(session.id)).items.at(-1)?.role)
    .toBe('assistant')
}

const allow = [
  { tool: 'terminal', decision: 'allow' as const },
  { tool: 'terminal', path: 'touch made', decision: 'allow' as const },
]

describe('without a sandbox', () => {
  it.each<[string, Partial<ParleyOptions>]>([
    ['bypassPermissions', { permissions: { mode: 'bypassPermissions', rules: [] } }],
    ['acceptEdits', { permissions: { mode: 'acceptEdits', rules: [] } }],
    ['rules that allow', { permissions: { rules: allow } }],
    ['both', { permissions: { mode: 'bypassPermissions', rules: allow } }],
    [
      'a hook that allows',
      { hooks: [{ event: 'PreToolUse', run: () => ({ decision: 'allow', reason: 'Because.' }) }] },
    ],
  ])('a command is asked for despite %s, and again the next time', async (_, more) => {
    await using database = await sqliteDatabase()
    using folder = temporaryFolder()
    const root = join(folder.path, 'scope')
    await using parley = await open(database, root, more)
    const session = await parley.sessions.create()
    for (const round of [1, 2]) {
      await send(parley, session)
      await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
      const [ask] = (await parley.approvals.list()).items
      expect(ask).toMatchObject({
        kind: 'terminal_command',
        reason: expect.stringContaining('There is no sandbox'),
      })
      // not even an answer that is remembered counts for the next one
      await parley.approvals.decide(
        ask!.id,
        round === 1 ? { decision: 'approve', remember: 'scope' } : { decision: 'deny' },
      )
      await ended(parley, session)
    }
    expect(existsSync(join(root, 'made'))).toBe(true)
  })

  it('silence is no yes, whatever is configured', async () => {
    await using database = await sqliteDatabase()
    using folder = temporaryFolder()
    const root = join(folder.path, 'scope')
    await using parley = await open(database, root, { approvals: { timeoutMs: 1, fallback: 'allow' } })
    const session = await parley.sessions.create()
    await send(parley, session)
    await ended(parley, session)
    expect(existsSync(join(root, 'made'))).toBe(false)
  })

  it.each<[string, PermissionMode, object]>([
    ['nobody is there', 'bypassPermissions', { isHeadless: true }],
    ['nothing is asked', 'dontAsk', {}],
    ['nothing is changed', 'plan', {}],
  ])('a command is refused where %s', async (_, permissionMode, more) => {
    await using database = await sqliteDatabase()
    using folder = temporaryFolder()
    const root = join(folder.path, 'scope')
    await using parley = await open(database, root, { permissions: { rules: allow } })
    const session = await parley.sessions.create({ permissionMode })
    await send(parley, session, more)
    await ended(parley, session)
    const [message] = (await parley.sessions.messages(session.id)).items.slice(-1)
    expect(JSON.stringify(message)).toMatch(/Not allowed/)
    expect(existsSync(join(root, 'made'))).toBe(false)
    expect((await parley.approvals.list()).items).toEqual([])
  })

  it('modes count again where the operator switched it off', async () => {
    await using database = await sqliteDatabase()
    using folder = temporaryFolder()
    const root = join(folder.path, 'scope')
    await using parley = await open(database, root, {
      terminal: { sandbox: 'off' },
      permissions: { mode: 'bypassPermissions', rules: [] },
    })
    const session = await parley.sessions.create()
    await send(parley, session)
    await ended(parley, session)
    expect(existsSync(join(root, 'made'))).toBe(true)
  })

  it('rooms run no command, and say why', async () => {
    using folder = temporaryFolder()
    const runner = createCommandRunner({
      limits: { testCommands: ['node --version'], testTimeoutMs: defaultRoomLimits.testTimeoutMs },
      readWorkspaces: async () => ({ main: folder.path, granted: [] }),
      readRights: async () => ({ groups: {}, mode: 'bypassPermissions' }),
      sandbox: createSandbox({ bubblewrap: '/nonexistent/bwrap' }),
    })
    const [outcome] = await runner.runCommands(
      { id: 'ses_room', scope: 'default' } as Session,
      ['node --version'],
      new AbortController().signal,
    )
    expect(outcome).toMatchObject({
      status: 'blocked',
      output: expect.stringContaining('There is no sandbox'),
    })
    await runner.close()
  })
})

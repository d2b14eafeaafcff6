import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { describeConfig } from '../src/config.ts'
import type { CommandHook, HookedCall } from '../src/core/hooks/hook.ts'
import { createHooks, type Hooks } from '../src/core/hooks/hooks.ts'
import { memoryHookEvents } from '../src/extensions/memory/hook-events.ts'
import { afterExtract } from '../src/extensions/memory/memory-hooks.ts'
import { maxAnswerBytes } from '../src/core/hooks/run-hook-command.ts'
import { createParley } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { toParleyOptions } from '../src/cli/open-parley.ts'
import { calls, createScripted, says } from './chat-harness.ts'
import { arrange } from './config-arrange.ts'
import { temporaryFolder } from './harness.ts'

const call: HookedCall = {
  scope: 'default',
  sessionId: 'ses_1',
  runId: 'run_1',
  toolCallId: 'call-1',
  tool: 'file',
  action: 'write',
  effect: 'write',
  resources: ['/work/a'],
  input: { path: 'a', text: 'quotes " and $(echo shells)' },
}
const never = new AbortController().signal

/** Hooks of one program each, in JavaScript; ended with the block. */
function open(hooks: (Omit<CommandHook, 'command'> & { script: string })[], timeoutMs = 200_000) {
  const lines: string[] = []
  const made = createHooks(
    hooks.map(({ script, ...hook }) => ({ ...hook, command: [process.execPath, '-e', script] })),
    {
      events: memoryHookEvents,
      timeoutMs,
      environment: { PATH: process.env.PATH, OPENAI_API_KEY: 'sk-secret', HOME: process.env.HOME },
      logger: pino({}, { write: (line) => void lines.push(line) }),
    },
  )
  return { ...made, lines, [Symbol.asyncDispose]: () => made.close() }
}
const before = (hooks: Hooks, signal = never) =>
  hooks.beforeCall(call, (input) => ({ ...call, input }), signal)

const isRunning = (pid: number) => {
  try {
    // one that nobody has collected yet is over all the same
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('a program as a hook', () => {
  it('gets the payload on its input and answers on its output', async () => {
    const script = `
      const { event, tool, input } = JSON.parse(require('fs').readFileSync(0, 'utf8'))
      console.log(JSON.stringify({ decision: 'ask', reason: event + ' ' + tool, input: { path: input.text } }))`
    await using hooks = open([{ event: 'PreToolUse', id: 'it', script }])
    expect(await before(hooks)).toMatchObject({
      opinion: { decision: 'ask', reason: 'PreToolUse file (hook it)' },
      call: { input: { path: 'quotes " and $(echo shells)' } },
      changedBy: ['it'],
    })
  })

  it('that writes nothing has no opinion, also when it does not read', async () => {
    await using hooks = open([{ event: 'PreToolUse', script: 'process.stdin.destroy()', onFailure: 'deny' }])
    expect(await before(hooks)).toMatchObject({ call, changedBy: [] })
    expect((await before(hooks)).opinion).toBeUndefined()
  })

  it('that ends with 2 says no, for the reason that it complained of', async () => {
    const script = 'console.error("Not there."); process.exitCode = 2'
    await using hooks = open([
      { event: 'PreToolUse', id: 'no', script },
      { event: 'PostToolUse', id: 'no', script },
    ])
    expect((await before(hooks)).opinion).toEqual({
      decision: 'deny',
      hook: 'no',
      reason: 'Not there. (hook no)',
    })
    // after the fact there is nothing to forbid
    const after = await hooks.afterCall(call, { value: 1 }, never)
    expect(after).toEqual({ outcome: { value: 1 }, notes: [], changedBy: [] })
    expect(hooks.lines.join()).toContain('It ended with 2: Not there.')
  })

  it.each([
    ['ends with another code', 'console.log("{}"); process.exitCode = 1', 'It ended with 1'],
    ['is killed', 'process.kill(process.pid, "SIGKILL")', 'It ended with a signal'],
    ['answers something else', 'console.log("Yes!")', 'Its answer is not JSON: Yes!'],
    ['answers too much', `console.log(JSON.stringify("x".repeat(${maxAnswerBytes})))`, 'more than 65536'],
    ['answers without end', 'const write = () => process.stdout.write("x".repeat(1e5), write); write()', 'more than 65536'], // oxfmt-ignore
  ])('that %s has failed', async (_what, script, reason) => {
    await using hooks = open([{ event: 'PreToolUse', id: 'it', script, onFailure: 'deny' }])
    const { opinion } = await before(hooks)
    expect(opinion).toMatchObject({ decision: 'deny', hook: 'it' })
    expect(opinion!.reason).toContain(reason)
  })

  it('that is not there has failed', async () => {
    const hooks = createHooks(
      [{ event: 'PreToolUse', id: 'it', command: ['parley-no-such-program'], onFailure: 'deny' }],
      {
        timeoutMs: 20_000,
        logger: pino({ level: 'silent' }),
      },
    )
    expect((await before(hooks)).opinion?.reason).toContain('ENOENT')
    await hooks.close()
  })

  it.runIf(process.platform === 'linux')(
    'is killed at its time limit, with all that it started',
    async () => {
      using folder = temporaryFolder()
      const file = join(folder.path, 'pids')
      // one child in its group, and one that made itself independent
      const script = `
      const { spawn } = require('child_process')
      const sleep = 'setInterval(() => {}, 1000); process.on("SIGTERM", () => {})'
      const pids = [false, true].map((detached) =>
        spawn(process.execPath, ['-e', sleep], { detached, stdio: detached ? 'ignore' : 'inherit' }).pid)
      require('fs').writeFileSync(${JSON.stringify(file)} + '.new', [process.pid, ...pids].join(' '))
      require('fs').renameSync(${JSON.stringify(file)} + '.new', ${JSON.stringify(file)})
      process.on('SIGTERM', () => {})
      setInterval(() => {}, 1000)`
      await using hooks = open([{ event: 'PreToolUse', id: 'it', script, timeoutMs: 15_000 }])
      const asking = before(hooks)
      await expect.poll(() => existsSync(file)).toBe(true)
      const pids = readFileSync(file, 'utf8').split(' ').map(Number)
      expect(pids).toHaveLength(3)
      expect(pids.filter(isRunning)).toEqual(pids)
      expect((await asking).opinion).toBeUndefined()
      expect(hooks.lines.join()).toContain('It took longer than 15000 ms.')
      await expect.poll(() => pids.filter(isRunning)).toEqual([])
    },
  )

  it('is killed when nobody waits any more', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'pid')
    const script = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
    await using hooks = open([{ event: 'PreToolUse', script }])
    const stopping = new AbortController()
    const asking = before(hooks, stopping.signal)
    asking.catch(() => {})
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
    stopping.abort(new Error('Stopped.'))
    await expect(asking).rejects.toThrow('Stopped.')
    await expect.poll(() => isRunning(Number(readFileSync(file, 'utf8')))).toBe(false)
  })

  it('sees no key of Parley, and no folder of a project', async () => {
    const script =
      'console.log(JSON.stringify({ additionalContext: JSON.stringify([Object.keys(process.env), process.cwd()]) }))'
    await using hooks = open([{ event: 'PreToolUse', script }])
    const { text } = (await before(hooks)).notes[0]!
    expect(text).toContain('PATH')
    expect(text).not.toContain('OPENAI')
    expect(text).not.toContain(process.cwd())
  })

  it('can tell what is stored of what was learned', async () => {
    const script = `
      const { memories } = JSON.parse(require('fs').readFileSync(0, 'utf8'))
      console.log(JSON.stringify({ exclude: memories.filter(({ text }) => text.includes('secret')).map(({ id }) => id) }))`
    await using hooks = open([{ event: 'PostMemoryExtract', script }])
    const learned = ['a secret', 'a fact'].map((text) => ({
      layer: 'scope' as const,
      type: 'narrative' as const,
      text,
    }))
    expect(
      await afterExtract(
        pino({ level: 'silent' }),
        hooks.of('PostMemoryExtract'),
        { scope: 'default', sessionId: 'ses_1', runId: 'run_1' },
        learned,
        never,
      ),
    ).toEqual([learned[1]])
  })
})

describe('the configuration of hooks', () => {
  it('comes from the file of the user, starts programs of relative paths there, and shows no arguments', () => {
    const place = arrange({
      user: [
        'hooks:',
        '  timeoutMs: 500',
        '  commands:',
        '    - { event: PreToolUse, tool: "file", command: [./check.sh, --key=a-long-secret], onFailure: deny }',
        '    - { event: PostMemoryExtract, command: [node, filter.mjs], priority: 5, id: filter }',
      ].join('\n'),
    })
    const loaded = place.load()
    expect(loaded.config.hooks).toEqual({
      timeoutMs: 500,
      commands: [
        {
          event: 'PreToolUse',
          tool: 'file',
          command: [join(place.home, '.config/parley/check.sh'), '--key=a-long-secret'],
          onFailure: 'deny',
        },
        { event: 'PostMemoryExtract', command: ['node', 'filter.mjs'], priority: 5, id: 'filter' },
      ],
    })
    const shown = JSON.stringify(describeConfig(loaded))
    expect(shown).toContain('check.sh')
    expect(shown).not.toContain('--key=a-long')
  })

  it.each([
    [
      'programs of a project',
      { project: 'hooks: { commands: [{ event: PreToolUse, command: [rm] }] }' },
      /own config file/,
    ],
    ['another time limit of a project', { project: 'hooks: { timeoutMs: 1 }' }, /own config file/],
    [
      'an event that there is not',
      { user: 'hooks: { commands: [{ event: Stop, command: [x] }] }' },
      /PreToolUse/,
    ],
    ['a command line', { user: 'hooks: { commands: [{ event: PreToolUse, command: rm -rf }] }' }, /list/],
    ['no program', { user: 'hooks: { commands: [{ event: PreToolUse, command: [] }] }' }, /program/],
    [
      'a tool for memories',
      { user: 'hooks: { commands: [{ event: PreMemoryInject, tool: file, command: [x] }] }' },
      /without tool/,
    ],
    [
      'a no after the fact',
      { user: 'hooks: { commands: [{ event: PostToolUse, onFailure: deny, command: [x] }] }' },
      /without onFailure/,
    ],
  ])('refuses %s', (_what, files, message) => {
    expect(arrange(files).fail().message).toMatch(message)
  })

  it('does what its page says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../docs/hooks.md'), 'utf8')
    const { config } = arrange({ user: /```yaml\n([\s\S]*?)```/.exec(page)![1]! }).load()
    const hooks = createHooks(config.hooks.commands, {
      events: memoryHookEvents,
      timeoutMs: 20_000,
      environment: process.env,
      logger: pino({ level: 'silent' }),
    })
    const ask = async (command: string) => {
      const given = { ...call, tool: 'terminal', action: 'execute', resources: [command] }
      return (await hooks.beforeCall(given, () => given, never)).opinion
    }
    expect(await ask('git push')).toBeUndefined()
    expect(await ask('git push --force')).toMatchObject({
      decision: 'deny',
      reason: 'Nothing is forced here. (hook no-force)',
    })
    await hooks.close()
  })

  it('is what a Parley from the command line asks', async () => {
    const place = arrange({
      user: `hooks: { commands: [{ event: PreToolUse, tool: paint, command: [./no.sh] }] }`,
    })
    writeFileSync(join(place.home, '.config/parley/no.sh'), '#!/bin/sh\necho "Not this one." >&2\nexit 2\n', {
      mode: 0o755,
    })
    using data = temporaryFolder()
    const paint = defineTool({
      name: 'paint',
      description: 'Paints',
      input: z.object({}),
      execute: async () => 'painted',
    })
    const model = createScripted((request, count) =>
      count === 1 ? calls(['paint', {}]) : says(JSON.stringify(request.messages.at(-1))),
    )
    await using parley = await createParley({
      ...toParleyOptions(place.load()),
      dataDir: data.path,
      models: { model: 'scripted/test', extra: { scripted: () => model } },
      tools: [paint],
    })
    const { id } = await parley.sessions.create()
    await parley.sessions.send(id, 'Paint it')
    const log = async () => JSON.stringify((await parley.sessions.messages(id)).items)
    await expect.poll(log).toContain('Not allowed: Not this one. (hook PreToolUse-1)')
  })
})

import { spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { closeSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { watch } from 'chokidar'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { arrangeFiles } from '../../../test/context-arrange.ts'
import type { Places } from './context-places.ts'
import { createContextSource, type ContextSourceOptions, type ProjectContext } from './context-source.ts'

const soon = { timeout: 25_000 }

function open(places: Places, options: ContextSourceOptions = {}) {
  const started: ReturnType<typeof watch>[] = []
  const readiness: Promise<unknown>[] = []
  const source = createContextSource(places, {
    debounceMs: 10,
    recheckMs: 1e9,
    onError: (error) => {
      throw error
    },
    watch: (...input) => {
      const watcher = watch(...input)
      started.push(watcher)
      readiness.push(once(watcher, 'ready'))
      return watcher
    },
    ...options,
  })
  onTestFinished(() => source.stop())
  /** From here on only the watcher can tell. */
  const ready = async () => {
    await source.current()
    await readiness.at(-1)
    await source.current()
  }
  return { source, started, ready }
}

/** The next context that listeners hear of. */
const next = ({ subscribe }: ReturnType<typeof createContextSource>) =>
  new Promise<ProjectContext>((resolve) => {
    const stop = subscribe((context) => {
      stop()
      resolve(context)
    })
  })

const skill = (name: string) => `---\nname: ${name}\ndescription: d\n---\nbody`

describe('a context source', () => {
  it('reads rules, skills and commands once and keeps them', async () => {
    const { places } = arrangeFiles({
      'root/AGENTS.md': 'rule',
      'root/.parley/skills/a/SKILL.md': skill('a'),
      'root/.parley/commands/c.md': 'command',
    })
    const { source, started, ready } = open(places)
    expect(started).toHaveLength(0)
    await ready()
    const context = await source.current()
    expect(context.rules.always).toContain('rule')
    expect(context.skills.skills.map(({ name }) => name)).toEqual(['a'])
    expect(context.commands.commands.map(({ name }) => name)).toEqual(['c'])
    expect(await source.current()).toBe(context)
    expect(started).toHaveLength(1)
  })

  it('notices what is written, replaced, added and removed, wherever it may be', async () => {
    const { places, write } = arrangeFiles({
      'root/AGENTS.md': 'one',
      'root/noise.txt': '',
      'user/AGENTS.md': 'user',
      'home/.claude/skills/h/SKILL.md': skill('h'),
    })
    const { source, ready } = open({ ...places, cwd: 'deep/er' })
    await ready()
    const changes: [string, () => void, (context: ProjectContext) => boolean][] = [
      ['written', () => write('root/AGENTS.md', 'two'), ({ rules }) => rules.always.includes('two')],
      [
        'replaced',
        () => {
          write('root/AGENTS.md.tmp', 'three')
          renameSync(join(places.root, 'AGENTS.md.tmp'), join(places.root, 'AGENTS.md'))
        },
        ({ rules }) => rules.always.includes('three'),
      ],
      [
        'removed',
        () => rmSync(join(places.root, 'AGENTS.md')),
        ({ rules }) => !rules.always.includes('three'),
      ],
      ['added', () => write('root/CLAUDE.md', 'claude'), ({ rules }) => rules.always.includes('claude')],
      ['deep', () => write('root/deep/er/AGENTS.md', 'near'), ({ rules }) => rules.always.includes('near')],
      [
        'a new folder',
        () => write('root/.parley/rules/x.md', 'custom'),
        ({ rules }) => rules.always.includes('custom'),
      ],
      [
        'a new skill',
        () => write('root/.parley/skills/a/SKILL.md', skill('a')),
        ({ skills }) => skills.skills.length === 2,
      ],
      [
        'a changed skill',
        () => write('home/.claude/skills/h/SKILL.md', 'broken'),
        ({ skills }) => skills.skills.length === 1,
      ],
      [
        'a command',
        () => write('root/.claude/commands/c.md', 'c'),
        ({ commands }) => commands.commands.length === 1,
      ],
      ['of the user', () => write('user/rules/u.md', 'mine'), ({ rules }) => rules.always.includes('mine')],
    ]
    for (const [name, change, isSeen] of changes) {
      change()
      await expect.poll(async () => isSeen(await source.current()), { ...soon, message: name }).toBe(true)
    }
  })

  it('tells its listeners, once they are told apart from before, and stops when they do', async () => {
    const { places, write } = arrangeFiles({ 'root/AGENTS.md': 'one' })
    const { source, ready } = open(places)
    await ready()
    const heard: string[] = []
    const unsubscribe = source.subscribe(({ rules }) => heard.push(rules.always))
    const change = next(source)
    for (const text of ['two', 'three', 'four']) write('root/AGENTS.md', text)
    write('root/noise.txt', 'x')
    await change
    await expect.poll(() => heard.at(-1), soon).toContain('four')
    expect(heard.length).toBeLessThanOrEqual(3)
    unsubscribe()
    const later = next(source)
    write('root/AGENTS.md', 'five')
    await later
    expect(heard.at(-1)).toContain('four')
  })

  it('follows links and imports to where they lead', async () => {
    const { places, write, link } = arrangeFiles({
      'root/docs/rules.md': 'one',
      'root/GEMINI.md': '@docs/import.md',
      'root/docs/import.md': 'imported',
      'root/.agents/skills/s/SKILL.md': skill('s'),
    })
    link('root/AGENTS.md', 'docs/rules.md')
    link('root/.claude/skills', '../.agents/skills')
    const { source, ready } = open(places)
    await ready()
    for (const [path, text] of [
      ['docs/rules.md', 'two'],
      ['docs/import.md', 'three'],
    ]) {
      write(`root/${path}`, text!)
      await expect.poll(async () => (await source.current()).rules.always, soon).toContain(text)
    }
  })

  it('keeps its listeners apart', async () => {
    const { places, write } = arrangeFiles({ 'root/AGENTS.md': 'one' })
    const onError = vi.fn<(error: unknown) => void>()
    const { source, ready } = open(places, { onError })
    await ready()
    source.subscribe(() => {
      throw new Error('mine')
    })
    const change = next(source)
    write('root/AGENTS.md', 'two')
    await change
    expect(onError).toHaveBeenCalledWith(new Error('mine'))
  })
})

describe('without a watcher', () => {
  const failing = () => {
    throw Object.assign(new Error('System limit for number of file watchers reached'), { code: 'ENOSPC' })
  }

  it.each([
    ['that cannot start', failing],
    [
      'that fails later',
      () => {
        const broken = Object.assign(new EventEmitter(), { close: async () => {} })
        setImmediate(() => broken.emit('error', new Error('lost')))
        return broken
      },
    ],
  ])('%s, the context is still right', async (_, start) => {
    const { places, write } = arrangeFiles({ 'root/.parley/skills/a/notes.md': '' })
    const onError = vi.fn<(error: unknown) => void>()
    const { source } = open(places, { watch: start as unknown as typeof watch, onError })
    const first = await source.current()
    await expect.poll(() => onError.mock.calls.length, soon).toBe(1)
    expect(await source.current()).toBe(first)
    write('root/AGENTS.md', 'new')
    expect((await source.current()).rules.always).toContain('new')
    write('root/AGENTS.md', 'newer')
    expect((await source.current()).rules.always).toContain('newer')
    write('root/.parley/skills/a/SKILL.md', skill('a'))
    expect((await source.current()).skills.skills).toHaveLength(1)
    write('root/.parley/commands/c.md', 'c')
    expect((await source.current()).commands.commands).toHaveLength(1)
    rmSync(join(places.root, 'AGENTS.md'))
    expect((await source.current()).rules.always).toBe('')
  })

  it('the answer is right at once, before the watcher is ready, and after it stopped', async () => {
    const { places, write } = arrangeFiles({ 'root/AGENTS.md': 'one' })
    const { source } = open(places)
    await source.current()
    write('root/AGENTS.md', 'two')
    expect((await source.current()).rules.always).toContain('two')
    await source.stop()
    write('root/AGENTS.md', 'three')
    expect((await source.current()).rules.always).toContain('three')
  })

  it('that says something, the silence is not trusted for ever', async () => {
    const { places, write } = arrangeFiles({ 'root/AGENTS.md': 'one' })
    const silent = Object.assign(new EventEmitter(), { close: async () => {} })
    let now = 0
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const { source } = open(places, { watch: (() => silent) as unknown as typeof watch, recheckMs: 200 })
    await source.current()
    silent.emit('ready')
    await source.current()
    write('root/AGENTS.md', 'two')
    expect((await source.current()).rules.always).toContain('one')
    now = 200
    expect((await source.current()).rules.always).toContain('two')
  })
})

describe('hostile places', () => {
  it('may be missing, come into being and go', async () => {
    const { folder, write } = arrangeFiles()
    const places = {
      root: join(folder, 'later/root'),
      userDir: join(folder, 'later/user'),
      home: join(folder, 'none'),
    }
    const { source } = open(places)
    expect((await source.current()).rules.always).toBe('')
    write('later/root/AGENTS.md', 'here')
    expect((await source.current()).rules.always).toContain('here')
    write('later/user/AGENTS.md', 'user')
    await expect.poll(async () => (await source.current()).rules.always, soon).toContain('user')
    rmSync(join(folder, 'later'), { recursive: true })
    await expect.poll(async () => (await source.current()).rules.always, soon).toBe('')
  })

  it('may hold more files than can be watched', { timeout: 60_000 }, async () => {
    const root = crowdedFolder(Number(process.env.PARLEY_TEST_ENTRIES ?? 12_000))
    const { source, started } = open({ root })
    await source.current()
    // too many to watch, so it is looked at
    expect(started).toHaveLength(0)
    writeFileSync(join(root, 'AGENTS.md'), 'new')
    expect((await source.current()).rules.always).toContain('new')
  })

  it('are watched where it matters only', async () => {
    const { places, write } = arrangeFiles({
      'root/AGENTS.md': 'x',
      'root/.parley/skills/a/SKILL.md': skill('a'),
    })
    for (const path of [
      'src/a/b.ts',
      'node_modules/x/AGENTS.md',
      '.git/HEAD',
      '.parley/skills/a/scripts/x.md',
    ])
      write(`root/${path}`, '')
    const { started, ready } = open({ root: places.root })
    await ready()
    const watched = Object.entries(started[0]!.getWatched()).flatMap(([folder, names]) =>
      names.map((name) => join(folder, name)),
    )
    expect(watched.filter((path) => path.startsWith(join(places.root, '/'))).sort()).toEqual(
      ['.parley', '.parley/skills', '.parley/skills/a', '.parley/skills/a/SKILL.md', 'AGENTS.md'].map(
        (path) => join(places.root, path),
      ),
    )
  })
})

it('does not keep the process alive', () => {
  const { places } = arrangeFiles({ 'root/AGENTS.md': 'x' })
  const script = `
    import { createContextSource } from ${JSON.stringify(join(import.meta.dirname, 'context-source.ts'))}
    import { watch } from 'chokidar'
    const ready = Promise.withResolvers()
    const source = createContextSource(${JSON.stringify(places)}, {
      watch: (...input) => watch(...input).on('ready', ready.resolve),
    })
    source.subscribe(() => {})
    const { rules } = await source.current()
    await ready.promise
    console.log(rules.files.length)`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    timeout: 100_000,
    encoding: 'utf8',
  })
  expect({ stdout: stdout.trim(), status }).toEqual({ stdout: '1', status: 0 })
}, 120_000)

/** In memory where that is possible: the disk would take seconds. */
function crowdedFolder(count: number): string {
  const memory = '/dev/shm'
  let root: string
  try {
    root = mkdtempSync(join(memory, 'parley-context-'))
  } catch {
    root = mkdtempSync(join(tmpdir(), 'parley-context-'))
  }
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, '.parley'))
  for (let index = 0; index < count; index++) closeSync(openSync(join(root, `f${index}`), 'w'))
  return root
}

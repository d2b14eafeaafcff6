/** What a command leaves in its folders for programs outside: repositories, files that others run, and what rules close. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileRules } from '../src/core/files/file-rules.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { createCommandRunner } from '../src/extensions/room/test-command-runner.ts'
import { canary, openMachine } from './sandbox-harness.ts'

type Machine = Awaited<ReturnType<typeof openMachine>>

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nowhere', GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

function addRepository(folder: string, ...options: string[]): string {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '-q', ...options)
  if (options.length === 0) git(folder, 'commit', '-q', '--allow-empty', '-m', 'first')
  return folder
}

const evil = '#!/bin/sh\necho evil'
/** Tries to have a program run for whoever uses the repository: in each way that is known to work. */
const attack = (folder: string) =>
  [
    `echo "${evil}" > ${folder}/hooks/pre-commit`,
    `mkdir -p ${folder}/hooks; echo "${evil}" > ${folder}/hooks/post-checkout`,
    `printf '[core]\\n\\tfsmonitor = "echo evil; false"\\n' >> ${folder}/config`,
    `mv ${folder}/hooks ${folder}/h; mv ${folder}/config ${folder}/c`,
    `rm -rf ${folder}/hooks ${folder}/config`,
    `mv ${folder} ${folder}.moved`,
    `echo ../evil > ${folder}/commondir; rm -f ${folder}/commondir; mv made ${folder}/commondir`,
  ].join('; ')

/** As they were, with nothing that could run. */
function expectWhole(folder: string) {
  expect(readFileSync(join(folder, 'config'), 'utf8')).not.toContain('evil')
  for (const name of ['hooks/pre-commit', 'hooks/post-checkout', 'h', 'c'])
    expect(existsSync(join(folder, name)), name).toBe(false)
  if (existsSync(join(folder, 'commondir')))
    expect(readFileSync(join(folder, 'commondir'), 'utf8')).not.toContain('evil')
}

describe('a repository', () => {
  it.each<[string, (machine: Machine) => string]>([
    ['at the top', ({ main }) => join(addRepository(main), '.git')],
    ['further down', ({ main }) => join(addRepository(join(main, 'vendor/deep/x')), '.git')],
    ['in a repository', ({ main }) => join(addRepository(join(addRepository(main), 'packages/x')), '.git')],
    ['in the folder of the session', ({ session }) => join(addRepository(join(session, 'clone')), '.git')],
    [
      'without hooks',
      ({ main }) => {
        const folder = join(addRepository(join(main, 'vendor/x')), '.git')
        execFileSync('rm', ['-r', join(folder, 'hooks')])
        return folder
      },
    ],
    [
      'that is a submodule',
      ({ main, root }) => {
        addRepository(main)
        const other = addRepository(join(root, 'other'))
        git(main, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other, 'libs/sub')
        return join(main, '.git/modules/libs/sub')
      },
    ],
  ])('%s keeps its hooks and its settings', async (_, make) => {
    const machine = await openMachine()
    const folder = make(machine)
    const { output } = await machine.execute(`echo ../evil > made; ${attack(folder)}; echo done`)
    expect(output).toContain('done')
    expectWhole(folder)
  })

  it('without a worktree keeps its hooks and its settings, and is reported when it is told to use others', async () => {
    const { main, execute } = await openMachine()
    const folder = addRepository(join(main, 'fixtures/bare.git'), '--bare')
    const { changedFiles } = await execute(`${attack(folder)}; echo ../evil > ${folder}/commondir`)
    expect(readFileSync(join(folder, 'config'), 'utf8')).not.toContain('evil')
    for (const name of ['pre-commit', 'post-checkout'])
      expect(existsSync(join(folder, 'hooks', name))).toBe(false)
    expect(changedFiles).toEqual([join(folder, 'commondir')])
  })

  it('can be worked in, and nothing is left behind in it', async () => {
    const { main, execute } = await openMachine()
    for (const folder of [main, join(main, 'vendor/x')]) addRepository(folder)
    const before = execFileSync('find', [main, '-name', 'commondir'], { encoding: 'utf8' })
    const as = '-c user.name=T -c user.email=t@example.com'
    const { output, exitCode, changedFiles } = await execute(
      `set -e; for f in . vendor/x; do cd ${main}/$f; echo text > file.txt; git add file.txt; ` +
        `git ${as} commit -q -m second; git checkout -q -b side; git ${as} stash -q || :; git status --short; ` +
        'git log --oneline | wc -l; git worktree list | wc -l; done',
    )
    expect({ output, exitCode }).toMatchObject({ exitCode: 0 })
    expect(output.match(/^\s*2$/gm)).toHaveLength(2)
    expect(changedFiles).toBeUndefined()
    expect(execFileSync('find', [main, '-name', 'commondir'], { encoding: 'utf8' })).toBe(before)
  })

  it('whose hooks lie elsewhere, or whose settings go on in another file, keeps those too', async () => {
    const { main, execute, put } = await openMachine()
    addRepository(main)
    git(main, 'config', 'core.hooksPath', 'tools/hooks')
    git(main, 'config', 'include.path', '../shared.gitconfig')
    put('home/project/tools/hooks/pre-commit', 'as it was')
    put('home/project/shared.gitconfig', '# as it was')
    await execute(
      'echo x >> tools/hooks/pre-commit; echo x > tools/hooks/post-merge; mv tools/hooks t; echo x >> shared.gitconfig',
    )
    expect(readFileSync(join(main, 'tools/hooks/pre-commit'), 'utf8')).toBe('as it was')
    expect(existsSync(join(main, 'tools/hooks/post-merge'))).toBe(false)
    expect(readFileSync(join(main, 'shared.gitconfig'), 'utf8')).toBe('# as it was')
  })

  it('that is a worktree keeps the file that names its folder, and the folder where it names the other', async () => {
    const { main, execute } = await openMachine()
    addRepository(join(main, 'origin'))
    git(join(main, 'origin'), 'worktree', 'add', '-q', '../trees/w')
    const pointer = join(main, 'trees/w/.git')
    const before = readFileSync(pointer, 'utf8')
    const common = join(main, 'origin/.git/worktrees/w/commondir')
    await execute(
      `echo "gitdir: ${main}/evil" > trees/w/.git; rm -f trees/w/.git; mv trees/w/.git x; echo ../evil > ${common}; rm -f ${common}`,
    )
    expect(readFileSync(pointer, 'utf8')).toBe(before)
    expect(readFileSync(common, 'utf8')).toBe('../..\n')
  })

  it('beyond the bounds is not guarded, and reported when it is changed', async () => {
    const machine = await openMachine({ maxGuarded: 1 })
    addRepository(machine.main)
    addRepository(join(machine.main, 'vendor/x'))
    const hook = join(machine.main, 'vendor/x/.git/hooks/pre-commit')
    const { changedFiles } = await machine.execute('echo x > vendor/x/.git/hooks/pre-commit')
    expect(existsSync(hook)).toBe(true)
    expect(changedFiles).toEqual([hook])
    const blind = await openMachine({ maxLookedEntries: 0 })
    addRepository(join(blind.main, 'vendor/x'))
    expect((await blind.execute('echo x > vendor/x/.git/hooks/pre-commit')).changedFiles).toBeUndefined()
  })

  it('is held also while another command ends, and let go when the last one does', async () => {
    const { main, execute, call } = await openMachine()
    addRepository(main)
    const { terminalId } = await call({ action: 'spawn' })
    await execute('true')
    await execute('echo ../evil > .git/commondir; rm -f .git/commondir')
    expect(readFileSync(join(main, '.git/commondir'), 'utf8')).toBe('.\n')
    await call({ action: 'kill', terminal_id: terminalId })
    expect(existsSync(join(main, '.git/commondir'))).toBe(false)
  })
})

describe('files that other programs run', () => {
  it('are named when a command makes or changes them, and others are not', async () => {
    const { main, execute, put } = await openMachine()
    put('home/project/package.json', '{}')
    put('home/project/sub/Makefile', 'all:')
    put('home/project/.envrc', 'same')
    const { changedFiles } = await execute(
      [
        'echo "{ }" > package.json; echo x >> sub/Makefile; echo x > plain.txt; cat .envrc',
        'mkdir -p a/b/.vscode; echo x > a/b/.vscode/tasks.json; echo x > parley.yaml; mkdir -p .parley/agents',
        'echo x > .parley/agents/a.md; mkdir -p node_modules/y; echo "{}" > node_modules/y/package.json',
        'git init -q made; echo x > made/.git/hooks/pre-commit; ln -s /tmp/x .bashrc',
      ].join('; '),
    )
    expect(changedFiles?.toSorted()).toEqual(
      [
        '.bashrc',
        '.parley/agents/a.md',
        'a/b/.vscode/tasks.json',
        'made/.git/config',
        'made/.git/hooks/pre-commit',
        'package.json',
        'parley.yaml',
        'sub/Makefile',
      ].map((path) => join(main, path)),
    )
    expect((await execute('cat package.json; touch plain.txt')).changedFiles).toBeUndefined()
  })

  it('are named however their times were set back, and counted where they are many', async () => {
    const { main, execute, put } = await openMachine()
    put('home/project/package.json', '{}')
    const sly = await execute('touch -r package.json t; echo "[]" > package.json; touch -r t package.json')
    expect(sly.changedFiles).toEqual([join(main, 'package.json')])
    const many = await execute('for i in $(seq 30); do mkdir -p d$i; echo x > d$i/Makefile; done')
    expect(many.changedFiles).toHaveLength(21)
    expect(many.changedFiles!.at(-1)).toBe('and 10 more')
  })

  it('are named by a shell that stays, once', async () => {
    const { main, call } = await openMachine()
    const { terminalId } = await call({ action: 'spawn' })
    const send = (input: string) => call({ action: 'send', terminal_id: terminalId, input, wait_ms: 100 })
    const named: string[] = []
    named.push(...((await send('echo x > Makefile')).changedFiles ?? []))
    await expect.poll(async () => named.push(...((await send('')).changedFiles ?? []))).toBeGreaterThan(0)
    expect(named).toEqual([join(main, 'Makefile')])
    named.push(...((await send('echo x > package.json; echo made > made')).changedFiles ?? []))
    await expect.poll(() => existsSync(join(main, 'made'))).toBe(true)
    const last = await call({ action: 'kill', terminal_id: terminalId })
    named.push(...(last.changedFiles ?? []))
    expect(new Set(named)).toEqual(new Set([join(main, 'Makefile'), join(main, 'package.json')]))
  })

  it('are named by the test commands of rooms', async () => {
    const { sandbox, workspaces, main, put } = await openMachine()
    put('home/project/make.mjs', "import { writeFileSync } from 'node:fs'; writeFileSync('Makefile', 'x')")
    const runner = createCommandRunner({
      limits: { testCommands: ['node make.mjs'], testTimeoutMs: 60_000 },
      readWorkspaces: async () => workspaces,
      readRights: async () => ({ groups: {}, mode: 'default' }),
      sandbox,
      environment: process.env,
    })
    const session = { id: 'ses_room', scope: 'default' } as Session
    const [outcome] = await runner.runCommands(session, ['node make.mjs'], new AbortController().signal)
    expect(outcome).toMatchObject({
      status: 'passed',
      output: `Made or changed files that other programs run: ${join(main, 'Makefile')}`,
    })
    await runner.close()
  })

  it('are named without a sandbox as well', async () => {
    const { main, call } = await openMachine({ sandbox: 'off' })
    const { changedFiles } = await call({ action: 'execute', command: ': > Makefile' })
    expect(changedFiles).toEqual([join(main, 'Makefile')])
  })

  it('of a home that is worked in are not written', async () => {
    const { execute, workspaces, root, put } = await openMachine()
    workspaces.main = join(root, 'home')
    for (const name of ['.bashrc', '.ssh/authorized_keys', '.config/autostart/x.desktop'])
      put(`home/${name}`, 'as it was')
    await execute('echo x >> .bashrc; echo x >> .ssh/authorized_keys; echo x > .ssh/config; mv .bashrc b')
    for (const name of ['.bashrc', '.ssh/authorized_keys', '.config/autostart/x.desktop'])
      expect(readFileSync(join(root, 'home', name), 'utf8'), name).toBe('as it was')
    expect(existsSync(join(root, 'home/.ssh/config'))).toBe(false)
  })
})

describe('what rules close', () => {
  const arrange = async (rules: FileRules, settings: object = {}) => {
    const machine = await openMachine(settings)
    machine.workspaces.readFileRules = async () => rules
    return machine
  }
  const isSecret = (path: string) => /(^|\/)(\.env|secrets)$/.test(path)

  it('is not read by a command, whatever it is called there', async () => {
    const { execute, put, main } = await arrange((path) => (isSecret(path) ? 'deny' : undefined))
    for (const path of ['.env', 'app/.env', 'secrets/key.pem', 'deep/er/secrets/key.pem'])
      put(`home/project/${path}`)
    put('home/project/open.txt', 'open')
    symlinkSync('.env', join(main, 'link'))
    const { output } = await execute(
      `cat .env app/.env link secrets/* deep/er/secrets/* open.txt; mv .env x; cat x; cp -r app y; cat y/.env; ln .env z; cat z; ` +
        `ls secrets; grep -rs ${canary.slice(0, 6)} . ; rm -rf secrets app/.env; mv app gone; cat gone/.env`,
    )
    expect(output).toContain('open')
    expect(output).not.toContain(canary)
    for (const path of ['.env', 'secrets/key.pem', 'deep/er/secrets/key.pem'])
      expect(readFileSync(join(main, path), 'utf8'), path).toBe(canary)
  })

  it('for changes alone is read, and not written', async () => {
    const { execute, put, main } = await arrange((path, use) =>
      use === 'write' && path.includes('/docs') ? 'deny' : undefined,
    )
    put('home/project/docs/a/page.md', 'as it was')
    const { output } = await execute(
      'cat docs/a/page.md; echo x >> docs/a/page.md; echo x > docs/new.md; rm -rf docs; mv docs d',
    )
    expect(output).toContain('as it was')
    expect(readFileSync(join(main, 'docs/a/page.md'), 'utf8')).toBe('as it was')
    expect(existsSync(join(main, 'docs/new.md'))).toBe(false)
  })

  it.each<[string, string, string]>([
    ['its folder has another name', 'mv app gone', 'cat gone/.env gone/deep/.env'],
    [
      'a folder around its folder has another name',
      'mv app/deep app/x; mv app gone',
      'cat gone/x/.env app/x/.env',
    ],
    [
      'its folder is where nobody looks',
      'mkdir -p node_modules; mv app node_modules/app',
      'cat node_modules/app/.env',
    ],
    ['another folder took its place', 'mkdir new; mv app old; mv new app', 'cat old/.env old/deep/.env'],
    [
      'two folders were exchanged',
      'mkdir other; mv -T app other/a || mv app other; mv other app',
      'cat app/a/.env app/app/.env',
    ],
  ])('is not read by a later command because %s', async (_, first, then) => {
    const { execute, put, main } = await arrange((path) =>
      path.includes('/project/app/') && isSecret(path) ? 'deny' : undefined,
    )
    for (const path of ['app/.env', 'app/deep/.env']) put(`home/project/${path}`)
    await execute(`{ ${first}; } 2>&1; true`)
    expect((await execute(`{ ${then}; } 2>&1`)).output).not.toContain(canary)
    for (const path of ['app/.env', 'app/deep/.env'])
      expect(readFileSync(join(main, path), 'utf8'), path).toBe(canary)
  })

  it('for changes alone is not written by a later command because its folder has another name', async () => {
    const { execute, put, main } = await arrange((path, use) =>
      use === 'write' && path.includes('/project/a/docs') ? 'deny' : undefined,
    )
    put('home/project/a/docs/page.md', 'as it was')
    await execute('mv a b')
    await execute('echo x > b/docs/page.md; mv b a')
    expect(readFileSync(join(main, 'a/docs/page.md'), 'utf8')).toBe('as it was')
  })

  it('leaves the folder around it to be worked in', async () => {
    const { execute, put, main } = await arrange((path) => (isSecret(path) ? 'deny' : undefined))
    put('home/project/app/deep/.env')
    const { exitCode } = await execute(
      'set -e; echo x > app/a; mv app/a app/b; mkdir app/c; mv app/b app/c/; mv app/c app/d; rm -r app/d; echo y > app/deep/y',
    )
    expect(exitCode).toBe(0)
    expect(readFileSync(join(main, 'app/deep/y'), 'utf8')).toBe('y\n')
  })

  it('is not hidden behind more files than are looked at', async () => {
    const { execute, put, main } = await arrange((path) => (isSecret(path) ? 'deny' : undefined), {
      maxLookedEntries: 100,
    })
    put('home/project/app/deep/.env')
    await execute('mkdir app/all; cd app/all; for i in $(seq 120); do : > $i; done')
    await expect(execute('cat app/deep/.env; touch made')).rejects.toThrow(
      /more than 100 files and folders.*terminal\.maxLookedEntries/,
    )
    expect(existsSync(join(main, 'made'))).toBe(false)
  })

  it('without a path closes a tool and no file', async () => {
    const { execute } = await arrange(() => 'deny')
    expect((await execute('cat readme.md')).output).toBe('hello')
  })

  it('at more places than can be guarded runs nothing', async () => {
    const { execute, put, main } = await arrange((path) => (isSecret(path) ? 'deny' : undefined), {
      maxGuarded: 1,
    })
    for (const path of ['.env', 'app/.env']) put(`home/project/${path}`)
    await expect(execute('touch made')).rejects.toThrow(
      /Rules close 2 files and folders.*terminal\.maxGuarded/,
    )
    expect(existsSync(join(main, 'made'))).toBe(false)
  })
})

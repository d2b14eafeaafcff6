import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInside } from '../src/core/files/file-rules.ts'
import type { Session } from '../src/core/protocol/session.ts'
import { createCommandRunner } from '../src/extensions/room/test-command-runner.ts'
import { defaultRoomLimits } from '../src/extensions/room/room-service.ts'
import { needProgram } from './runner/provision.ts'
import { testTier } from './runner/tier.ts'
import { canary, onlyConfined, openMachine, processesWith } from './sandbox-harness.ts'

const sources = join(import.meta.dirname, '..', 'src', 'core', 'processes')

/** Runs JavaScript, without anything in it that a shell would read. */
const script = (text: string) => `node -e '${text.replaceAll("'", `'"'"'`)}'`

describe('processes', () => {
  it('of the machine are neither seen nor signalled, and nobody reads their environment', async () => {
    const machine = await openMachine()
    const { output } = await machine.execute(
      [
        'ls /proc | grep -E "^[0-9]+$" | wc -l',
        // numbers count anew inside, so that this one is nobody
        `kill -0 ${process.pid} 2>&1 || echo no-signal`,
        `cat /proc/${process.pid}/environ 2>&1 || echo no-environ`,
        'cat /proc/*/environ /proc/*/task/*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c KEY',
        'cat /proc/*/cmdline 2>/dev/null | tr "\\0" " " | grep -c "[v]itest"',
      ].join('; '),
    )
    const [count, ...rest] = output.trim().split('\n')
    expect(Number(count)).toBeLessThan(10)
    expect(rest.join(' ')).toMatch(/no-signal.*no-environ 0 0$/)
    expect(output).not.toContain(canary)
  })

  it.each([
    [
      'by the first one',
      'cat /proc/1/environ /proc/1/task/*/environ; ls -l /proc/1/root/ /proc/1/cwd/ /proc/1/fd/',
    ],
    ['by their namespaces', 'nsenter -t 1 -a sh -c "cat /proc/*/environ"; nsenter -t 1 -m ls /'],
    ['by a namespace of its own', 'unshare -Urpf --mount-proc sh -c "cat /proc/*/environ"'],
    ['by another proc', 'mkdir -p p; mount -t proc proc p; cat p/*/environ'],
    ['by the memory of the one above', 'cat /proc/$PPID/environ; head -c 1000 /proc/$PPID/mem'],
  ])('of the machine are not reached %s', async (_, command) => {
    const { execute } = await openMachine()
    // an attack that succeeds prints no more than that it did
    const found = 'tr "\\0" "\\n" | grep -acE "^(PARLEY|ANTHROPIC)_|vitest"'
    expect((await execute(`{ ${command}; } 2>&1 | ${found}`)).output).toBe('0\n')
  })

  it('cannot be given more rights', async () => {
    const { execute } = await openMachine()
    const { output } = await execute(
      'grep -E "^(Cap(Eff|Prm|Bnd)|NoNewPrivs)" /proc/self/status; unshare -U true || echo none',
    )
    expect(output.match(/Cap\w+:\s+0{16}/g)).toHaveLength(3)
    expect(output).toMatch(/NoNewPrivs:\s+1/)
    expect(output).toContain('none')
  })

  it('are all over with the command that started them, wherever they hid', async () => {
    const { execute } = await openMachine()
    const mark = `9${String(process.pid).padStart(7, '0')}`
    const { exitCode } = await execute(
      `sleep ${mark}1 & setsid sleep ${mark}2 & (setsid sh -c "env -i sleep ${mark}3" &) & ` +
        `nohup sh -c "trap '' TERM HUP; sleep ${mark}4" > /dev/null 2>&1 & sleep 0.2; echo done`,
    )
    expect(exitCode).toBe(0)
    await expect.poll(() => processesWith(mark)).toEqual([])
  })

  it('are all over when the time of the command is', async () => {
    const { execute } = await openMachine()
    const mark = `8${String(process.pid).padStart(7, '0')}`
    const command = `trap "" TERM; setsid env -i sleep ${mark}1 & sleep ${mark}2; sleep ${mark}3`
    expect(await execute(command, { timeout_seconds: 1 })).toMatchObject({ timedOut: true })
    await expect.poll(() => processesWith(mark)).toEqual([])
  })
})

describe('files', () => {
  it('of nobody else are read: whatever a command can read holds no secret', async () => {
    const { execute, root } = await openMachine()
    // what package managers install is looked through before a release
    const installed = testTier === 'long' ? [] : ['lib', 'node_modules', '_cacache']
    const leftOut = ['usr', 'sys', ...installed].map((name) => `--exclude-dir=${name}`).join(' ')
    const { output } = await execute(
      `grep -rlsa ${canary} / ${leftOut} 2>/dev/null; ls -A ${root}/home ${root} ~ 2>&1`,
      { timeout_seconds: 120 },
    )
    expect(output).not.toMatch(/secret|credentials|id_ed25519|parley\.db|outside|ses_other/)
    // its own process has the word in its command
    expect(
      output
        .split('\n')
        .filter((line) => /^\/.*[^:]$/.test(line) && !/^\/proc\/(self|thread-self|\d+)\//.test(line)),
    ).toEqual([])
  })

  it('are written in the workspaces and in folders of the command, and nowhere else', async () => {
    const { execute, main, session, root } = await openMachine()
    // asks, and writes nothing: one that is not confined would write everywhere
    const { output } = await execute(
      'find / -type d -writable -not -path "/proc/[0-9]*" -not -path "/proc/self/*" -not -path "/proc/thread-self/*" 2>/dev/null',
      { timeout_seconds: 120 },
    )
    const writable = output.trim().split('\n')
    const own = ['/tmp', '/var/tmp', '/dev/shm', '/dev/pts', root]
    for (const folder of writable)
      expect(
        own.some((place) => isInside(place, folder)),
        folder,
      ).toBe(true)
    // most of these are the command's own, and nobody else sees what it writes there
    const name = `parley-test-${process.pid}`
    await execute(`for d in ${writable.join(' ')}; do : > $d/${name}; done; touch ${root}/outside/x`)
    expect(writable.filter((folder) => existsSync(join(folder, name))).toSorted()).toEqual([session, main])
    expect(existsSync(join(root, 'outside/x'))).toBe(false)
  })

  it.each([
    [
      'a link',
      (root: string) =>
        `ln -s ${root}/outside/secret.txt l; cat l; ln -s / r; cat r${root}/outside/secret.txt`,
    ],
    [
      'its own root',
      (root: string) =>
        `cat /proc/self/root${root}/outside/secret.txt /proc/1/root${root}/home/data/parley.db`,
    ],
    [
      'its folder',
      (root: string) =>
        `cat /proc/self/cwd/../other/secret.txt ../data/parley.db ../../outside/secret.txt; ls ${root}`,
    ],
    ['open files', () => 'for f in /proc/*/fd/*; do cat $f/../../outside/secret.txt; ls -l $f; done'],
    ['a hard link', (root: string) => `ln ${root}/home/data/parley.db x; cat x`],
    [
      'taking a mount away',
      (root: string) => `umount -l ${root}/home/data ${root}/home; cat ${root}/home/data/parley.db`,
    ],
    [
      'mounting',
      (root: string) =>
        `mkdir m; mount --bind ${root}/outside m; cat m/secret.txt; chroot /proc/1/root cat ${root}/outside/secret.txt`,
    ],
    [
      'a device',
      () => 'mknod d b 254 0; mknod c c 1 1; head -c 10 d c /dev/mem /dev/kmsg /proc/kcore; ls /dev',
    ],
    [
      'the session of another',
      (root: string) =>
        `cat ${root}/home/data/workspaces/ses_other/note.txt; ls ${root}/home/data/workspaces`,
    ],
    [
      'systemd and containers',
      () => 'ls /run /var/run/docker.sock /run/user /sys /root /home /mnt /srv /var/lib 2>/dev/null',
    ],
  ])('outside are not reached by %s', async (_, command) => {
    const { execute, root } = await openMachine()
    const { output } = await execute(`{ ${command(root)}; } 2>&1`)
    expect(output).not.toContain(canary)
    expect(output).not.toMatch(/ses_other\n|docker|vda\n$/)
  })

  it('of the kernel are read only, also for a Parley that runs as root', async () => {
    const { execute } = await openMachine()
    const { output } = await execute(
      'find /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs -writable 2>/dev/null | head; grep " /proc/sys " /proc/mounts; ' +
        'for f in core_pattern modprobe hotplug; do [ -w /proc/sys/kernel/$f ] && echo writable $f; done',
    )
    expect(output).toMatch(/^proc \/proc\/sys proc ro,/)
    expect(output).not.toContain('writable')
  })

  it('that become programs or settings outside are not changed, nor moved out of the way', async () => {
    const { execute, main, put } = await openMachine()
    for (const path of ['.git/config', '.git/hooks/pre-commit', '.parley/agents/a.md', 'parley.yaml'])
      put(`home/project/${path}`, 'as it was')
    put('home/project/.git/index', '')
    const { output } = await execute(
      [
        'echo x >> .git/config; echo x > .git/hooks/post-checkout; echo x >> .git/hooks/pre-commit',
        'mv .git moved; mv .git/hooks h; mv .parley p; mv parley.yaml y; rm -rf .git .parley parley.yaml',
        'ln -sf /tmp/evil .git/config; ln -f readme.md parley.yaml; mkdir .parley/workflows; cp readme.md .parley/agents/b.md',
        'echo x > c; mv c .git/config; echo changed > .git/index; echo done',
      ].join('; '),
    )
    expect(output).toContain('done')
    for (const path of ['.git/config', '.git/hooks/pre-commit', '.parley/agents/a.md', 'parley.yaml'])
      expect(readFileSync(join(main, path), 'utf8'), path).toBe('as it was')
    expect(existsSync(join(main, '.git/hooks/post-checkout'))).toBe(false)
    expect(existsSync(join(main, '.parley/workflows'))).toBe(false)
    // a commit has to be possible
    expect(readFileSync(join(main, '.git/index'), 'utf8')).toBe('changed\n')
  })

  it('of hooks cannot be made where there are none yet', async () => {
    const { execute, main, put } = await openMachine()
    put('home/project/.git/config', '')
    await execute('mkdir -p .git/hooks; echo x > .git/hooks/pre-commit')
    expect(existsSync(join(main, '.git/hooks/pre-commit'))).toBe(false)
  })

  it('that a person granted can be used, as long as they are what was granted', async () => {
    const { execute, root, put } = await openMachine({}, { granted: (folder) => [join(folder, 'given')] })
    put('given/file.txt', 'given')
    expect((await execute(`cat ${root}/given/file.txt; echo more > ${root}/given/new.txt`)).output).toBe(
      'given',
    )
    expect(readFileSync(join(root, 'given/new.txt'), 'utf8')).toBe('more\n')
    rmSync(join(root, 'given'), { recursive: true })
    symlinkSync(join(root, 'home', '.ssh'), join(root, 'given'))
    const { output } = await execute(
      `ls ${root}/given 2>&1; cat ${root}/given/id_ed25519 ~/.ssh/id_ed25519 2>&1`,
    )
    expect(output).not.toContain(canary)
  })

  it('of the data folder are not opened by a grant', async () => {
    const { execute, data } = await openMachine(
      {},
      { granted: (root) => [join(root, 'home/data'), join(root, 'home/data/parley.db')] },
    )
    expect((await execute(`cat ${data}/parley.db 2>&1`)).output).not.toContain(canary)
  })

  it('are not reached through a workspace that became a link', async () => {
    const { execute, main, root } = await openMachine()
    rmSync(main, { recursive: true })
    symlinkSync(join(root, 'outside'), main)
    await expect(execute('cat secret.txt')).rejects.toThrow()
  })

  it('of the data folder are hidden also where it lies in the workspace', async () => {
    const { execute, workspaces, root, session } = await openMachine()
    workspaces.main = join(root, 'home')
    const { output } = await execute(
      `ls data; cat data/parley.db .config/parley/config.yaml 2>&1; cat ${session}/note.txt`,
    )
    expect(output).toContain('own')
    expect(output).not.toContain(canary)
  })

  it('of programs are found, by the PATH and by what the operator named', async () => {
    const { execute, root } = await openMachine({ readable: [] })
    expect((await execute('node -p 1+1; tar --version > /dev/null; echo $?')).output).toBe('2\n0\n')
    expect((await execute(`cat ${root}/outside/secret.txt`)).exitCode).not.toBe(0)
    const other = await openMachine()
    mkdirSync(join(other.root, 'tools'))
    writeFileSync(join(other.root, 'tools', 'data.txt'), 'named')
    const named = await openMachine({ readable: [join(other.root, 'tools')] })
    const { output } = await named.execute(
      `cat ${other.root}/tools/data.txt; touch ${other.root}/tools/x 2>&1`,
    )
    expect(output).toMatch(/^named.*Read-only/)
  })

  it('named by the operator never show the home or the data folder as a whole', async () => {
    const { root } = await openMachine()
    const named = await openMachine({ readable: ['/', realpathSync(root)] })
    const { output } = await named.execute(
      `cat ${named.root}/home/.ssh/id_ed25519 ${named.data}/parley.db 2>&1`,
    )
    expect(output).not.toContain(canary)
  })
})

describe('the environment', () => {
  it('has no key, and what was picked', async () => {
    const { execute } = await openMachine()
    const { output } = await execute('env; tr "\\0" "\\n" < /proc/self/environ; export -p')
    expect(output).not.toContain(canary)
    expect(output).toMatch(/^PATH=/m)
    expect(output).toMatch(/^TMPDIR=\/tmp$/m)
  })

  it('is not in the list of processes of the machine', async () => {
    const { call } = await openMachine({ variables: ['ANTHROPIC_API_KEY'] })
    const { terminalId } = await call({ action: 'spawn' })
    const answer = await call({
      action: 'send',
      terminal_id: terminalId,
      input: 'echo $ANTHROPIC_API_KEY',
      wait_ms: 500,
    })
    await expect
      .poll(async () => answer.output + (await call({ action: 'read', terminal_id: terminalId })).output)
      .toContain(canary)
    expect(processesWith(canary)).toEqual([])
  })
})

describe('limits', () => {
  it('of memory end what takes more, and leave room to work', async () => {
    const { execute } = await openMachine({ maxMemoryBytes: 1_073_741_824 })
    const fill = (megabytes: number) =>
      script(
        `const all = []; for (let i = 0; i < ${megabytes / 10}; i++) all.push(Buffer.alloc(1e7, 1)); console.log("filled")`,
      )
    expect((await execute(fill(100))).output).toBe('filled\n')
    const { exitCode, output } = await execute(fill(2_000))
    expect(exitCode).not.toBe(0)
    expect(output).not.toContain('filled')
  })

  it('of its own folders hold', async () => {
    const { execute } = await openMachine({ maxTemporaryBytes: 1_048_576 })
    for (const folder of ['/tmp', '~', '/dev/shm', '/var/tmp']) {
      const fill = `f=${folder}/parley-test-$$; head -c 2000000 /dev/zero > $f; r=$?; rm $f; exit $r`
      expect((await execute(fill)).exitCode, folder).not.toBe(0)
    }
  })

  it('of processes are set, and cannot be raised again', async () => {
    const { execute } = await openMachine({ maxProcesses: 64 })
    const { output } = await execute(
      '{ ulimit -p || ulimit -u; } 2>/dev/null; { ulimit -p 1000 || ulimit -u 1000; } 2>/dev/null || echo stays; ulimit -c',
    )
    expect(output).toBe('64\nstays\n0\n')
  })
})

describe('a shell that stays', () => {
  it('is confined as well, and keeps its own folders for as long as it is open', async () => {
    const { call, root, main } = await openMachine()
    const { terminalId } = await call({ action: 'spawn' })
    let seen = ''
    const send = async (input: string, expected: RegExp) => {
      seen = (await call({ action: 'send', terminal_id: terminalId, input, wait_ms: 100 })).output
      await expect
        .poll(async () => (seen += (await call({ action: 'read', terminal_id: terminalId })).output))
        .toMatch(expected)
    }
    await send(`${onlyConfined()}echo kept > /tmp/note; touch made; echo one`, /one\n/)
    await send(
      `cat /tmp/note; cat ${root}/home/.ssh/id_ed25519 ${root}/home/data/parley.db 2>&1; echo two`,
      /two/,
    )
    expect(seen).toContain('kept')
    expect(seen).not.toContain(canary)
    expect(existsSync(join(main, 'made'))).toBe(true)
    await call({ action: 'kill', terminal_id: terminalId })
  })
})

it('everything is over with a Parley that is killed', async () => {
  const { main } = await openMachine()
  const mark = `7${String(process.pid).padStart(7, '0')}`
  const parley = `
    import { createProcessGroups } from '${join(sources, 'process-groups.ts')}'
    import { createSandbox } from '${join(sources, 'sandbox/sandbox.ts')}'
    const sandbox = createSandbox({ bubblewrap: '${await needProgram('bwrap')}' })
    if (sandbox.state().kind !== 'bubblewrap') process.exit(1)
    createProcessGroups(sandbox).start({
      command: 'trap "" TERM; setsid env -i sleep ${mark}1 & sleep ${mark}2',
      cwd: '${main}', env: {}, workspaces: { main: '${main}', granted: [] },
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', parley], { stdio: 'ignore' })
  await expect.poll(() => processesWith(`sleep\0${mark}`).length).toBe(2)
  child.kill('SIGKILL')
  await expect.poll(() => processesWith(`sleep\0${mark}`)).toEqual([])
})

it('commands of a room are confined as well', async () => {
  const { sandbox, main, root, workspaces, put } = await openMachine()
  const looks = [
    join(root, 'outside/secret.txt'),
    join(root, 'home/data/parley.db'),
    `/proc/${process.pid}/environ`,
  ]
  put(
    'home/project/look.mjs',
    `import { readFileSync, readlinkSync, writeFileSync } from 'node:fs'
    if (readlinkSync('/proc/self/ns/mnt') === '${readlinkSync('/proc/self/ns/mnt')}') process.exit(99)
    for (const path of ${JSON.stringify(looks)})
      try { console.log('read', readFileSync(path, 'utf8')) } catch (error) { console.log(error.code) }
    writeFileSync('made', process.env.CI ?? '')`,
  )
  const runner = createCommandRunner({
    limits: { testCommands: ['node look.mjs'], testTimeoutMs: defaultRoomLimits.testTimeoutMs },
    readWorkspaces: async () => workspaces,
    readRights: async () => ({ groups: {}, mode: 'default' }),
    sandbox,
    environment: process.env,
  })
  const session = { id: 'ses_room', scope: 'default' } as Session
  const [outcome] = await runner.runCommands(session, ['node look.mjs'], new AbortController().signal)
  expect(outcome).toMatchObject({ status: 'passed', output: 'ENOENT\nENOENT\nENOENT\n' })
  expect(readFileSync(join(main, 'made'), 'utf8')).toBe('true')
  await runner.close()
})

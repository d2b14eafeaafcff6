import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { Workspaces } from '../src/core/files/workspaces.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import { createIds } from '../src/core/shared/ids.ts'
import {
  createSandbox,
  type SandboxPlaces,
  type SandboxSettings,
} from '../src/core/processes/sandbox/sandbox.ts'
import { createTerminalTools, type TerminalSettings } from '../src/extensions/terminal/terminal-tool.ts'
import { temporaryFolder } from './harness.ts'
import { needProgram } from './runner/provision.ts'
import { runTool } from './web-sites.ts'

/**
 * Stands in every place that no command may read; looked for in whatever one can read. Another one in each process: what
 * runs on the machine is looked through as well, and other tests may be running there.
 */
export const canary = `CANARY_${randomBytes(6).toString('hex')}`

/**
 * A machine of a person: a home with secrets, Parley's data and settings, a folder to work in, and that of a session.
 *
 * What is run here attacks the machine, so it is run only where it cannot harm it: a machine on which no sandbox can be
 * made fails before the first command, and says why. Each command looks first whether it is in namespaces of its own. An
 * attack touches nothing outside the test's own folder, and never mounts anything but a part of that: what removes the
 * folder would go through.
 */
export async function openMachine(
  settings: SandboxSettings & TerminalSettings = {},
  places: Partial<SandboxPlaces> & { granted?: (root: string) => string[] } = {},
) {
  const folder = temporaryFolder()
  onTestFinished(() => folder[Symbol.dispose]())
  const root = realpathSync(folder.path)
  const put = (path: string, text = canary) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    return join(root, path)
  }
  for (const path of [
    '.ssh/id_ed25519',
    '.aws/credentials',
    '.config/parley/config.yaml',
    'other/secret.txt',
  ])
    put(`home/${path}`)
  for (const path of ['parley.db', 'credentials.json', 'workspaces/ses_other/note.txt'])
    put(`home/data/${path}`)
  put('outside/secret.txt')
  put('home/project/readme.md', 'hello')
  put('home/data/workspaces/ses_own/note.txt', 'own')
  vi.stubEnv('HOME', join(root, 'home'))
  vi.stubEnv('PARLEY_API_KEY', canary)
  vi.stubEnv('ANTHROPIC_API_KEY', canary)
  onTestFinished(() => void vi.unstubAllEnvs())
  const data = join(root, 'home', 'data')
  const main = join(root, 'home', 'project')
  const session = join(data, 'workspaces', 'ses_own')
  const workspaces: Workspaces = { main, session, granted: places.granted?.(root) ?? [], forbidden: [data] }
  const sandbox = createSandbox(
    { bubblewrap: await needProgram('bwrap'), ...settings },
    { hidden: [data, join(root, 'home', '.config', 'parley')], environment: process.env, ...places },
  )
  const { tools, close } = createTerminalTools(
    { environment: process.env, ...settings },
    {
      ids: createIds(systemClock),
      clock: systemClock,
      sandbox,
      hasSession: async () => true,
      onSessionDeleted: () => () => {},
    },
  )
  onTestFinished(async () => {
    await close()
    await sandbox.close()
  })
  expect(sandbox.state(), 'the user of the tests has to be allowed to make user namespaces').toMatchObject({
    kind: settings.sandbox === 'off' ? 'off' : 'bubblewrap',
  })
  const call = (input: object) => runTool(tools[0]!, input, { workspaces }) as Promise<Answer>
  return {
    root,
    main,
    session,
    data,
    workspaces,
    sandbox,
    tool: tools[0]!,
    put,
    call,
    execute: async (command: string, more: object = {}) => {
      const answer = await call({ action: 'execute', command: `${onlyConfined()}${command}`, ...more })
      if (answer.output.includes('NOT CONFINED'))
        throw new Error('The command was started without a sandbox.')
      return answer
    },
  }
}

export interface Answer {
  output: string
  exitCode: number | null
  terminalId: string
  changedFiles?: string[]
}

/** Ends the shell, with a word about it, unless files and processes are others than those of the tests. */
export const onlyConfined = () =>
  ['mnt', 'pid', 'user']
    .map((name) => `[ "$(readlink /proc/self/ns/${name})" != "${readlinkSync(`/proc/self/ns/${name}`)}" ]`)
    .join(' && ') + ' || { echo "NOT CONFINED"; exit 99; }; '

/** What runs on the machine with this text in its command line. */
export const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false // gone meanwhile
      }
    })

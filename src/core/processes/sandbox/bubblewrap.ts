import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readlinkSync,
  statSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { isAbsolute, join } from 'node:path'
import { quote } from '../../protocol/error.ts'
import { forwarderArgs, proxyVariables } from './forwarder.ts'
import { limitScript } from './limits.ts'
import type { Confined, Launch } from './launch.ts'
import { placesOf, systemPlaces, topLink, type Shown, type ViewSettings } from './view.ts'

// of the first place that was opened; before it come the options
const firstFd = 4
const proxySocket = '/run/parley/proxy.sock'
const nodeInside = '/run/parley/node'

// of a root's processes the kernel takes these without asking for a capability
const closedInProc = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs']
const emptyInProc = ['/proc/kcore', '/proc/keys', '/proc/key-users', '/proc/timer_list', '/proc/sched_debug']

/** Options without which it could be tricked or used up; older versions lack some. */
const neededOptions = ['--bind-fd', '--ro-bind-fd', '--disable-userns', '--size', '--perms', '--clearenv']

export function missingOptions(file: string): string[] {
  const { stdout = '' } = spawnSync(file, ['--help'], { encoding: 'utf8', timeout: 5_000, env: {} })
  return neededOptions.filter((option) => !new RegExp(`^ +${option} `, 'm').test(stdout))
}

/** An executable by its name; folders that depend on where somebody is do not count. */
export function findProgram(name: string, path = '/usr/local/bin:/usr/bin:/bin'): string | undefined {
  return path
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return statSync(file).isFile()
      } catch {
        return false // not here
      }
    })
}

// own processes, users, host name and shared memory; no capabilities and no way to get some; dies with Parley
const isolation =
  '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns --cap-drop ALL ' +
  '--die-with-parent --new-session --hostname sandbox'

/**
 * A file system with nothing in it but what is shown, and no network. Folders that commands can write are opened here and
 * handed over, so that none of them can be swapped for a link in between.
 */
export function launchInBubblewrap(
  file: string,
  view: ViewSettings,
  { command, cwd, env, workspaces, inspection }: Confined,
  socket?: string,
): Launch {
  const descriptors: number[] = []
  const release = () => descriptors.splice(0).forEach((fd) => closeSync(fd))
  const open = (path: string) => String(firstFd + descriptors.push(openPlace(path)) - 1)
  try {
    const places = placesOf(view, workspaces, inspection)
    const hidden = places.filter(({ as }) => as === 'hidden').map(({ path }) => path)
    const variables = { ...env, TMPDIR: '/tmp', ...(socket !== undefined && proxyVariables) }
    const options = [
      isolation.split(' '),
      view.hasNetwork ? [] : ['--unshare-net'],
      ...['/etc', '/run', '/var'].map((path) => ['--perms', '0755', '--dir', path]),
      ...systemPlaces(view.hasNetwork).map(showSystem),
      ['--proc', '/proc', '--dev', '/dev'],
      emptyFolder(view, '/dev/shm'),
      ...closedInProc.map((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
      ...emptyInProc.map((path) => (existsSync(path) ? ['--ro-bind', '/dev/null', path] : [])),
      ...places.map((place) => show(view, place, open)),
      ...(socket === undefined ? [] : showProxy(socket)),
      // what holds the places together is written by nobody
      ...['/', '/dev', ...hidden].map((path) => ['--remount-ro', path]),
      ['--chdir', cwd, '--clearenv'],
      ...Object.entries(variables).map(([name, value]) => ['--setenv', name, value]),
    ].flat()
    const forwarder = socket === undefined ? [] : [nodeInside, ...forwarderArgs(proxySocket)]
    const args = ['/bin/sh', '-c', limitScript(view.limits), 'sh', ...forwarder, ...command]
    return { file, options, args, env: {}, cwd: '/', descriptors, release }
  } catch (error) {
    release()
    throw error
  }
}

function show(view: ViewSettings, { path, as, isExposed }: Shown, open: (path: string) => string): string[] {
  if (as === 'empty' || as === 'hidden') return emptyFolder(view, path)
  if (as === 'masked') return ['--ro-bind', '/dev/null', path]
  if (!isExposed) return ['--ro-bind', path, path]
  return [as === 'read' ? '--ro-bind-fd' : '--bind-fd', open(path), path]
}

const emptyFolder = ({ limits }: ViewSettings, path: string): string[] => {
  const size = String(limits.maxTemporaryBytes)
  return ['--perms', '0700', '--size', size, '--tmpfs', path]
}

const showProxy = (socket: string): string[][] => [
  ['--ro-bind', socket, proxySocket],
  ['--ro-bind', process.execPath, nodeInside],
]

function showSystem(path: string): string[] {
  const target = topLink(path)
  return target === undefined ? ['--ro-bind', path, path] : ['--symlink', target, path]
}

/** Whatever is opened is what is shown, so it has to be what was meant. */
function openPlace(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = fstatSync(fd)
  if (readlinkSync(`/proc/self/fd/${fd}`) === path && (stats.isDirectory() || stats.isFile())) return fd
  closeSync(fd)
  throw new Error(`${quote(path)} was changed while a command was to be started there. Try again.`)
}

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitScript } from './limits.ts'
import type { Confined, Launch } from './launch.ts'
import { placesOf, type Shown, type ViewSettings } from './view.ts'

export const seatbeltProgram = '/usr/bin/sandbox-exec'

// what programs of the system need to start at all
const readFolders = [
  '/System',
  '/Library/Apple',
  '/Library/Developer',
  '/usr',
  '/bin',
  '/sbin',
  '/opt/homebrew',
  '/private/etc/ssl',
  '/private/var/db/timezone',
  '/private/var/db/dyld',
]
const readFiles = ['/', '/etc', '/tmp', '/var', '/private', '/private/etc/passwd', '/private/etc/localtime']
const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom', '/dev/dtracehelper']
// not kern.procargs2, by which any process of the same user shows its environment
const systemFacts = [
  'hw.',
  'kern.os',
  'kern.version',
  'kern.hostname',
  'kern.maxfiles',
  'kern.argmax',
  'kern.boottime',
]
const services = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.logger',
  'com.apple.bsd.dirhelper',
]

/** The same promises as on Linux, as far as Seatbelt has words for them. Its last rule that fits counts. */
export function toProfile(places: readonly Shown[], temporary: string, hasNetwork: boolean): string {
  const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${literal(path)})`).join(' ')
  const literals = (paths: readonly string[]) => paths.map((path) => `(literal ${literal(path)})`).join(' ')
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork process-exec)',
    '(allow signal process-info* (target same-sandbox))',
    `(allow sysctl-read ${systemFacts.map((name) => `(sysctl-name-prefix ${literal(name)})`).join(' ')})`,
    `(allow mach-lookup ${services.map((name) => `(global-name ${literal(name)})`).join(' ')})`,
    '(allow ipc-posix-sem)',
    `(allow file-read* ${subpaths(readFolders)} ${literals(readFiles)})`,
    `(allow file-read* file-write-data file-ioctl ${literals(devices)})`,
    // so that a path can be walked down to what is shown
    '(allow file-read-metadata)',
    ...places.map(({ path, as }) => {
      if (as === 'write') return `(allow file-read* file-write* (subpath ${literal(path)}))`
      // to be renamed is to be taken away
      if (as === 'held') return `(deny file-write-unlink (literal ${literal(path)}))`
      if (as === 'read')
        return `(deny file-write* (subpath ${literal(path)}))(allow file-read* (subpath ${literal(path)}))`
      return `(deny file-read* file-write* (subpath ${literal(path)}))`
    }),
    `(allow file-read* file-write* (subpath ${literal(temporary)}))`,
    ...(hasNetwork ? ['(allow network*)', '(allow system-socket)'] : ['(deny network*)']),
  ].join('\n')
}

/** A string of the profile's language; nothing in a path can end it. */
const literal = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

export function launchInSeatbelt(
  view: ViewSettings,
  { command, cwd, env, workspaces, inspection }: Confined,
): Launch {
  const temporary = realpathSync(mkdtempSync(join(tmpdir(), 'parley-command-')))
  const profile = toProfile(placesOf(view, workspaces, inspection), temporary, view.hasNetwork)
  return {
    file: seatbeltProgram,
    args: ['-p', profile, '/bin/sh', '-c', limitScript(view.limits), 'sh', ...command],
    env: { ...env, TMPDIR: temporary },
    cwd,
    descriptors: [],
    release: () => {},
    end: () => rmSync(temporary, { recursive: true, force: true }),
  }
}

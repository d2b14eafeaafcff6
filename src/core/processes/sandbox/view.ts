import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, sep } from 'node:path'
import { isInside } from '../../files/file-rules.ts'
import type { Workspaces } from '../../files/workspaces.ts'
import type { Inspection } from '../folder-changes.ts'
import type { SandboxLimits } from './limits.ts'

/** What commands may see, as far as it is the same for all of them. */
export interface ViewSettings {
  limits: SandboxLimits
  /** Besides the system's own; real paths, found out once: later a command could have put a link in their place. */
  readable: readonly string[]
  hidden: readonly string[]
  hasNetwork: boolean
}

/** One place as a command sees it; a deeper place goes before the one that it lies in. */
export interface Shown {
  path: string
  /**
   * `empty` is a folder of the command's own, `hidden` one with nothing in it but what is shown there, `masked` a file
   * that has nothing in it, `held` a folder that is written and stays where it is.
   */
  as: 'read' | 'write' | 'held' | 'empty' | 'hidden' | 'masked'
  /**
   * Whether a command could put a link in its place while it is shown, so that it has to be opened first and checked.
   */
  isExposed: boolean
}

// of /etc what programs need to work at all; the rest may hold secrets of other programs
const systemFiles = (
  'alternatives bash.bashrc ca-certificates crypto-policies debian_version environment.d fonts gitconfig group ' +
  'host.conf hosts inputrc java ld.so.cache ld.so.conf ld.so.conf.d localtime locale.alias login.defs machine-id magic ' +
  'mime.types nsswitch.conf os-release passwd perl pki/ca-trust pki/tls/certs profile profile.d protocols python3 ' +
  'services shells ssl/certs ssl/openssl.cnf static terminfo timezone'
)
  .split(' ')
  .map((name) => `/etc/${name}`)
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']
const resolverFiles = ['/etc/resolv.conf', '/run/systemd/resolve', '/run/resolvconf']

/** What of the system is read, the same for every command: by path, since no command can write there. */
export const systemPlaces = (hasNetwork: boolean): string[] =>
  [...systemFolders, ...systemFiles, ...(hasNetwork ? resolverFiles : [])].filter((path) => existsSync(path))

/**
 * Where a link at the top of the file system leads, as `/bin` does on most systems; undefined where there is none.
 */
export const topLink = (path: string): string | undefined =>
  dirname(path) === sep && lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined

/** All places besides the system's, the outer ones first. */
export function placesOf(view: ViewSettings, workspaces: Workspaces, inspection?: Inspection): Shown[] {
  const { readable, limits } = view
  const home = realOf(homedir()) ?? homedir()
  const closed = closedIn(view, workspaces)
  const writable = writableOf(workspaces, closed)
  const isWritable = (place: string) => writable.some((folder) => isInside(folder, place))
  // a home within a workspace was opened on purpose
  const empty = [home, ...temporaryFolders()].filter((place) => !isWritable(place))
  // showing the home, the data or all that there is would undo the rest
  const isHarmless = (place: string) =>
    ![home, ...closed].some((secret) => isInside(place, secret)) &&
    !closed.some((secret) => isInside(secret, place))
  const shown: Shown[] = [
    ...empty.map((place) => ({ path: place, as: 'empty' as const, isExposed: false })),
    ...readable
      .filter((place) => isHarmless(place) && !isWritable(place))
      .map((place) => ({ path: place, as: 'read' as const, isExposed: true })),
    ...writable.map((place) => ({ path: place, as: 'write' as const, isExposed: true })),
    ...closed
      .filter((place) => !writable.includes(place))
      .map((place) => ({ path: place, as: 'hidden' as const, isExposed: false })),
    ...writable.flatMap((folder) => guardedIn(folder, isWritable)),
    ...(isWritable(home) ? profiles.map((name) => join(home, name)).flatMap(unwritable(isWritable)) : []),
    ...(inspection ? guardedBelow(inspection, limits, isWritable) : []),
  ]
  const byPath = new Map(shown.map((place) => [place.path, place]))
  for (const place of inspection ? heldAround(inspection, [...byPath.values()]) : [])
    byPath.set(place.path, place)
  return [...byPath.values()].sort((one, two) => depthOf(one.path) - depthOf(two.path))
}

/** The folders around what rules close: with another name of one of them, no rule would fit what is in it. */
function heldAround({ closed }: Inspection, shown: readonly Shown[]): Shown[] {
  const byDepth = shown.toSorted((one, two) => depthOf(two.path) - depthOf(one.path))
  const isOpen = (folder: string) => byDepth.find(({ path }) => isInside(path, folder))?.as === 'write'
  const around = new Set<string>()
  for (const { path } of closed)
    for (let folder = dirname(path); !around.has(folder) && isOpen(folder); folder = dirname(folder))
      around.add(folder)
  const isShown = new Set(shown.map(({ path }) => path))
  return [...around]
    .filter((folder) => !isShown.has(folder))
    .map((path) => ({ path, as: 'held', isExposed: true }))
}

const closedIn = ({ hidden }: ViewSettings, { forbidden = [] }: Workspaces) =>
  [...hidden, ...forbidden].flatMap((folder) => realOf(folder) ?? [])

/** Folders and files that a command may write, as real paths, without those that lie in others. */
export const writablePlaces = (view: ViewSettings, workspaces: Workspaces): string[] =>
  writableOf(workspaces, closedIn(view, workspaces))

const depthOf = (path: string) => path.split(sep).length

const temporaryFolders = () => [...new Set(['/tmp', '/var/tmp', realOf(tmpdir()) ?? '/tmp'])]

/** Workspaces and grants, without those that lie in others. */
function writableOf(workspaces: Workspaces, closed: readonly string[]): string[] {
  const { main, session, further = [], granted } = workspaces
  const own = [main, session, ...further.map(({ folder }) => folder)].filter((folder) => folder !== undefined)
  if (own.includes(sep))
    throw new Error('With "/" as its folder a session has nothing that a sandbox could keep out.')
  const grants = granted.filter(
    (path) =>
      isAbsolute(path) &&
      path !== sep &&
      // a link would be followed to wherever it leads by now
      realOf(path) === path &&
      !closed.some((folder) => isInside(folder, path)) &&
      !own.some((folder) => isInside(folder, path)),
  )
  const all = [...new Set([...own, ...grants])]
  return all.filter(
    (path) =>
      !all.some(
        (outer) =>
          outer !== path &&
          isInside(outer, path) &&
          // it lies in a folder that is hidden within the outer one, and has to be shown again
          !closed.some((folder) => isInside(outer, folder) && isInside(folder, path)),
      ),
  )
}

/** What the operator named, the folders of the PATH, and the Node that runs Parley with what came with it. */
export function readablePlaces(named: readonly string[], path = ''): string[] {
  const node = dirname(process.execPath)
  const prefix = basename(node) === 'bin' ? dirname(node) : node
  const folders = [...named, ...path.split(':').filter((folder) => isAbsolute(folder)), prefix]
  return folders.flatMap((folder) => {
    const real = realOf(folder)
    return real === undefined || systemFolders.some((system) => isInside(system, real)) ? [] : real
  })
}

// of a home that is a workspace: what runs when its owner comes in
const profiles = (
  '.profile .login .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zshenv .zprofile .zlogin .zlogout ' +
  '.kshrc .cshrc .tcshrc .xinitrc .xprofile .xsession .inputrc .vimrc .gitconfig .ssh .gnupg ' +
  '.config/git .config/fish .config/systemd .config/autostart .config/environment.d Library/LaunchAgents'
).split(' ')

/** What becomes a program or a setting of one outside the sandbox. */
function guardedIn(folder: string, isWritable: (path: string) => boolean): Shown[] {
  const git = realOf(join(folder, '.git'))
  const guarded = ['.parley', 'parley.yaml', 'parley.yml'].map((name) => join(folder, name))
  // of a worktree or a submodule it is a file that names the folder
  const isPointer = git !== undefined && isWritable(git) && statSync(git).isFile()
  return [
    ...(git === undefined || isPointer ? [] : guardGit(git, isWritable)),
    ...[...guarded, ...(isPointer ? [git] : [])].flatMap(unwritable(isWritable)),
  ]
}

/** The folder of a repository is mounted itself, so that it cannot be moved out of the way. */
function guardGit(git: string, isWritable: (path: string) => boolean): Shown[] {
  if (!isWritable(git) || !(existsSync(join(git, 'config')) || existsSync(join(git, 'commondir')))) return []
  const hooks = join(git, 'hooks')
  // as "git init" makes it: what is not there cannot be kept from being made
  if (!lstatSync(hooks, { throwIfNoEntry: false }))
    try {
      mkdirSync(hooks)
    } catch {
      // who may not make it here cannot do it in the sandbox either
    }
  const guarded = ['config', 'config.worktree', 'commondir', 'hooks'].map((name) => join(git, name))
  return [{ path: git, as: 'write', isExposed: true }, ...guarded.flatMap(unwritable(isWritable))]
}

const unwritable =
  (isWritable: (path: string) => boolean) =>
  (path: string): Shown[] => {
    const real = realOf(path)
    return real !== undefined && isWritable(real) ? [{ path: real, as: 'read', isExposed: true }] : []
  }

/** The same for what was found further down, and what rules close. */
function guardedBelow(
  { git, namedByGit, closed, mayBeMore }: Inspection,
  { maxGuarded, maxLookedEntries }: SandboxLimits,
  isWritable: (path: string) => boolean,
): Shown[] {
  if (mayBeMore)
    throw new Error(
      `Rules deny files, and there are more than ${maxLookedEntries} files and folders here to look for them (terminal.maxLookedEntries).`,
    )
  if (closed.length > maxGuarded)
    throw new Error(
      `Rules close ${closed.length} files and folders here; at most ${maxGuarded} can be kept from a command (terminal.maxGuarded).`,
    )
  return [
    ...git.slice(0, maxGuarded).flatMap((folder) => guardGit(folder, isWritable)),
    ...namedByGit.slice(0, maxGuarded).flatMap(unwritable(isWritable)),
    ...closed.flatMap(({ path, kind, use }): Shown[] => {
      if (use === 'write') return unwritable(isWritable)(path)
      return [{ path, as: kind === 'folder' ? 'hidden' : 'masked', isExposed: false }]
    }),
  ]
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined // not there, so there is nothing to show or to hide
  }
}

import { posix, win32, type PlatformPath } from 'node:path'

/** Where a configuration is read: everything outside the files themselves that it can depend on. */
export interface Place {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  home: string
  platform: NodeJS.Platform
  path: PlatformPath
  /** The user's folders for data and configuration, after the XDG specification. */
  dataHome: string
  configHome: string
}

export function toPlace(input: Pick<Place, 'env' | 'cwd' | 'home' | 'platform'>): Place {
  const { env, home, platform } = input
  const path = platform === 'win32' ? win32 : posix
  // the specification requires to ignore a relative path
  const absolute = (text: string | undefined) => (text && path.isAbsolute(text) ? text : undefined)
  const dataHome =
    platform === 'win32'
      ? (absolute(env['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local'))
      : (absolute(env['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'))
  const configHome = absolute(env['XDG_CONFIG_HOME']) ?? path.join(home, '.config')
  return { ...input, cwd: path.resolve(input.cwd), path, dataHome, configHome }
}

/** Turns a path as people write it into an absolute one; `~/` is the home folder. */
export function pathFrom({ path, home }: Place, base: string) {
  return (text: string) =>
    /^~([/\\]|$)/.test(text) ? path.join(home, text.slice(1)) : path.resolve(base, text)
}

/** A path for a message: short when it lies under the current folder. */
export function shownPath({ path, cwd }: Place, file: string): string {
  const relative = path.relative(cwd, file)
  return relative.startsWith('..') || path.isAbsolute(relative) ? file : relative
}

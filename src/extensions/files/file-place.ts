import { isAbsolute } from 'node:path'
import { isForbidden } from '../../core/files/file-rules.ts'
import { invalidRequest, quote } from '../../core/protocol/error.ts'
import { locate, shownPath, toAbsolute, type Location, type Workspaces } from '../../core/files/workspaces.ts'
import type { ChangeRefusal } from '../../core/files/file-refusal.ts'

/** Where a call is to work; a path in no workspace is refused with a word that programs know. */
export function requirePlace(workspaces: Workspaces, path: string, asked?: string): Location {
  const location = locate(workspaces, path, asked)
  if (location) return location
  const { main, session, further = [] } = workspaces
  const names = [main && 'main', session && 'session', ...further.map(({ name }) => name)].filter(Boolean)
  throw outOfBounds(
    names.length === 0
      ? `${quote(path)} cannot be reached: this session has no workspace.`
      : `${quote(path)} is in no workspace. Use a path below one of them (${names.join(', ')}), or ask the user for access.`,
  )
}

/** The resource of a call, for permission checks. */
export function placesOf(
  workspaces: Workspaces,
  paths: readonly { path: string; asked?: string }[],
): { resources: string[]; outside?: string[] } {
  const resources = paths.map(({ path, asked }) => toAbsolute(workspaces, path, asked))
  const outside = resources.filter((resource, index) => {
    const { path, asked } = paths[index]!
    if (locate(workspaces, path, asked) !== undefined) return false
    // a grant helps neither a path that climbs out of its workspace nor what nobody may touch: these are refused later
    return isAbsolute(path) && !isForbidden(workspaces.forbidden ?? [], resource)
  })
  return { resources, ...(outside.length > 0 && { outside }) }
}

/** How a place is called in an answer; the main workspace goes without saying. */
export const namePlace = (location: Location): { path: string; workspace?: string } => ({
  path: shownPath(location),
  ...(location.workspace !== 'main' && location.workspace !== 'granted' && { workspace: location.workspace }),
})

const reasons: Record<Exclude<ChangeRefusal, 'outside'>, string> = {
  absent: 'was not found. List its folder, or look for it with "glob".',
  folder: 'is a folder, not a file.',
  denied:
    'is closed by a rule: the session may not use it, or a person has to be asked about this very file first.',
  special: 'is not a regular file; pipes, sockets and devices are left alone.',
  linked:
    'has a second name (a hard link), which may lie elsewhere; it is not read. Copy it in a terminal first.',
  unreadable: 'could not be opened: no permission, or a fault of the disk.',
  exists: 'is there already. Choose another name, or set "overwrite".',
  filled: 'is a folder that is not empty. Set "recursive" to delete all that is in it.',
  full: 'could not be written: the disk is full.',
  'other-device': 'lies on another disk and is a folder: move its files one by one.',
}

/** Returns the result; a refusal becomes an error that names the alternative. */
export function requireDone<Done extends object>(done: Done | ChangeRefusal, location: Location): Done {
  if (typeof done === 'object') return done
  const path = quote(shownPath(location))
  if (done === 'outside')
    throw outOfBounds(`${path} leads out of its workspace, or holds what nobody may touch.`)
  throw invalidRequest(`${path} ${reasons[done]}`)
}

const outOfBounds = (message: string) => invalidRequest(`OUT_OF_BOUNDS: ${message}`)

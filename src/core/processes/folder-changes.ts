/**
 * What lies in the folders of a command that matters outside of its sandbox: folders of Git, files that other programs run,
 * and what rules close. Searched before a command, so that it can be kept from it, and afterwards, so that a person learns
 * what became of the rest.
 */
import type { Dirent } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { isAboutTool, isInside, type Closed } from '../files/file-rules.ts'
import { listConfined, readConfined } from '../files/confined-file.ts'
import { isProtected } from '../tools/protected-paths.ts'
import { placeholder } from './sandbox/placeholders.ts'

export interface Inspection {
  /** Folders of repositories, bare ones and those of submodules included; those near the top first. */
  git: string[]
  /** Files that name such a folder, and what the settings of one name. */
  namedByGit: string[]
  /** What rules forbid; `mayBeMore` where some of them may not have been found. */
  mayBeMore: boolean
  closed: { path: string; kind: 'file' | 'folder'; use: 'read' | 'write' }[]
  /** The files that other programs run, with what distinguishes one state of them from another. */
  files: Map<string, { identity: string; changedAt: number }>
  startedAt: number
}

interface Folder {
  root: string
  path: string
  /** All in it is run. */
  isRun?: boolean
  /** Nothing in it is written, which is noted down already. */
  isUnwritable?: boolean
}

const entriesBetweenPauses = 200
// a pattern is quick, and many of them over many names are not
const maxRulesMs = 10_000
const maxConfigBytes = 65_536
// what was changed just before counts as well: clocks of disks are coarse
const slackMs = 50

/**
 * Looks at so many entries, those near the top first. Follows no link out of the folders. Throws when rules take so long
 * that nobody knows what they close.
 */
export async function inspectFolders(
  roots: readonly string[],
  closed: Closed,
  maxEntries: number,
): Promise<Inspection> {
  const inspection: Inspection = {
    git: [],
    namedByGit: [],
    closed: [],
    mayBeMore: false,
    files: new Map(),
    startedAt: Date.now(),
  }
  const ruleFor = await rulesOf(closed)
  const waiting: Folder[] = roots.map((root) => ({ root, path: '' }))
  let left = maxEntries
  for (let folder = waiting.shift(); folder; folder = waiting.shift()) {
    if (left <= 0) {
      inspection.mayBeMore = ruleFor !== undefined
      break
    }
    // rules are held against each name below: to be refused by them here would hide what they close
    const listed = await listConfined(folder.root, folder.path || '.', left, { forbidden: closed.forbidden })
    if (typeof listed === 'string') continue
    const { entries } = listed
    left -= entries.length
    if (listed.isCut && ruleFor) inspection.mayBeMore = true
    const isGit = isGitFolder(new Set(entries.map(({ name }) => name)))
    if (isGit) await addGitFolder(inspection, folder)
    for (const [index, entry] of entries.entries()) {
      if (index % entriesBetweenPauses === entriesBetweenPauses - 1) await pause()
      const path = join(folder.path, entry.name)
      const full = join(folder.root, path)
      const use = ruleFor?.(full, entry)
      if (use === 'read' || (use === 'write' && !folder.isUnwritable))
        inspection.closed.push({ path: full, kind: entry.isDirectory() ? 'folder' : 'file', use })
      if (use === 'read') continue
      if (entry.isDirectory()) {
        const isUnwritable = folder.isUnwritable || use === 'write'
        if (isGit ? inGit.has(entry.name) : entry.name !== 'node_modules')
          waiting.push({ root: folder.root, path, isUnwritable, isRun: isGit && entry.name === 'hooks' })
      } else {
        if (isGit ? await isRunByGit(folder, path, entry) : isWatched(folder, path, entry))
          await watch(inspection, full)
        if (entry.name === '.git') await addPointer(inspection, full, roots)
      }
    }
  }
  return inspection
}

/** Paths of what is new or another than before, as far as it was inspected. */
export const changesBetween = (before: Inspection, after: Inspection): string[] =>
  [...after.files].flatMap(([path, { identity, changedAt }]) => {
    const known = before.files.get(path)
    // of a file that was too deep to be seen before, the time shows whether it is new
    const isNew = known ? known.identity !== identity : changedAt >= before.startedAt - slackMs
    return isNew ? [path] : []
  })

const isGitFolder = (names: ReadonlySet<string>) =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')))

/** A `commondir` that stands in for one that a command could make is of no interest. */
async function isRunByGit({ root }: Folder, path: string, { name }: Dirent): Promise<boolean> {
  if (name !== 'commondir') return name === 'config' || name === 'config.worktree'
  const file = await readConfined(root, path, maxConfigBytes)
  return typeof file === 'string' || file.content.toString() !== placeholder
}

// the last two have folders of their own for submodules and worktrees
const inGit = new Set(['hooks', 'modules', 'worktrees'])

/** Names count relative to the inspected folder, wherever that is. */
const isWatched = ({ isRun }: Folder, path: string, { name }: Dirent) =>
  !name.endsWith('.sample') && (isRun || isProtected(`/${path}`))

async function watch(inspection: Inspection, path: string): Promise<void> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined)
  if (!stats) return // gone meanwhile
  const { ino, size, mode, mtimeNs, ctimeNs } = stats
  inspection.files.set(path, {
    identity: [ino, size, mode, mtimeNs, ctimeNs].join(),
    changedAt: Number(ctimeNs / 1_000_000n),
  })
}

async function addGitFolder(inspection: Inspection, { root, path }: Folder): Promise<void> {
  const git = join(root, path)
  inspection.git.push(git)
  const config = await readConfined(root, join(path, 'config'), maxConfigBytes)
  if (typeof config === 'string') return
  for (const named of pathsIn(config.content.toString('utf8'), git))
    // one around the repository itself would close all of it
    if (isInside(root, named) && !isInside(named, git)) inspection.namedByGit.push(named)
}

/** Hooks can be configured to be elsewhere, and settings to continue in another file. */
function pathsIn(config: string, git: string): string[] {
  const valuesOf = (key: string) =>
    [...config.matchAll(new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*"?([^"\\n]+)`, 'gim'))].map(([, value]) =>
      value!.trim(),
    )
  const toPath = (from: string) => (value: string) =>
    value.startsWith('~/') ? join(homedir(), value.slice(2)) : resolve(from, value)
  return [...valuesOf('hooksPath').map(toPath(dirname(git))), ...valuesOf('path').map(toPath(git))]
}

/** Of a worktree or a submodule it is a file that names the folder; a link may lead to one as well. */
async function addPointer(inspection: Inspection, path: string, roots: readonly string[]): Promise<void> {
  const real = await realpath(path).catch(() => undefined)
  if (real === path) inspection.namedByGit.push(path)
  else if (real !== undefined && roots.some((root) => isInside(root, real))) inspection.git.push(real)
}

type RuleFor = (path: string, entry: Dirent) => 'read' | 'write' | undefined

/** What rules forbid of a file or folder, if anything. A link is no file: where it leads counts for itself. */
async function rulesOf({ readFileRules }: Closed): Promise<RuleFor | undefined> {
  const rules = await readFileRules?.()
  if (!rules || rules.mayDeny === false) return undefined
  const uses = (['read', 'write'] as const).filter((use) => !isAboutTool(rules, use))
  if (uses.length === 0) return undefined
  let spentMs = 0
  return (path, entry) => {
    if (!entry.isFile() && !entry.isDirectory()) return undefined
    const begin = performance.now()
    const forbidden = uses.find((use) => rules(path, use) === 'deny')
    spentMs += performance.now() - begin
    if (spentMs > maxRulesMs)
      throw new Error('The rules about files take too long to be held against all that a command would see.')
    return forbidden
  }
}

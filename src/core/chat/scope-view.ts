import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { toCaption } from '../context/cut-to-tokens.ts'
import { forbiddenBelow, type FileRules } from '../files/file-rules.ts'
import { walkFiles } from '../files/walk-files.ts'
import type { Session } from '../protocol/session.ts'
import type { TurnStart } from '../store/queries/turn-start.ts'

/** What a session may be shown of its scope without asking for it. */
export interface Sight {
  /** That a tool would answer such a call without a question. */
  maySee(call: { group: string; tool: string; action: string; resource: string }): boolean
  /** Undefined where it may not read files at all. */
  files?: FileRules
}

/** By the real path of the folder of the scope, where it has one. */
export type ReadSight = (session: Session, root: string | undefined) => Promise<Sight>

/** A scope as it is stored. */
export interface ScopeView {
  root?: string
  /** What extensions have in it: the lines about it in a prompt. Undefined when there is nothing. */
  describe?(sight: Sight): string[]
}

/** With what is known of the scope from the start of the turn: where that says there is nothing, nothing is read. */
export type ReadScopeView = (scope: string, start: TurnStart) => Promise<ScopeView>

const maxShownFiles = 40
const maxEntries = 1_000

/**
 * A short view of a scope for a prompt: the names of what extensions have in it, and of its files. It changes when they do
 * and not otherwise: no times, and an order by name. Undefined where there is nothing to be seen.
 */
export async function describeScope(
  { root, describe }: ScopeView,
  session: Session,
  {
    maxChars,
    forbidden,
    readSight,
  }: { maxChars: number; forbidden?: readonly string[]; readSight: ReadSight },
): Promise<string | undefined> {
  // most scopes of a program have nothing, and then nothing else is asked
  if (root === undefined && !describe) return undefined
  const real = root === undefined ? undefined : await realpath(root).catch(() => undefined)
  const sight = await readSight(session, real)
  const files = real === undefined || !sight.files ? [] : await listFiles(real, sight.files, forbidden)
  return fit([...(describe?.(sight) ?? []), ...fileLines(files)], maxChars)
}

function fileLines(names: string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > maxShownFiles ? ', and more' : ''
  return [`Files: ${names.slice(0, maxShownFiles).join(', ')}${more}`]
}

/**
 * Names in the folder itself, without hidden ones, those that ignore files name, links, and what a rule closes. Bounded by
 * their number and not by time: a busy machine must not change a prompt.
 */
async function listFiles(
  root: string,
  rules: FileRules,
  forbidden: readonly string[] | undefined,
): Promise<string[]> {
  const { paths } = await walkFiles(root, {
    depth: 1,
    maxEntries,
    forbidden: forbiddenBelow(root, forbidden),
    readFileRules: async () => rules,
  })
  return paths
    .filter(({ path }) => !path.startsWith('.') && rules(join(root, path), 'read') === undefined)
    .map(({ path, kind }) => toCaption(path) + (kind === 'folder' ? '/' : ''))
}

/** Whole lines only, and a word that some are missing. */
function fit(lines: string[], maxChars: number): string | undefined {
  const notice = '[Cut: there is more.]'
  if (lines.join('\n').length <= maxChars) return lines.join('\n') || undefined
  const kept: string[] = []
  let left = maxChars - notice.length
  for (const line of lines) {
    left -= line.length + 1
    if (left < 0) break
    kept.push(line)
  }
  return kept.length === 0 ? undefined : [...kept, notice].join('\n')
}

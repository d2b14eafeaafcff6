import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { toCaption } from '../context/text.ts'
import { forbiddenBelow, type FileRules } from '../files/bounds.ts'
import { walkFiles } from '../files/walk-files.ts'
import type { Session } from '../protocol/session.ts'
import { cut } from '../shared/cut.ts'
import type { ScopeView, ScopeViewLimits } from '../store/queries/scope-view.ts'

/** What a session may be shown of its scope without asking for it. */
export interface Sight {
  document(id: string): boolean
  todoList(id: string): boolean
  /** Undefined where it may not look at files at all. */
  files?: FileRules
}

/** By the real path of the folder of the scope, where it has one. */
export type ReadSight = (session: Session, root: string | undefined) => Promise<Sight>

const shown = { documents: 10, lists: 5, items: 8, files: 40 }
/** One more of each tells whether something is left out. */
export const viewLimits: ScopeViewLimits = {
  documents: shown.documents + 1,
  lists: shown.lists + 1,
  items: shown.items,
}
const maxTitle = 80
const maxEntries = 1_000
// a folder that takes longer is on a slow disk
const maxListMs = 500

/**
 * A short view of a scope for a prompt: the names of its documents, todo lists and files. It changes when they do and not
 * otherwise: no times, and an order by name. Undefined where there is nothing to be seen.
 */
export async function describeScope(
  view: ScopeView,
  session: Session,
  {
    maxChars,
    forbidden,
    readSight,
  }: { maxChars: number; forbidden?: readonly string[]; readSight: ReadSight },
): Promise<string | undefined> {
  const { root, documents, lists } = view
  // most scopes of a program have nothing, and then nothing else is asked
  if (root === undefined && documents.length === 0 && lists.length === 0) return undefined
  const real = root === undefined ? undefined : await realpath(root).catch(() => undefined)
  const sight = await readSight(session, real)
  const files = real === undefined || !sight.files ? [] : await listFiles(real, sight.files, forbidden)
  return fit([documentLines(view, sight), listLines(view, sight), fileLines(files)].flat(), maxChars)
}

function documentLines({ documents }: ScopeView, sight: Sight): string[] {
  const seen = documents.filter(({ id }) => sight.document(id))
  const lines = byName(seen.slice(0, shown.documents)).map(
    ({ id, title, folder }) => `- ${quoted(title)}${folder && ` in ${oneLine(folder)}/`}, ${id}`,
  )
  return section('Documents', lines, seen.length > lines.length && 'the tool "document" lists more')
}

function listLines({ lists, items }: ScopeView, sight: Sight): string[] {
  const seen = lists.filter(({ id }) => sight.todoList(id))
  const kept = byName(seen.slice(0, shown.lists))
  const lines = kept.flatMap(({ id, title, open, done }) => {
    const own = items.filter(({ listId }) => listId === id)
    return [
      `- ${quoted(title)}, ${id}: ${open} open, ${done} done`,
      ...own.map((item) => `  - ${oneLine(item.title)}${item.status === 'doing' ? ' (doing)' : ''}`),
    ]
  })
  return section('Todo lists', lines, seen.length > kept.length && 'the tool "todo" lists more')
}

function fileLines(names: string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > shown.files ? ', and more' : ''
  return [`Files: ${names.slice(0, shown.files).join(', ')}${more}`]
}

/** Names in the folder itself, without hidden ones, those that ignore files name, links, and what a rule closes. */
async function listFiles(
  root: string,
  rules: FileRules,
  forbidden: readonly string[] | undefined,
): Promise<string[]> {
  const { paths } = await walkFiles(root, {
    depth: 1,
    maxEntries,
    maxMs: maxListMs,
    forbidden: forbiddenBelow(root, forbidden),
    readFileRules: async () => rules,
  })
  return paths
    .filter(({ path }) => !path.startsWith('.') && rules(join(root, path), 'read') === undefined)
    .map(({ path, kind }) => toCaption(path) + (kind === 'folder' ? '/' : ''))
}

const section = (name: string, lines: string[], more: string | false): string[] =>
  lines.length === 0 ? [] : [`${name}${more ? ` (the newest; ${more})` : ''}:`, ...lines]

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

const byName = <Named extends { id: string; title: string }>(all: Named[]): Named[] =>
  all.toSorted((one, two) => compare(one.title, two.title) || compare(one.id, two.id))

const compare = (one: string, two: string) => (one < two ? -1 : one > two ? 1 : 0)

const oneLine = (text: string) => cut(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxTitle)
const quoted = (title: string) => `"${oneLine(title)}"`

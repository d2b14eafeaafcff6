import type { ReadScopeView, Sight } from '../../core/chat/scope-view.ts'
import { cut } from '../../core/shared/text.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { ScopeContents } from './store/scope-contents.ts'

const shown = { documents: 10, lists: 5, items: 8 }
// one more of each shows whether something is left out
const limits = { documents: shown.documents + 1, lists: shown.lists + 1, items: shown.items }
const maxTitle = 80

/** The documents and todo lists of a scope, as prompts show them. */
export const createScopeViewReader =
  (store: Pick<StoreOperations, 'readScopeContents'>): ReadScopeView =>
  async (scope, { root, inScope }) => {
    if (!inScope.includes('documents')) return { root }
    const found = await store.readScopeContents(scope, limits)
    const { documents, lists } = found
    if (documents.length === 0 && lists.length === 0) return { root }
    return { root, describe: (sight) => [...documentLines(found, sight), ...listLines(found, sight)] }
  }

function documentLines({ documents }: ScopeContents, sight: Sight): string[] {
  const maySee = (action: string, resource: string) =>
    sight.maySee({ group: 'document', tool: 'document', action, resource: `document:${resource}` })
  const seen = maySee('list', '*') ? documents.filter(({ id }) => maySee('read', id)) : []
  const lines = byName(seen.slice(0, shown.documents)).map(
    ({ id, title, folder }) => `- ${quoted(title)}${folder && ` in ${oneLine(folder)}/`}, ${id}`,
  )
  return section('Documents', lines, seen.length > lines.length && 'the tool "document" lists more')
}

function listLines({ lists, items }: ScopeContents, sight: Sight): string[] {
  const maySee = (resource: string) =>
    sight.maySee({ group: 'todo', tool: 'todo', action: 'list', resource: `todo_list:${resource}` })
  const seen = maySee('*') ? lists.filter(({ id }) => maySee(id)) : []
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

const section = (name: string, lines: string[], more: string | false): string[] =>
  lines.length === 0 ? [] : [`${name}${more ? ` (the newest; ${more})` : ''}:`, ...lines]

const byName = <Named extends { id: string; title: string }>(all: Named[]): Named[] =>
  all.toSorted((one, two) => compare(one.title, two.title) || compare(one.id, two.id))

const compare = (one: string, two: string) => (one < two ? -1 : one > two ? 1 : 0)

const oneLine = (text: string) => cut(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), maxTitle)
const quoted = (title: string) => `"${oneLine(title)}"`

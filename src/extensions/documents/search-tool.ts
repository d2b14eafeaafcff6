import { z } from 'zod'
import { searchScope } from '../../core/sessions/search.ts'
import { unsearchedNote, type Unsearched } from '../../core/protocol/search.ts'
import { excerptAround } from '../../core/shared/text.ts'
import type { Store } from '../../core/store/store.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'
import { callerOf } from './tool-call.ts'

const types = ['message', 'document', 'todo_list'] as const
const maxHits = 50
const snippet = { length: 240, leadIn: 60 }

interface Hit {
  type: (typeof types)[number]
  id: string
  title: string
  text: string
}

/** Lets a model search everything in its scope. */
export function createSearchTool(store: Store): Tool {
  return defineTool({
    name: 'search',
    group: 'search',
    offered: 'whole',
    description:
      'Finds messages of all sessions, documents and todo lists of this workspace that have all the words of a query. ' +
      '"limit" is per type, default 10.',
    input: z.strictObject({
      query: z.string().min(1).max(200),
      types: z.array(z.enum(types)).min(1).max(types.length).optional(),
      limit: z.int().min(1).max(maxHits).optional(),
    }),
    isIdempotent: true,
    access: (): Access => ({ action: 'search', effect: 'read', resources: ['search:*'] }),
    async execute({ query, types: wanted = types, limit = 10 }, context) {
      const found = await Promise.all(
        [...new Set(wanted)].map((type) => finders[type](store, context, query, limit)),
      )
      const note = found.flatMap(({ indexing }) => unsearchedNote({ indexing }) ?? []).join(' ')
      return { items: found.flatMap(({ items }) => items), ...(note !== '' && { note }) }
    },
  })
}

interface Found extends Unsearched {
  items: Hit[]
}

type Find = (store: Store, context: ToolContext, text: string, limit: number) => Promise<Found>

const finders: Record<Hit['type'], Find> = {
  async message(store, context, q, limit) {
    const caller = { ...callerOf(context), seesAllScopes: false }
    const found = await searchScope(store, { pageSize: maxHits }, caller, { q, limit })
    const items = found.items.map(({ sessionId, seq, title, snippet: text }): Hit => ({
      type: 'message',
      id: `${sessionId}/${seq}`,
      title,
      text,
    }))
    return { items, indexing: found.indexing }
  },

  async document(store, { scope }, text, limit) {
    const found = await store.searchDocuments(scope, { text, limit })
    const items = found.map(({ id, title, content }): Hit => ({
      type: 'document',
      id,
      title,
      text: excerpt(content, text),
    }))
    return { items }
  },

  async todo_list(store, { scope }, text, limit) {
    const found = await store.searchTodoLists(scope, { text, limit })
    const toText = (items: (typeof found)[number]['items']) =>
      items.map((item) => `[${item.status}] ${item.title} ${item.description}`).join('\n')
    const items = found.map((list): Hit => ({
      type: 'todo_list',
      id: list.id,
      title: list.title,
      text: excerpt(toText(list.items), text),
    }))
    return { items }
  },
}

function excerpt(text: string, query: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const { from, piece } = excerptAround(line, query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [], snippet)
  return `${from > 0 ? '…' : ''}${piece}${from + piece.length < line.length ? '…' : ''}`
}

import { z } from 'zod'
import { titleSchema } from './protocol/document.ts'
import { invalidRequest } from '../../core/protocol/error.ts'
import { descriptionSchema, maxTodoItems, todoStatuses, type TodoList } from './protocol/todo.ts'
import type { Store } from '../../core/store/store.ts'
import { defineTool, type Access, type Tool, type ToolContext } from '../../core/tools/tool.ts'
import { keepTodoList } from './undo-changes.ts'
import { callerOf, folderInput, idInput, idOfCall, oncePerCall, required } from './tool-call.ts'
import {
  addTodoItems,
  createTodoList,
  deleteTodoItem,
  deleteTodoList,
  getTodoList,
  listTodoLists,
  updateTodoItem,
} from './todos.ts'

const actions = ['list', 'create_list', 'delete_list', 'add_items', 'update_item', 'delete_item'] as const
const maxListed = 100
const pages = { pageSize: maxListed }

const inputSchema = z.strictObject({
  action: z.enum(actions),
  list_id: idInput.optional(),
  list_title: titleSchema.optional(),
  folder: folderInput.optional(),
  item_titles: z.array(titleSchema).min(1).max(maxTodoItems).optional(),
  item_id: idInput.optional(),
  title: titleSchema.optional(),
  description: descriptionSchema.optional(),
  status: z.enum(todoStatuses).optional(),
  position: z.int().nonnegative().max(maxTodoItems).optional(),
  cursor: z.string().max(500).optional(),
})
type Input = z.infer<typeof inputSchema>

/** Lets a model keep the todo lists of its scope. */
export function createTodoTool(store: Store): Tool {
  return defineTool({
    name: 'todo',
    group: 'todo',
    offered: 'whole',
    description:
      'Todo lists of this workspace. "list" shows them, or with list_id the items of one; "create_list" takes list_title, folder, ' +
      'item_titles; "add_items" list_id, item_titles; "update_item" list_id, item_id and what changes: title, description, status, ' +
      'position (from 0); "delete_item" list_id, item_id; "delete_list" list_id.',
    input: inputSchema,
    // a call that is made again after a crash finds what the first one did
    isIdempotent: true,
    access: ({ action, list_id }): Access => ({
      action,
      effect: action === 'list' ? 'read' : 'write',
      resources: [`todo_list:${list_id ?? (action === 'list' ? '*' : 'new')}`],
    }),
    async execute(input, context) {
      const caller = callerOf(context)
      if (input.action !== 'list') return write(store, input, context)
      if (input.list_id !== undefined) return summarise(await getTodoList(store, caller, input.list_id))
      return listTodoLists(store, pages, caller, { limit: maxListed, cursor: input.cursor })
    },
  })
}

async function write(store: Store, input: Input, context: ToolContext): Promise<unknown> {
  const caller = callerOf(context)
  const items = (input.item_titles ?? []).map((title) => ({ title }))
  if (input.action === 'create_list') {
    const id = idOfCall('tdl', context)
    const created = { title: required(input, 'list_title'), folder: input.folder, items }
    return oncePerCall(store, context, async (tx) => {
      await keepTodoList(tx, context, id)
      return summarise(await createTodoList(tx, caller, created, id))
    })
  }
  const id = required(input, 'list_id')
  requireFields(input)
  return oncePerCall(store, context, async (tx) => {
    await keepTodoList(tx, context, id)
    switch (input.action) {
      case 'add_items':
        return summarise(await addTodoItems(tx, caller, id, items))
      case 'update_item':
        return summarise(await updateTodoItem(tx, caller, id, required(input, 'item_id'), input))
      case 'delete_item':
        return summarise(await deleteTodoItem(tx, caller, id, required(input, 'item_id')))
      default:
        await deleteTodoList(tx, caller, id)
        return { id, deleted: true }
    }
  })
}

function requireFields(input: Input): void {
  const { action, title, description, status, position } = input
  if (action === 'add_items') required(input, 'item_titles')
  if (action === 'update_item' || action === 'delete_item') required(input, 'item_id')
  if (
    action === 'update_item' &&
    [title, description, status, position].every((field) => field === undefined)
  )
    throw invalidRequest('"update_item" needs "title", "description", "status" or "position".')
}

const summarise = ({ id, title, folder, counts, items }: TodoList) => ({
  id,
  title,
  folder,
  counts,
  items: items.map((item) => ({
    id: item.id,
    title: item.title,
    status: item.status,
    ...(item.description !== '' && { description: item.description }),
  })),
})

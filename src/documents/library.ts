import { lockedTypes, lockListQuerySchema, type Locks } from '../protocol/lock.ts'
import {
  addTodoItemsSchema,
  createTodoListSchema,
  todoListQuerySchema,
  updateTodoItemSchema,
  updateTodoListSchema,
  type Todos,
} from '../protocol/todo.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { z } from 'zod'
import { forceRelease, listLocks } from './locks.ts'
import {
  addTodoItems,
  createTodoList,
  deleteTodoItem,
  deleteTodoList,
  getTodoList,
  listTodoLists,
  updateTodoItem,
  updateTodoList,
} from './todos.ts'

/** The same for todo lists. */
export function createTodos(store: Store, pages: PageLimits): Todos {
  return {
    create: async (input) => {
      const { scope, ...fields } = check(createTodoListSchema, input)
      return createTodoList(store, callerIn({ scope }), fields)
    },
    get: async (id, options) => getTodoList(store, callerIn(options), id),
    list: async (query = {}) =>
      listTodoLists(store, pages, callerIn(query), check(todoListQuerySchema, query)),
    update: async (id, patch) =>
      updateTodoList(store, callerIn(patch), id, check(updateTodoListSchema, patch)),
    delete: async (id, options) => deleteTodoList(store, callerIn(options), id),
    addItems: async (id, input) =>
      addTodoItems(store, callerIn(input), id, check(addTodoItemsSchema, input).items),
    updateItem: async (id, itemId, patch) =>
      updateTodoItem(store, callerIn(patch), id, itemId, check(updateTodoItemSchema, patch)),
    deleteItem: async (id, itemId, options) => deleteTodoItem(store, callerIn(options), id, itemId),
  }
}

/** The same for locks. */
export function createLocks(store: Store): Locks {
  return {
    list: async (query = {}) => listLocks(store, callerIn(query), check(lockListQuerySchema, query)),
    release: async (type, id, options) =>
      forceRelease(store, callerIn(options), { type: check(z.enum(lockedTypes), type), id }),
  }
}

import {
  createDocumentSchema,
  diffQuerySchema,
  documentListQuerySchema,
  documentQuerySchema,
  restoreDocumentSchema,
  updateDocumentSchema,
  versionListQuerySchema,
  type Documents,
} from '../protocol/document.ts'
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
import type { DocumentLimits } from './caller.ts'
import {
  createDocument,
  deleteDocument,
  diffVersions,
  getDocument,
  listDocuments,
  listVersions,
  restoreVersion,
  updateDocument,
} from './documents.ts'
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

/** The documents of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createDocuments(store: Store, limits: DocumentLimits, pages: PageLimits): Documents {
  return {
    create: async (input) => {
      const { scope, ...fields } = check(createDocumentSchema, input)
      return createDocument(limits, store, callerIn({ scope }), fields)
    },
    get: async (id, query = {}) =>
      getDocument(store, callerIn(query), id, check(documentQuerySchema, query).version),
    list: async (query = {}) =>
      listDocuments(store, pages, callerIn(query), check(documentListQuerySchema, query)),
    update: async (id, patch) =>
      updateDocument(limits, store, callerIn(patch), id, check(updateDocumentSchema, patch)),
    delete: async (id, options) => deleteDocument(store, callerIn(options), id),
    versions: async (id, query = {}) =>
      listVersions(store, pages, callerIn(query), id, check(versionListQuerySchema, query)),
    diff: async (id, query = {}) => diffVersions(store, callerIn(query), id, check(diffQuerySchema, query)),
    restore: async (id, input) =>
      restoreVersion(limits, store, callerIn(input), id, check(restoreDocumentSchema, input)),
  }
}

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

import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
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
import {
  addTodoItemsSchema,
  createTodoListSchema,
  todoListQuerySchema,
  todoListSchema,
  todoPageSchema,
  updateTodoItemSchema,
  updateTodoListSchema,
} from './protocol/todo.ts'

const todos = operationsOf<unknown>('todos')

export const todoOperations = {
  create: todos.write('POST', '/api/todos', {
    summary: 'Create a todo list',
    input: createTodoListSchema,
    output: todoListSchema,
    status: 201,
    returns: 'The list',
    run: ({ tx, caller }, _, input) => createTodoList(tx, caller, input),
  }),
  /** What was changed last comes first; without the items. */
  list: todos.read('/api/todos', {
    summary: 'List todo lists without their items, last changed first',
    input: todoListQuerySchema,
    output: todoPageSchema,
    returns: 'A page of lists',
    run: ({ tx, pages, caller }, _, page) => listTodoLists(tx, pages, caller, page),
  }),
  get: todos.read('/api/todos/{id}', {
    summary: 'Get a todo list with its items',
    output: todoListSchema,
    returns: 'The list',
    run: ({ tx, caller }, { id }) => getTodoList(tx, caller, id),
  }),
  update: todos.write('PATCH', '/api/todos/{id}', {
    summary: 'Rename or move a todo list',
    input: updateTodoListSchema,
    output: todoListSchema,
    returns: 'The list as it is now',
    run: ({ tx, caller }, { id }, patch) => updateTodoList(tx, caller, id, patch),
  }),
  delete: todos.remove('/api/todos/{id}', {
    summary: 'Delete a todo list with its items',
    returns: 'It is deleted',
    run: ({ tx, caller }, { id }) => deleteTodoList(tx, caller, id),
  }),
  /** At the end of the list. */
  addItems: todos.write('POST', '/api/todos/{id}/items', {
    summary: 'Add items at the end of a list',
    input: addTodoItemsSchema,
    output: todoListSchema,
    returns: 'The list as it is now',
    run: ({ tx, caller }, { id }, { items }) => addTodoItems(tx, caller, id, items),
  }),
  updateItem: todos.write('PATCH', '/api/todos/{id}/items/{itemId}', {
    summary: 'Change or move an item',
    input: updateTodoItemSchema,
    output: todoListSchema,
    returns: 'The list as it is now',
    run: ({ tx, caller }, { id, itemId }, patch) => updateTodoItem(tx, caller, id, itemId, patch),
  }),
  deleteItem: todos.write('DELETE', '/api/todos/{id}/items/{itemId}', {
    summary: 'Delete an item',
    output: todoListSchema,
    returns: 'The list as it is now',
    run: ({ tx, caller }, { id, itemId }) => deleteTodoItem(tx, caller, id, itemId),
  }),
}

/** What one can do with todo lists: the same calls in the process and over HTTP. A change answers with the whole list. */
export type Todos = Calls<typeof todoOperations>

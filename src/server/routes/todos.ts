import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import {
  addTodoItems,
  createTodoList,
  deleteTodoItem,
  deleteTodoList,
  getTodoList,
  listTodoLists,
  updateTodoItem,
  updateTodoList,
} from '../../documents/todos.ts'
import { idSchema, scopeSchema } from '../../protocol/names.ts'
import {
  addTodoItemsSchema,
  createTodoListSchema,
  todoListQuerySchema,
  todoListSchema,
  todoPageSchema,
  updateTodoItemSchema,
  updateTodoListSchema,
} from '../../protocol/todo.ts'
import { callerIn } from '../auth.ts'
import { requireBody } from '../body.ts'
import type { AppEnv, ServerDeps } from '../environment.ts'
import { once } from '../idempotency.ts'
import { conflicts, json, jsonBody, refusals } from './responses.ts'

const tags = ['todos']
const params = z.object({ id: idSchema })
const itemParams = z.object({ id: idSchema, itemId: idSchema })
const query = z.strictObject({ scope: scopeSchema.optional() })
const changed = { 200: json(todoListSchema, 'The list as it is now'), ...conflicts }

const create = createRoute({
  method: 'post',
  path: '/api/todos',
  summary: 'Create a todo list',
  tags,
  request: { query, body: jsonBody(createTodoListSchema) },
  middleware: requireBody,
  responses: { 201: json(todoListSchema, 'The list'), ...conflicts },
})

const list = createRoute({
  method: 'get',
  path: '/api/todos',
  summary: 'Todo lists without their items, what was changed last first',
  tags,
  request: { query: todoListQuerySchema },
  responses: { 200: json(todoPageSchema, 'A page of lists'), ...refusals },
})

const get = createRoute({
  method: 'get',
  path: '/api/todos/{id}',
  summary: 'A todo list with its items',
  tags,
  request: { params, query },
  responses: { 200: json(todoListSchema, 'The list'), ...refusals },
})

const update = createRoute({
  method: 'patch',
  path: '/api/todos/{id}',
  summary: 'Rename or move a todo list',
  tags,
  request: { params, query, body: jsonBody(updateTodoListSchema) },
  middleware: requireBody,
  responses: changed,
})

const remove = createRoute({
  method: 'delete',
  path: '/api/todos/{id}',
  summary: 'Delete a todo list with its items',
  tags,
  request: { params, query },
  responses: { 204: { description: 'It is deleted' }, ...conflicts },
})

const addItems = createRoute({
  method: 'post',
  path: '/api/todos/{id}/items',
  summary: 'Add items at the end of a list',
  tags,
  request: { params, query, body: jsonBody(addTodoItemsSchema) },
  middleware: requireBody,
  responses: changed,
})

const updateItem = createRoute({
  method: 'patch',
  path: '/api/todos/{id}/items/{itemId}',
  summary: 'Change or move an item',
  tags,
  request: { params: itemParams, query, body: jsonBody(updateTodoItemSchema) },
  middleware: requireBody,
  responses: changed,
})

const removeItem = createRoute({
  method: 'delete',
  path: '/api/todos/{id}/items/{itemId}',
  summary: 'Delete an item',
  tags,
  request: { params: itemParams, query },
  responses: changed,
})

export function todoRoutes(app: OpenAPIHono<AppEnv>, { store, limits }: ServerDeps): void {
  app.openapi(create, async (c) => {
    const { scope, ...input } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    return c.json(await once(c, store, caller, (tx) => createTodoList(tx, caller, input)), 201)
  })

  app.openapi(list, async (c) => {
    const page = c.req.valid('query')
    return c.json(await listTodoLists(store, limits, callerIn(c, page.scope), page), 200)
  })

  app.openapi(get, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    return c.json(await getTodoList(store, caller, c.req.valid('param').id), 200)
  })

  app.openapi(update, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateTodoList(tx, caller, id, patch)), 200)
  })

  app.openapi(remove, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    await once(c, store, caller, (tx) => deleteTodoList(tx, caller, id))
    return c.body(null, 204)
  })

  app.openapi(addItems, async (c) => {
    const { scope, items } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => addTodoItems(tx, caller, id, items)), 200)
  })

  app.openapi(updateItem, async (c) => {
    const { scope, ...patch } = c.req.valid('json')
    const caller = callerIn(c, scope ?? c.req.valid('query').scope)
    const { id, itemId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => updateTodoItem(tx, caller, id, itemId, patch)), 200)
  })

  app.openapi(removeItem, async (c) => {
    const caller = callerIn(c, c.req.valid('query').scope)
    const { id, itemId } = c.req.valid('param')
    return c.json(await once(c, store, caller, (tx) => deleteTodoItem(tx, caller, id, itemId)), 200)
  })
}

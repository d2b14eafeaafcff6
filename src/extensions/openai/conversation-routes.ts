import { z } from 'zod'
import { takesLarge } from '../../core/http/body-class.ts'
import { optionalBody, requireBody } from '../../core/http/body.ts'
import { defineRoute, type RouteHost } from '../../core/http/contributions.ts'
import { once } from '../../core/http/idempotency.ts'
import { json, jsonBody, optionalJsonBody } from '../../core/http/responses.ts'
import { idSchema, inScopeSchema } from '../../core/protocol/names.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import { deleteSession } from '../../core/sessions/delete.ts'
import {
  addItems,
  addItemsSchema,
  conversationSchema,
  createConversation,
  createConversationSchema,
  listItems,
  requireItem,
  toConversation,
  updateConversation,
  updateConversationSchema,
} from './conversations.ts'
import { openAiErrorSchema } from './error.ts'
import { itemListSchema, itemPageFields, logItemSchema, toItemList } from './item-page.ts'
import { refuseMisfit } from './request.ts'
import { readConversationId } from './response-ids.ts'
import { scopeHeader, type OpenAiDeps } from './serve-turn.ts'

const tags = ['openai']
const problem = (description: string) => json(openAiErrorSchema, description)
const refusals = {
  400: problem('The request is not valid'),
  401: problem('The API key is missing or wrong'),
  403: problem('The key or the origin has no access'),
  404: problem('There is no such conversation or item in the scope'),
  409: problem('Conflicts with what is stored'),
  422: problem('The Idempotency-Key was used for something else'),
}
const request = { query: inScopeSchema, headers: scopeHeader }
const params = z.object({ id: idSchema })
const path = '/v1/conversations/{id}'
const itemsPath = '/v1/conversations/{id}/items'

const create = defineRoute({
  method: 'post',
  path: '/v1/conversations',
  ...takesLarge,
  summary: 'Create a conversation as with OpenAI: a session apart from those of people',
  tags,
  request: { ...request, body: optionalJsonBody(createConversationSchema) },
  middleware: optionalBody,
  responses: { 200: json(conversationSchema, 'The conversation'), ...refusals },
})
const retrieve = defineRoute({
  method: 'get',
  path,
  summary: 'Get a session as a conversation',
  tags,
  request: { ...request, params },
  responses: { 200: json(conversationSchema, 'The conversation'), ...refusals },
})
const update = defineRoute({
  method: 'post',
  path,
  summary: 'Replace the metadata of a conversation; its "title" becomes that of the session',
  tags,
  request: { ...request, params, body: jsonBody(updateConversationSchema) },
  middleware: requireBody,
  responses: { 200: json(conversationSchema, 'The conversation as it is now'), ...refusals },
})
const deletedSchema = z
  .object({ id: z.string(), object: z.literal('conversation.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedConversation' })
const remove = defineRoute({
  method: 'delete',
  path,
  summary: 'Delete a conversation with its session',
  tags,
  request: { ...request, params },
  responses: { 200: json(deletedSchema, 'Deleted'), ...refusals },
})
const list = defineRoute({
  method: 'get',
  path: itemsPath,
  summary: 'List the items of a conversation',
  tags,
  request: { ...request, query: inScopeSchema.extend(itemPageFields), params },
  responses: { 200: json(itemListSchema, 'A page of items'), ...refusals },
})
const add = defineRoute({
  method: 'post',
  path: itemsPath,
  ...takesLarge,
  summary: 'Add items to a conversation, without a turn',
  tags,
  request: { ...request, params, body: jsonBody(addItemsSchema) },
  middleware: requireBody,
  responses: { 200: json(itemListSchema, 'What was added'), ...refusals },
})
const retrieveItem = defineRoute({
  method: 'get',
  path: '/v1/conversations/{id}/items/{item}',
  summary: 'Get an item of a conversation',
  tags,
  request: {
    ...request,
    params: params.extend({ item: z.string().regex(/^[\x20-\x7e]{1,300}$/, 'must be printable ASCII') }),
  },
  responses: { 200: json(logItemSchema, 'The item'), ...refusals },
})

const options = { scopeIn: 'header', refuse: refuseMisfit } as const

/** OpenAI's conversations, which are sessions. */
export function addConversationRoutes(host: RouteHost, { store, background }: OpenAiDeps): void {
  const require = async ({ scope }: Caller, id: string) => {
    const sessionId = readConversationId(id)
    await host.sealed.refuse({ sessionId })
    return store.requireSession(scope, sessionId)
  }

  host.add(
    create,
    async (c, caller) => {
      const session = await once(c, store, caller, (tx) =>
        createConversation(tx, caller, c.req.valid('json')),
      )
      return c.json(toConversation(session), 200)
    },
    options,
  )
  host.add(
    retrieve,
    async (c, caller) => c.json(toConversation(await require(caller, c.req.valid('param').id)), 200),
    options,
  )
  host.add(
    update,
    async (c, caller) => {
      const { id } = await require(caller, c.req.valid('param').id)
      const { metadata } = c.req.valid('json')
      const session = await once(c, store, caller, (tx) => updateConversation(tx, caller, id, metadata))
      return c.json(toConversation(session), 200)
    },
    options,
  )
  host.add(
    remove,
    async (c, caller) => {
      const { id } = c.req.valid('param')
      const sessionId = readConversationId(id)
      await host.sealed.refuse({ sessionId })
      await once(c, store, caller, (tx) => deleteSession(tx, background, caller, sessionId))
      return c.json({ id, object: 'conversation.deleted' as const, deleted: true as const }, 200)
    },
    options,
  )
  host.add(
    list,
    async (c, caller) => {
      const { id } = await require(caller, c.req.valid('param').id)
      return c.json(await listItems(store, caller, id, c.req.valid('query')), 200)
    },
    options,
  )
  host.add(
    add,
    async (c, caller) => {
      const { id } = await require(caller, c.req.valid('param').id)
      const { items } = c.req.valid('json')
      return c.json(toItemList(await once(c, store, caller, (tx) => addItems(tx, caller, id, items))), 200)
    },
    options,
  )
  host.add(
    retrieveItem,
    async (c, caller) => {
      const { id, item } = c.req.valid('param')
      return c.json(await requireItem(store, caller, (await require(caller, id)).id, item), 200)
    },
    options,
  )
}

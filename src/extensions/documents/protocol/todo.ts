import { z } from 'zod'
import { folderSchema, titleSchema } from './document.ts'
import {
  idSchema,
  listOf,
  scopeSchema,
  timestampSchema,
  pageQuerySchema,
} from '../../../core/protocol/names.ts'

export const todoStatuses = ['todo', 'doing', 'done'] as const
export const maxTodoItems = 500

export const descriptionSchema = z.string().max(5_000)
const statusSchema = z.enum(todoStatuses)

export const todoItemSchema = z
  .object({
    id: idSchema,
    title: z.string(),
    description: z.string(),
    status: statusSchema,
    position: z.int().nonnegative().meta({ description: 'From 0, without gaps' }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'TodoItem' })
export type TodoItem = z.infer<typeof todoItemSchema>

export const todoListSummarySchema = z
  .object({
    id: idSchema,
    scope: scopeSchema,
    title: z.string(),
    folder: z.string(),
    counts: z.object({ todo: z.int(), doing: z.int(), done: z.int() }),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: 'TodoListSummary' })

export const todoListSchema = todoListSummarySchema
  .extend({ items: z.array(todoItemSchema) })
  .meta({ id: 'TodoList' })
export type TodoList = z.infer<typeof todoListSchema>

const newTodoItemSchema = z.strictObject({
  title: titleSchema,
  description: descriptionSchema.optional(),
  status: statusSchema.optional(),
})
export type NewTodoItem = z.infer<typeof newTodoItemSchema>

const newItems = listOf(newTodoItemSchema, maxTodoItems, {
  type: 'object',
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 500 },
    description: { type: 'string', maxLength: 5_000 },
    status: { type: 'string', enum: todoStatuses },
  },
  required: ['title'],
  additionalProperties: false,
})

export const createTodoListSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema,
    folder: folderSchema.optional(),
    items: newItems.optional(),
  })
  .meta({ id: 'CreateTodoList' })
export type CreateTodoList = z.infer<typeof createTodoListSchema>

export const updateTodoListSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema.optional(),
    folder: folderSchema.optional(),
  })
  .meta({ id: 'UpdateTodoList' })
export type UpdateTodoList = z.infer<typeof updateTodoListSchema>

export const addTodoItemsSchema = z
  .strictObject({ scope: scopeSchema.optional(), items: newItems })
  .meta({ id: 'AddTodoItems' })

export const updateTodoItemSchema = z
  .strictObject({
    scope: scopeSchema.optional(),
    title: titleSchema.optional(),
    description: descriptionSchema.optional(),
    status: statusSchema.optional(),
    position: z.int().nonnegative().max(maxTodoItems).optional(),
  })
  .meta({ id: 'UpdateTodoItem' })
export type UpdateTodoItem = z.infer<typeof updateTodoItemSchema>

export const todoListQuerySchema = pageQuerySchema
export type TodoListQuery = z.infer<typeof todoListQuerySchema>

export const todoPageSchema = z
  .object({ items: z.array(todoListSummarySchema), nextCursor: z.string().nullable() })
  .meta({ id: 'TodoPage' })
export type TodoPage = z.infer<typeof todoPageSchema>

import { z } from 'zod'
import type { DocumentCaller, DocumentLimits } from '../documents/document-caller.ts'
import { createDocument } from '../documents/documents.ts'
import { addTodoItems, createTodoList, updateTodoItem } from '../documents/todos.ts'
import { cronStatuses } from '../schedule/protocol/cron.ts'
import { folderSchema, maxContentBytes, titleSchema } from '../documents/protocol/document.ts'
import { ParleyError } from '../../core/protocol/error.ts'
import { idSchema } from '../../core/protocol/names.ts'
import { descriptionSchema, todoStatuses } from '../documents/protocol/todo.ts'
import { completeCron, pauseCron, resumeCron } from '../schedule/crons.ts'
import { check } from '../../core/operations/calls.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import type { Call } from '../../core/tools/permission.ts'
import type { LinkedAction } from './definition.ts'
import type { WorkflowDeps } from './workflow-service.ts'
import { prefixRefusal } from './prefix-refusal.ts'

export type LinkedActionDeps = Pick<WorkflowDeps, 'clock'> & {
  documentLimits: DocumentLimits
  /** Why the session of the run may not do it. */
  findDenial(call: Call): Promise<string | undefined>
}

/** The tool call that each corresponds to: what a session is refused there it is refused here. */
const standsFor: Record<LinkedAction['type'], { tool: string; action: string } | undefined> = {
  create_todo: { tool: 'todo', action: 'add_items' },
  update_todo: { tool: 'todo', action: 'update_item' },
  create_document: { tool: 'document', action: 'create' },
  update_schedule: { tool: 'cron', action: 'update' },
  // notifies people, changes nothing
  notify: undefined,
}

const maxBody = 20_000

/** The value of a name may be a number; a title is a text. */
const textOf = <Schema extends z.ZodType<string>>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
    schema,
  )

const createTodoSchema = z
  .strictObject({
    name: textOf(titleSchema).optional(),
    listId: idSchema.optional(),
    title: textOf(titleSchema),
    description: textOf(descriptionSchema).optional(),
  })
  .refine(({ name, listId }) => (name === undefined) !== (listId === undefined), {
    message: 'give either the name of a list or a listId',
    path: ['name'],
  })
const updateTodoSchema = z.strictObject({
  listId: idSchema,
  itemId: idSchema,
  status: z.enum(todoStatuses),
})
const createDocumentSchema = z.strictObject({
  title: textOf(titleSchema),
  content: textOf(z.string().max(maxContentBytes)),
  folder: textOf(folderSchema).optional(),
})
const updateScheduleSchema = z.strictObject({ scheduleId: idSchema, status: z.enum(cronStatuses) })
const notifySchema = z.strictObject({
  title: textOf(titleSchema),
  body: textOf(z.string().max(maxBody)),
})

/**
 * Performs a linked action of a completed step as the tools would: with versions, index, audit, locks and events. The
 * names in the params are resolved already. What it throws is shown with the run; then nothing was done. It
 * records events, which lock the row of the scope: use a transaction of its own for each.
 */
export async function doLinkedAction(
  tx: StoreOperations,
  { clock, documentLimits, findDenial }: LinkedActionDeps,
  { scope, sessionId }: { scope: string; sessionId: string },
  { type, params = {} }: LinkedAction,
): Promise<void> {
  const caller: DocumentCaller = { scope, sessionId, actor: { type: 'system', id: 'workflow' } }
  const call = standsFor[type]
  const denial = call && (await findDenial({ ...call, effect: 'write', resources: [] }))
  if (denial !== undefined) throw new ParleyError('forbidden', `Not allowed: ${denial}`)
  switch (type) {
    case 'create_todo':
      return createTodo(tx, caller, read(type, createTodoSchema, params))
    case 'update_todo': {
      const { listId, itemId, status } = read(type, updateTodoSchema, params)
      await updateTodoItem(tx, caller, listId, itemId, { status })
      return
    }
    case 'create_document':
      await createDocument(documentLimits, tx, caller, read(type, createDocumentSchema, params))
      return
    case 'update_schedule': {
      const { scheduleId, status } = read(type, updateScheduleSchema, params)
      if (status === 'active') await resumeCron({ clock }, tx, caller, scheduleId)
      else await (status === 'paused' ? pauseCron : completeCron)(tx, caller, scheduleId)
      return
    }
    case 'notify': {
      const { title, body } = read(type, notifySchema, params)
      await tx.recordEvent(scope, { type: 'notification', sessionId, data: { title, body, level: 'info' } })
    }
  }
}

/** Creates the list with its first item when the scope has none of that name. */
async function createTodo(
  tx: StoreOperations,
  caller: DocumentCaller,
  { name = '', listId, title, description }: z.infer<typeof createTodoSchema>,
): Promise<void> {
  const items = [{ title, description }]
  const id = listId ?? (await tx.lockTodoListTitled(caller.scope, name))?.id
  if (id === undefined) await createTodoList(tx, caller, { title: name, items })
  else await addTodoItems(tx, caller, id, items)
}

const read = <Schema extends z.ZodType>(type: string, schema: Schema, params: unknown): z.output<Schema> =>
  prefixRefusal(type, () => check(schema, params))

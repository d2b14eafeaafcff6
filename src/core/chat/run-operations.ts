import { z } from 'zod'
import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import { runSchema } from '../protocol/chat.ts'
import { notFound } from '../protocol/error.ts'
import { idSchema, inScopeSchema, wholeNumber, pageFields } from '../protocol/names.ts'
import { runPromptSchema, sentPromptSchema } from '../protocol/prompt.ts'
import { toRunRecord } from '../runs/run-record.ts'
import { requireLimit } from '../sessions/list.ts'
import type { Chats } from './chats.ts'

const runPageSchema = z.object({ items: z.array(runSchema), nextCursor: z.string().nullable() })
export type RunPage = z.infer<typeof runPageSchema>

const runs = operationsOf<{ chats: Chats }>('runs')

export const runOperations = {
  get: runs.read('/api/runs/{id}', {
    summary: 'Get a run of the ledger',
    output: runSchema,
    returns: 'The run',
    async run({ tx, caller }, { id }) {
      const run = await tx.getRun(caller.scope, id)
      if (!run) throw notFound('run', id)
      return toRunRecord(run)
    },
  }),
  /** Newest first, one page; `nextCursor` leads to the next. */
  list: runs.readKeeping('/api/runs', {
    summary: 'List runs, newest first',
    input: inScopeSchema.extend({
      session: idSchema.optional(),
      status: runSchema.shape.status.optional(),
      parent: idSchema.optional(),
      ...pageFields,
    }),
    output: runPageSchema,
    returns: 'A page of runs',
    // of a turn that another run requested; most runs are not, and then nothing is looked up
    sessionOf: ({ sessionId, parentId }) => (parentId === undefined ? undefined : sessionId),
    run: ({ tx, pages, caller }, _, { session, parent, limit, ...filter }) =>
      tx.listRuns(caller.scope, {
        ...filter,
        sessionId: session,
        parentId: parent,
        limit: requireLimit(pages, limit),
      }),
    answer: ({ items, nextCursor }) => ({ items: items.map(toRunRecord), nextCursor }),
  }),
  /** What is recorded of each model call, with what the provider's cache made of it. */
  prompt: runs.read('/api/runs/{id}/prompt', {
    summary: 'Get the prompt as it was sent at each step of a run, with its use of the cache',
    output: runPromptSchema,
    returns: 'Steps',
    run: ({ deps, caller }, { id }) => deps.chats.inspectRun(caller.scope, id),
  }),
  /** The prompt of one model call, whole. */
  step: runs.read('/api/runs/{id}/prompt/{step}', {
    summary: 'Get the whole prompt of one step of a run: texts of fragments, messages of the window, tools',
    params: { step: wholeNumber(1) },
    output: sentPromptSchema,
    returns: 'What was sent',
    run: ({ deps, caller }, { id, step }) => deps.chats.inspectStep(caller.scope, id, step),
  }),
}

/** The ledger of runs, and what the model saw in each. */
export type Runs = Calls<typeof runOperations>

import type { Clock } from '../shared/clock.ts'
import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import {
  createThreadSchema,
  threadListQuerySchema,
  threadPageSchema,
  threadSchema,
  threadSlugSchema,
  updateThreadSchema,
} from '../protocol/thread.ts'
import {
  createThread,
  deleteThread,
  getThread,
  listThreads,
  updateThread,
} from '../sessions/thread-changes.ts'

export interface ThreadServices {
  clock: Clock
}

const threads = operationsOf<ThreadServices>('threads')
const params = { slug: threadSlugSchema }

export const threadOperations = {
  /** What was changed last comes first. */
  list: threads.read('/api/threads', {
    summary: 'List threads, last changed first; GET /api/sessions?thread= lists the sessions of one',
    input: threadListQuerySchema,
    output: threadPageSchema,
    returns: 'A page of threads',
    run: ({ tx, pages, caller }, _, filter) => listThreads(tx, pages, caller, filter),
  }),
  create: threads.write('POST', '/api/threads', {
    summary: 'Create a thread',
    input: createThreadSchema,
    output: threadSchema,
    status: 201,
    returns: 'The thread',
    run: ({ tx, caller }, _, input) => createThread(tx, caller, input),
  }),
  get: threads.read('/api/threads/{slug}', {
    params,
    summary: 'Get a thread and how many sessions a list of it shows',
    output: threadSchema,
    returns: 'The thread',
    run: ({ tx, caller }, { slug }) => getThread(tx, caller, slug),
  }),
  /** Renames or archives it. Archiving needs a reason. */
  update: threads.write('PATCH', '/api/threads/{slug}', {
    params,
    summary: 'Rename a thread, or archive it with a reason',
    input: updateThreadSchema,
    output: threadSchema,
    returns: 'The thread as it is now',
    run: ({ tx, deps, caller }, { slug }, patch) => updateThread(tx, deps.clock, caller, slug, patch),
  }),
  /** Of those that are archived; their sessions stay, without a thread. */
  delete: threads.remove('/api/threads/{slug}', {
    params,
    summary: 'Delete an archived thread; its sessions stay, without a thread',
    returns: 'It is deleted',
    run: ({ tx, caller }, { slug }) => deleteThread(tx, caller, slug),
  }),
}

/** What one can do with threads: the same calls in the process and over HTTP. */
export type Threads = Calls<typeof threadOperations>

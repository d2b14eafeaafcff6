import type { VectorSearch } from './vectors.ts'
import type { Calls } from '../../core/operations/calls.ts'
import { operationsOf } from '../../core/operations/operation.ts'
import {
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
  restoreMemory,
  updateMemory,
} from './memories.ts'
import {
  createMemorySchema,
  memoryListQuerySchema,
  memoryPageSchema,
  memorySchema,
  updateMemorySchema,
} from './protocol/memory.ts'
import { inScopeSchema } from '../../core/protocol/names.ts'

/** What memories are searched with. */
export interface MemoryServices {
  /** Where they are searched by meaning too. */
  vectors?: VectorSearch
}

const memories = operationsOf<MemoryServices>('memories')
const restoreSchema = inScopeSchema.meta({ id: 'RestoreMemory' })

export const memoryOperations = {
  list: memories.read('/api/memories', {
    summary: 'List memories, newest first; with q the best match first',
    input: memoryListQuerySchema,
    output: memoryPageSchema,
    returns: 'A page of memories',
    run: ({ tx, pages, deps, caller }, _, filter) =>
      listMemories(tx, { pages, vectors: deps.vectors }, caller, filter),
  }),
  create: memories.write('POST', '/api/memories', {
    summary: 'Store a memory',
    input: createMemorySchema,
    output: memorySchema,
    status: 201,
    returns: 'The memory',
    run: ({ tx, caller }, _, memory) => createMemory(tx, caller, memory),
  }),
  get: memories.read('/api/memories/{id}', {
    summary: 'Get a memory, and where it comes from',
    output: memorySchema,
    returns: 'The memory',
    run: ({ tx, caller }, { id }) => getMemory(tx, caller, id),
  }),
  update: memories.write('PATCH', '/api/memories/{id}', {
    summary: 'Correct a memory; no model changes it after that',
    input: updateMemorySchema,
    output: memorySchema,
    returns: 'The memory as it is now',
    run: ({ tx, caller }, { id }, change) => updateMemory(tx, caller, id, change),
  }),
  /** It does not come back by itself; `restore` brings it back. */
  delete: memories.remove('/api/memories/{id}', {
    summary: 'Delete a memory; the same is not learned again',
    returns: 'Deleted',
    run: ({ tx, caller }, { id }) => deleteMemory(tx, caller, id),
  }),
  /** Undoes the deletion or, of one that is there, its last change. */
  restore: memories.write('POST', '/api/memories/{id}/restore', {
    summary: 'Undo the deletion of a memory, or its last change',
    input: restoreSchema,
    output: memorySchema,
    returns: 'The memory as it is now',
    run: ({ tx, caller }, { id }) => restoreMemory(tx, caller, id),
  }),
}

/** What is remembered in a scope. */
export type Memories = Calls<typeof memoryOperations>

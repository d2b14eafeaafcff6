import {
  createMemorySchema,
  memoryListQuerySchema,
  updateMemorySchema,
  type Memories,
} from '../protocol/memory.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import {
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
  restoreMemory,
  updateMemory,
  type MemoryListing,
} from './memories.ts'

/** The memories of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createMemories(store: Store, listing: MemoryListing): Memories {
  return {
    list: async (query = {}) => {
      const { scope, ...filter } = check(memoryListQuerySchema, query)
      return listMemories(store, listing, callerIn({ scope }), filter)
    },
    get: async (id, options) => getMemory(store, callerIn(options), id),
    create: async (input) => {
      const { scope, ...memory } = check(createMemorySchema, input)
      return createMemory(store, callerIn({ scope }), memory)
    },
    update: async (id, input) => {
      const { scope, ...change } = check(updateMemorySchema, input)
      return updateMemory(store, callerIn({ scope }), id, change)
    },
    delete: async (id, options) => deleteMemory(store, callerIn(options), id),
    restore: async (id, options) => restoreMemory(store, callerIn(options), id),
  }
}

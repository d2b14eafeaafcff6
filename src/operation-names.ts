import type { operations } from './operations.ts'

/** Of a record, so that the compiler refuses one that is missing and one too many. */
const inOrder: Record<keyof typeof operations, true> = {
  sessions: true,
  runs: true,
  audit: true,
  usage: true,
  search: true,
  crons: true,
  eventHooks: true,
  webhooks: true,
  workflows: true,
  plans: true,
  agents: true,
  threads: true,
  rooms: true,
  approvals: true,
  toolCalls: true,
  documents: true,
  todos: true,
  locks: true,
  memories: true,
  knowledge: true,
  models: true,
  providers: true,
  settings: true,
  catalogue: true,
  mcp: true,
}

/**
 * The operations of `operations.ts` in their order. A Parley has its own, with the schemas of its extensions: those of that
 * file are not loaded with it.
 */
export const operationNames: readonly string[] = Object.keys(inOrder)

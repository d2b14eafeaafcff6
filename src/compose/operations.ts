import type { DocumentLimits } from '../documents/caller.ts'
import { documentOperations } from '../documents/operations.ts'
import type { PlanDeps } from '../plan/deps.ts'
import { planOperations } from '../plan/operations.ts'
import { createCalls, type BoundOperations, type Calls, type CallsDeps } from '../operations/calls.ts'

/** Every operation, by the name under which library and client have it. */
export const operations = {
  documents: documentOperations,
  plans: planOperations,
}

/** What those of each name run with. */
export interface OperationServices {
  documents: DocumentLimits
  plans: PlanDeps
}

/** All of them as calls; the same in the process and over HTTP. */
export type OperationCalls = Calls<typeof operations>

/** With their services: for the server, and as the calls of the library. */
export function bindOperations(services: OperationServices, deps: CallsDeps) {
  const bound: BoundOperations[] = Object.entries(operations).map(([name, tree]) => ({
    name,
    operations: tree,
    deps: services[name as keyof OperationServices],
  }))
  const calls = Object.fromEntries(
    bound.map(({ name, operations: tree, deps: own }) => [name, createCalls(tree, own, deps)]),
  )
  return { bound, calls: calls as unknown as OperationCalls }
}

import type { OperationServices } from '../src/compose/operations.ts'
import type { Parley } from '../src/parley.ts'

/** What the operations of a Parley run with, for tests of the domain itself. */
export const servicesOf = ({ operations }: Parley): OperationServices =>
  Object.fromEntries(operations.map(({ name, deps }) => [name, deps])) as unknown as OperationServices

import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import { decideApproval, getApproval, listApprovals } from './decide-approval.ts'
import { approvalListQuerySchema, decideApprovalSchema, type ApprovalSchemas } from '../protocol/approval.ts'

const approvals = operationsOf<unknown>('approvals')

export const approvalOperationsOf = (schemas: ApprovalSchemas) => ({
  /** Newest first. */
  list: approvals.read('/api/approvals', {
    summary: 'List the approvals that wait for a decision, newest first',
    input: approvalListQuerySchema,
    output: schemas.page,
    returns: 'A page of approvals',
    run: ({ tx, pages, caller }, _, filter) => listApprovals(tx, pages, caller, filter),
  }),
  get: approvals.read('/api/approvals/{id}', {
    summary: 'Get an approval',
    output: schemas.approval,
    returns: 'The approval',
    run: ({ tx, caller }, { id }) => getApproval(tx, caller, id),
  }),
  /** Refused with `conflict` when it was decided, has expired or its run has finished. */
  decide: approvals.write('POST', '/api/approvals/{id}', {
    summary: 'Approve or deny; can grant paths, change the call, and write a rule',
    input: decideApprovalSchema,
    output: schemas.approval,
    returns: 'The approval as it is now',
    run: ({ tx, caller }, { id }, decision) => decideApproval(tx, caller, id, decision),
  }),
})

/** Every ask of every session of a scope, in one place. */
export type Approvals = Calls<ReturnType<typeof approvalOperationsOf>>

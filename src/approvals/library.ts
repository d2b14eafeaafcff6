import { approvalListQuerySchema, decideApprovalSchema, type Approvals } from '../protocol/approval.ts'
import type { PageLimits } from '../sessions/list.ts'
import { callerIn, check } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { decideApproval, getApproval, listApprovals } from './approvals.ts'

/** The approvals of one Parley, for the program that embeds it. Input is checked as it is over HTTP. */
export function createApprovals(store: Store, limits: PageLimits): Approvals {
  return {
    list: async (query = {}) => {
      const { scope, ...filter } = check(approvalListQuerySchema, query)
      return listApprovals(store, limits, callerIn({ scope }), filter)
    },
    get: async (id, options) => getApproval(store, callerIn(options), id),
    decide: async (id, input) => {
      const { scope, ...decision } = check(decideApprovalSchema, input)
      return decideApproval(store, callerIn({ scope }), id, decision)
    },
  }
}

import { z } from 'zod'
import { lockedTypes, reasonSchema } from './protocol/lock.ts'
import type { Store } from '../../core/store/store.ts'
import { defineTool, type Access, type Tool } from '../../core/tools/tool.ts'
import type { DocumentLimits } from './document-caller.ts'
import { listLocks, lockStatus, releaseLock, takeLock } from './locks.ts'
import { callerOf, idInput, required } from './tool-call.ts'

const actions = ['checkout', 'checkin', 'claim', 'release', 'status'] as const

// a document is checked out and in, a todo list is claimed and released
const typeByAction = {
  checkout: 'document',
  checkin: 'document',
  claim: 'todo_list',
  release: 'todo_list',
  status: 'document',
} as const

const inputSchema = z.strictObject({
  action: z.enum(actions),
  id: idInput.optional(),
  resource_type: z.enum(lockedTypes).optional(),
  reason: reasonSchema.optional(),
})

/** Lets a model keep others off a document or todo list while it works on it. */
export function createLockTool(store: Store, limits: DocumentLimits): Tool {
  return defineTool({
    name: 'lock',
    group: 'document',
    offered: 'line',
    description:
      'Keeps other sessions from writing a document or todo list while you work on it. "checkout" and "checkin" take the id of a ' +
      'document, "claim" and "release" that of a todo list; say a reason. "status" tells who holds one (resource_type, id), or ' +
      'without an id what this session holds. A lock runs out by itself when you do nothing with it for some minutes; taking it ' +
      'again keeps it.',
    input: inputSchema,
    isIdempotent: true,
    access: ({ action, id, resource_type: type = typeByAction[action] }): Access => ({
      action,
      effect: 'read', // nothing is changed that would need approval
      resources: [`${type}:${id ?? '*'}`],
    }),
    async execute(input, context) {
      const caller = callerOf(context)
      const { action, resource_type: type = typeByAction[action], reason } = input
      if (action === 'status' && input.id === undefined)
        return listLocks(store, caller, { session: context.sessionId })
      const locked = { type, id: required(input, 'id') }
      if (action === 'status') return lockStatus(store, caller, locked)
      if (action === 'checkout' || action === 'claim') return takeLock(limits, store, caller, locked, reason)
      await releaseLock(store, caller, locked)
      return { ...locked, released: true }
    },
  })
}

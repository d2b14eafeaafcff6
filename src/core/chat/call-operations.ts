import type { Calls } from '../operations/calls.ts'
import { operationsOf } from '../operations/operation.ts'
import {
  answerCallSchema,
  awaitedCallListQuerySchema,
  awaitedCallPageSchema,
  awaitedCallSchema,
} from '../protocol/awaited-call.ts'
import { requireLimit } from '../sessions/list.ts'
import { answerCall, requireCall } from './answer-call.ts'

const calls = operationsOf<unknown>('tool calls')

export const toolCallOperations = {
  /** Newest first. */
  list: calls.read('/api/tool-calls', {
    summary: 'List calls of tools whose results come from outside of the turn, newest first',
    input: awaitedCallListQuerySchema,
    output: awaitedCallPageSchema,
    returns: 'A page of calls',
    sessionOf: ({ sessionId }) => sessionId,
    run: ({ tx, pages, caller }, _, { status = 'waiting', session, run, limit, cursor }) =>
      tx.listAwaitedCalls(caller.scope, {
        status,
        sessionId: session,
        runId: run,
        limit: requireLimit(pages, limit),
        cursor,
      }),
  }),
  get: calls.read('/api/tool-calls/{id}', {
    summary: 'Get a call that waits for its result, or did',
    output: awaitedCallSchema,
    returns: 'The call',
    run: ({ tx, caller }, { id }) => requireCall(tx, caller, id),
  }),
  /** Refused with `conflict` when it was answered, is too late or its run has finished. */
  answer: calls.write('POST', '/api/tool-calls/{id}', {
    summary: 'Give the result of a call; the turn continues when none is missing',
    body: 'large',
    input: answerCallSchema,
    output: awaitedCallSchema,
    returns: 'The call as it is now',
    run: ({ tx, caller }, { id }, answer) => answerCall(tx, caller, id, answer),
  }),
}

/** What turns wait for from those who brought tools. */
export type ToolCalls = Calls<typeof toolCallOperations>

import type { Sessions } from '../core/chat/session-operations.ts'
import type { OperationCalls } from '../operations.ts'
import type { EventFrame } from '../core/protocol/event-socket.ts'
import { joinManagement } from '../extensions/workflow/protocol/management-session.ts'
import type { Workflows } from '../extensions/workflow/operations.ts'
import { followEvents, type EventsOptions } from './events.ts'
import {
  followSession,
  type Folding,
  type FollowedSession,
  type FollowOptions,
  type FollowSource,
  type RunDraft,
} from './follow.ts'
import { createSend, type ClientOptions, type RequestOptions } from './http.ts'
import { createCalls, type RouteTable } from './operation-calls.ts'
import { operationTable } from './operation-table.ts'
import { createSessionStreams } from './session-streams.ts'

export interface ParleyClient extends Omit<OperationCalls, 'sessions' | 'workflows'> {
  sessions: ClientSessions
  workflows: Workflows
  /** The events of a scope, from now on or after a number; survives broken connections, and misses nothing. */
  events(options?: EventsOptions): AsyncIterable<EventFrame>
  /** Any route that answers with JSON, such as one of an extension. */
  request<Answer = unknown>(
    method: string,
    path: string,
    input?: Pick<RequestOptions, 'query' | 'json' | 'signal' | 'idempotencyKey'>,
  ): Promise<Answer>
}

export type ClientSessions = Sessions & {
  /**
   * The conversation of a session, ready for display: stored messages, and the answer in progress, whoever requested it.
   * Opens nothing until somebody subscribes or iterates.
   */
  follow(id: string, options?: FollowOptions): FollowedSession
  /** The same for runs that become something other than one answer. */
  follow<Draft extends RunDraft>(
    id: string,
    options: FollowOptions<Draft> & { folding: Folding<Draft> },
  ): FollowedSession<Draft>
}

/** A Parley somewhere else, over HTTP; works in Node and in browsers. */
export function createClient<Calls extends object = {}>(
  options: ClientOptions & { routes?: RouteTable } = {},
): ParleyClient & Calls {
  const send = createSend(options)
  const calls = createCalls({ ...options.routes, ...operationTable }, send) as unknown as OperationCalls &
    Calls
  const sessions: Sessions = { ...calls.sessions, ...createSessionStreams(send) }
  const source: FollowSource = {
    sessions,
    async listen({ onReady, onEvent, ...followed }) {
      for await (const event of followEvents(send, options, followed, onReady)) onEvent(event)
    },
  }
  return {
    ...calls,
    sessions: { ...sessions, follow: followSession.bind(undefined, source) as ClientSessions['follow'] },
    async request<Answer>(method: string, path: string, input?: RequestOptions) {
      const response = await send(method, path, input)
      return (response.status === 204 ? undefined : await response.json()) as Answer
    },
    workflows: joinManagement(calls.workflows),
    events: (followed = {}) => followEvents(send, options, followed),
  }
}

export { ParleyError, type ErrorCode } from '../core/protocol/error.ts'
export {
  countMoreIssues,
  issuesOf,
  type Issue,
  type IssueCode,
  type IssueParams,
} from '../core/protocol/issue.ts'
export { isGap, type EventFrame, type EventGap } from '../core/protocol/event-socket.ts'
export type { Agent } from '../extensions/agents/protocol/agent.ts'
export type { ClientOptions, RequestOptions } from './http.ts'
export type { RouteTable } from './operation-calls.ts'
export type { EventsOptions } from './events.ts'
export { emptyAnswer, foldAnswer, type AnswerDraft } from './answer-draft.ts'
export {
  answerFolding,
  type Conversation,
  type Folding,
  type FollowedSession,
  type FollowOptions,
  type RunDraft,
} from './follow.ts'
export type { UntilShown } from './pace.ts'
export type * from '../public-types.ts'

import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ChatAnswer } from '../../../core/protocol/chat.ts'
import type { Chunk } from '../../../core/protocol/chunk.ts'
import { ParleyError } from '../../../core/protocol/error.ts'
import { messageText } from '../../../core/protocol/message-text.ts'
import type { Message } from '../../../core/protocol/message.ts'
import { idSchema, labelSchema } from '../../../core/protocol/names.ts'
import { sessionKinds, type Session } from '../../../core/protocol/session.ts'
import type { Caller } from '../../../core/sessions/caller.ts'
import { createSession } from '../../../core/sessions/create.ts'
import { getSession } from '../../../core/sessions/get.ts'
import { listMessages, listSessions } from '../../../core/sessions/list.ts'
import { searchScope } from '../../../core/sessions/search.ts'
import type { Run } from '../../../core/store/queries/run-row.ts'
import type { McpServerDeps } from './mcp-server-deps.ts'
import { refuseBugs, toAnswer } from './tool-answer.ts'

const maxContent = 200_000
// a page is read by a model: the whole log is there as a resource
const maxPage = 50
const maxText = 20_000

const limit = z.int().min(1).max(maxPage).optional().describe(`At most ${maxPage}; default 20`)
const defaultLimit = 20

export function offerSessionTools(server: McpServer, deps: McpServerDeps, caller: Caller): void {
  const { store, limits, chats, ids, logger } = deps

  server.registerTool(
    'list_sessions',
    {
      description: 'Lists sessions, the ones that changed last first.',
      inputSchema: z.strictObject({
        kind: z.enum(sessionKinds).optional(),
        query: z.string().max(200).optional().describe('Words of the title or of a message'),
        archived: z.boolean().optional().describe('Those that were put away; default false'),
        limit,
        cursor: z.string().max(500).optional().describe('nextCursor of the page before'),
      }),
      annotations: { readOnlyHint: true },
    },
    ({ kind, query, archived, limit: count = defaultLimit, cursor }) =>
      refuseBugs(logger, async () => {
        const asked = { kind, q: query, cursor, limit: count, archived: archived ? 'true' : 'false' } as const
        const { items: found, ...page } = await listSessions(store, limits, caller, asked)
        const items = await deps.sealed.leaveOut(found, sealableOf)
        return toAnswer({ sessions: items.map(toSummary), ...page })
      }),
  )

  server.registerTool(
    'read_session',
    {
      description:
        'Reads messages of a session, oldest first: the newest ones, or those before or after a seq.',
      inputSchema: z.strictObject({
        session_id: idSchema,
        before: z.int().min(1).optional(),
        after: z.int().min(0).optional(),
        limit,
      }),
      annotations: { readOnlyHint: true },
    },
    ({ session_id: id, limit: count = defaultLimit, ...range }) =>
      refuseBugs(logger, async () => {
        await deps.sealed.refuse({ sessionId: id })
        const session = await getSession(store, caller, id)
        const { items, nextCursor } = await listMessages(store, limits, caller, id, {
          ...range,
          limit: count,
        })
        return toAnswer({ session: toSummary(session), messages: items.map(toReadable), nextCursor })
      }),
  )

  server.registerTool(
    'create_session',
    {
      description: 'Makes an empty session; send_message then talks in it.',
      inputSchema: z.strictObject({
        title: labelSchema.optional(),
        model: z.string().min(1).max(200).optional().describe('As adapter/model; default: that of the scope'),
      }),
    },
    (input) => refuseBugs(logger, async () => toAnswer(toSummary(await createSession(store, caller, input)))),
  )

  server.registerTool(
    'send_message',
    {
      description:
        'Says something in a session and waits for the answer, which may take minutes. To stop waiting does not stop the answer: read_session has it later.',
      inputSchema: z.strictObject({
        session_id: idSchema,
        content: z.string().min(1).max(maxContent),
        model: z.string().min(1).max(200).optional(),
        approvals: z
          .enum(['deny', 'wait'])
          .optional()
          .describe('What becomes of calls that a person has to allow; default deny'),
      }),
    },
    ({ session_id: sessionId, content, model, approvals }, context) =>
      refuseBugs(logger, async () => {
        const message = { id: ids.next('msg'), parts: [{ type: 'text', text: content }] }
        const place = { scope: caller.scope, sessionId, keyName: caller.keyName }
        const input = { message, model, ...(approvals !== 'wait' && { isHeadless: true }) }
        const { run, begin } = await chats.admit(store, place, input)
        begin()
        await reportProgress(deps, run, context)
        context.mcpReq.signal.throwIfAborted()
        const answer = await chats.answerOrCalls(run, {}, context.mcpReq.signal)
        if (answer.awaiting) return toAnswer({ session_id: sessionId, waiting_for: answer.awaiting })
        return toAnswer(toReply(answer, sessionId))
      }),
  )

  server.registerTool(
    'search',
    {
      description: 'Finds messages that hold all the words, newest first.',
      inputSchema: z.strictObject({ query: z.string().min(1).max(200), limit }),
      annotations: { readOnlyHint: true },
    },
    ({ query, limit: count = defaultLimit }) =>
      refuseBugs(logger, async () => {
        const { items: matches, ...unsearched } = await searchScope(store, limits, caller, {
          q: query,
          limit: count,
        })
        return toAnswer({ matches, ...unsearched })
      }),
  )
}

/** Sessions that people start are never sealed; checking each would take long. */
export const sealableOf = ({ id, kind }: Session) => (kind === 'tool' ? id : undefined)

export const toSummary = ({
  id,
  title,
  kind,
  model,
  bgStatus,
  chatStatus,
  messageCount,
  updatedAt,
}: Session) => ({
  id,
  title,
  kind,
  ...(model !== undefined && { model }),
  ...(bgStatus !== undefined && { status: bgStatus }),
  chatStatus,
  messageCount,
  updatedAt,
})

function toReadable(message: Message) {
  const { id, seq, role, parts, createdAt } = message
  const text = messageText(message)
  const tools = parts.flatMap(({ toolName }) => (typeof toolName === 'string' ? toolName : []))
  return {
    id,
    seq,
    role,
    text: text.length <= maxText ? text : `${text.slice(0, maxText).toWellFormed()}…`,
    ...(text.length > maxText && { leftOut: text.length - maxText }),
    ...(tools.length > 0 && { tools }),
    createdAt,
  }
}

function toReply({ message, messages, usage, run }: ChatAnswer, sessionId: string) {
  const { code, message: reason } = (run.outcome ?? {}) as { code?: string; message?: string }
  const answer = messages ? messages.map(toLine).join('\n\n') : message ? messageText(message) : ''
  if (run.status !== 'completed')
    throw new ParleyError(
      'turn_failed',
      `The turn ended as ${run.status} (${code}): ${reason ?? ''} ${answer}`,
    )
  return { sessionId, runId: run.id, answer, usage }
}

/** The answers in a room. */
const toLine = (message: Message) => `${String(message.metadata?.agent ?? 'room')}: ${messageText(message)}`

// often enough to show that it is running, seldom enough not to flood the client
const progressMs = 1_000

/** Follows the run until it ends or the caller no longer waits; reports progress where that was requested. */
async function reportProgress(
  { chats, clock }: McpServerDeps,
  run: Run,
  { mcpReq }: ServerContext,
): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return
  let progress = 0
  let written = 0
  let reportedAt = 0
  for await (const events of chats.observe(run.id, { signal: mcpReq.signal }))
    for (const { chunk } of events) {
      if (chunk.type === 'data-awaiting') return
      if (chunk.type === 'text-delta') written += chunk.delta.length
      const news =
        describe(chunk) ?? (clock.now() - reportedAt >= progressMs ? `${written} characters` : undefined)
      if (news === undefined) continue
      reportedAt = clock.now()
      const params = { progressToken, progress: ++progress, message: news }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
}

const describe = (chunk: Chunk): string | undefined =>
  chunk.type === 'start-step'
    ? 'Asking the model'
    : chunk.type === 'tool-input-available'
      ? `Calling ${chunk.toolName}`
      : undefined

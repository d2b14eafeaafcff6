/** A response as OpenAI has it, read from the run that it is a part of. */
import { z } from 'zod'
import { ParleyError, quote } from '../../core/protocol/error.ts'
import type { OutputForm } from '../../core/protocol/output.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import type { Usage } from '../../core/models/adapter.ts'
import type { Caller } from '../../core/sessions/caller.ts'
import type { Part } from '../../core/protocol/message.ts'
import { replyId } from '../../core/runs/run-record.ts'
import type { Run } from '../../core/store/queries/run-row.ts'
import type { RunStep } from '../../core/store/queries/run-steps.ts'
import type { StoreOperations } from '../../core/store/store.ts'
import { isCallOfCaller, outputItemSchema, toItems } from './response-items.ts'
import { readResponseId, toConversationId, toResponseId, type ResponsePlace } from './response-ids.ts'
import { sumSteps } from './take-turn.ts'

/** What a request says of its response beside the turn; stored with the run. */
export interface AskedResponse {
  model: string
  metadata?: Record<string, string>
  previousResponseId?: string
  isInConversation?: boolean
  isBackground?: boolean
  /** False: it cannot be read again. */
  isKept?: boolean
  instructions?: string
  /** What messages of the roles system and developer have said, in the turns before too. */
  orders?: string[]
}

declare module '../../core/protocol/facets.ts' {
  interface InputFacets {
    response?: AskedResponse
  }
}

const usageSchema = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
})

const statuses = ['queued', 'in_progress', 'completed', 'incomplete', 'cancelled', 'failed'] as const
export type ResponseStatus = (typeof statuses)[number]

export const responseSchema = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    completed_at: z.int().nullable(),
    status: z.enum(statuses),
    background: z.boolean(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    instructions: z.string().nullable(),
    max_output_tokens: z.int().nullable(),
    model: z.string(),
    output: z.array(outputItemSchema),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    conversation: z.object({ id: z.string() }).nullable(),
    reasoning: z.object({ effort: z.string().nullable(), summary: z.null() }),
    store: z.boolean(),
    temperature: z.number().nullable(),
    text: z.object({ format: z.looseObject({ type: z.string() }) }),
    tool_choice: z.unknown(),
    tools: z.array(z.looseObject({ type: z.literal('function') })),
    top_p: z.number().nullable(),
    truncation: z.literal('auto'),
    usage: usageSchema.nullable(),
    metadata: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Response', description: 'As OpenAI has it' })
export type ResponseBody = z.infer<typeof responseSchema>

/** A response with the run that it is a part of. */
export interface FoundResponse extends ResponsePlace {
  id: string
  run: Run
  asked: AskedResponse
  /** Those of the run. */
  steps: RunStep[]
}

/** What was not made by a request for a response, or is not to be read again, is not there; `isFresh` is the request itself. */
export async function requireResponse(
  store: StoreOperations,
  { scope }: Caller,
  id: string,
  { param = null, isFresh = false }: { param?: string | null; isFresh?: boolean } = {},
): Promise<FoundResponse> {
  const place = readResponseId(id)
  const run = place && (await store.getRun(scope, place.runId))
  const asked = run && askedOf(run)
  const isDeleted = (run?.outcome as { isResponseDeleted?: boolean } | undefined)?.isResponseDeleted
  if (!place || !run || !asked || isDeleted || (asked.isKept === false && !isFresh))
    throw unknownResponse(id, param)
  const steps = await readSteps(store, run)
  if (!startsOf(steps).includes(place.stepsBefore)) throw unknownResponse(id, param)
  return { ...place, id, run, asked, steps }
}

/** A command that is its own answer ends a turn without a step. */
async function readSteps(store: StoreOperations, run: Run): Promise<RunStep[]> {
  const steps = await store.listRunSteps(run.id)
  if (steps.length > 0 || run.finishedAt === undefined) return steps
  const message = await store.getMessage(run.scope, run.sessionId, replyId(run))
  const prior = (run.input as TurnInput).priorParts?.length ?? 0
  const parts = message?.parts.slice(prior) ?? []
  return parts.length > 0 ? [{ step: 1, parts, prompt: { usage: run.usage ?? {} } }] : []
}

const unknownResponse = (id: string, param: string | null) =>
  new ParleyError('not_found', `There is no response ${quote(id)} in this scope.`, {
    details: { param, ...(param !== null && { reason: 'previous_response_not_found' }) },
  })

export const askedOf = ({ input }: Pick<Run, 'input'>): AskedResponse | undefined =>
  (input as TurnInput | undefined)?.response

/** After how many steps the responses of a run begin: each but the last ended with calls of the caller. */
const startsOf = (steps: readonly RunStep[]): number[] => [
  0,
  ...steps.flatMap(({ parts }, index) => (parts.some(isCallOfCaller) ? index + 1 : [])),
]

/** The part of a run that a response is. */
export interface Segment {
  parts: Part[]
  usage: Usage
  /** It ended with calls of the caller. */
  isAwaiting: boolean
}

export function readSegmentOf({ steps, stepsBefore }: Pick<FoundResponse, 'steps' | 'stepsBefore'>): Segment {
  const own = steps.slice(stepsBefore)
  const end = own.findIndex(({ parts }) => parts.some(isCallOfCaller))
  const segment = end === -1 ? own : own.slice(0, end + 1)
  return {
    parts: segment.flatMap(({ parts }) => parts),
    usage: sumSteps(segment),
    isAwaiting: end !== -1,
  }
}

export function toResponse(found: FoundResponse): ResponseBody {
  const { id, run } = found
  const { parts, usage, isAwaiting } = readSegmentOf(found)
  const ending = isAwaiting ? ({ status: 'completed' } as const) : endingOf(run)
  return {
    ...toHead(found),
    ...toEnding(ending),
    completed_at:
      ending.status === 'completed' ? Math.floor((run.finishedAt ?? run.startedAt ?? 0) / 1_000) : null,
    output: toItems(id, parts),
    usage: ending.status === 'queued' || ending.status === 'in_progress' ? null : toResponseUsage(usage),
  }
}

/** What is known of a response as it begins. */
export function toHead({
  id,
  run,
  asked,
  stepsBefore,
  steps,
}: Pick<FoundResponse, 'id' | 'run' | 'asked' | 'stepsBefore' | 'steps'>): ResponseBody {
  const input = run.input as TurnInput
  const { parameters = {} } = input
  const before = startsOf(steps).findLast((start) => start < stepsBefore)
  return {
    id,
    object: 'response',
    created_at: Math.floor(run.createdAt / 1_000),
    completed_at: null,
    status: 'in_progress',
    background: asked.isBackground ?? false,
    error: null,
    incomplete_details: null,
    instructions: asked.instructions ?? null,
    max_output_tokens: parameters.maxOutputTokens ?? null,
    model: asked.model,
    output: [],
    parallel_tool_calls: input.hasParallelCalls ?? true,
    previous_response_id:
      before === undefined
        ? (asked.previousResponseId ?? null)
        : toResponseId({ runId: run.id, stepsBefore: before }),
    conversation: asked.isInConversation ? { id: toConversationId(run.sessionId) } : null,
    reasoning: { effort: parameters.reasoningEffort ?? null, summary: null },
    store: asked.isKept ?? true,
    temperature: parameters.temperature ?? null,
    text: { format: toFormat(input.output) },
    tool_choice: toChoice(input.toolChoice),
    tools: (input.callerTools ?? []).map(({ name, description, inputSchema }) => ({
      type: 'function' as const,
      name,
      description: description ?? null,
      parameters: inputSchema ?? null,
      strict: false,
    })),
    top_p: parameters.topP ?? null,
    truncation: 'auto',
    usage: null,
    metadata: asked.metadata ?? {},
  }
}

const toFormat = (output: OutputForm | undefined) => {
  if (!output) return { type: 'text' }
  const { name, schema } = output
  return name === undefined ? { type: 'json_object' } : { type: 'json_schema', name, schema, strict: false }
}

const toChoice = (choice: TurnInput['toolChoice']): unknown =>
  typeof choice === 'object' ? { type: 'function', name: choice.name } : (choice ?? 'auto')

/** How a response has ended, or that it has not. */
export interface ResponseEnding {
  status: ResponseStatus
  code?: string
  message?: string
}

function endingOf({ status, outcome }: Run): ResponseEnding {
  const { code = 'unknown', message } = (outcome ?? {}) as { code?: string; message?: string }
  if (status === 'queued') return { status }
  if (status === 'running') return { status: 'in_progress' }
  if (status === 'cancelled') return { status }
  return toEndingOf(code, status === 'completed', message)
}

export function toEndingOf(code: string, isCompleted: boolean, message?: string): ResponseEnding {
  if (code === 'length' || /^content[-_]filter$/.test(code)) return { status: 'incomplete', code }
  return isCompleted ? { status: 'completed' } : { status: 'failed', code, message }
}

export const toEnding = ({
  status,
  code = 'unknown',
  message = code,
}: ResponseEnding): Pick<ResponseBody, 'status' | 'error' | 'incomplete_details'> => ({
  status,
  error: status === 'failed' ? { code: toErrorCode(code), message } : null,
  incomplete_details:
    status === 'incomplete' ? { reason: code === 'length' ? 'max_output_tokens' : 'content_filter' } : null,
})

const toErrorCode = (code: string) =>
  code === 'model_rate_limit' || code === 'model_quota' ? 'rate_limit_exceeded' : code

/** Tokens that a provider did not report count as none: clients add them up. */
export function toResponseUsage(usage: unknown): NonNullable<ResponseBody['usage']> {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    reasoningTokens = 0,
  } = (usage ?? {}) as Record<string, number | undefined>
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

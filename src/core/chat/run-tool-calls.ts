import { describeThrown } from '../protocol/error.ts'
import { describeIssues } from '../protocol/issues.ts'
import { defaultJsonDepth, isDeeperThan } from '../protocol/json.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import { HandOver } from '../runs/stop-reasons.ts'
import { inputSchemaOf } from '../tools/tool-schemas.ts'
import type { Tool } from '../tools/tool.ts'
import { readCallThrough, useToolName } from '../tools/call-through.ts'
import { describeUnknown } from '../tools/use-tool.ts'
import { isToolPart } from './model-history.ts'
import { shortenResult } from './large-result.ts'
import { awaitCall, isAwaiting, type StoreStep } from './await-call.ts'
import { failCall, keyOf, makeCall, noteAsk, type CallContext } from './execute-tool-call.ts'
import type { Store } from '../store/store.ts'
import type { OfferedTools } from './offer-tools.ts'
import type { ChatLimits } from './turn-limits.ts'
import type { Turn } from './turn-state.ts'

const openStates = ['input-available', 'approval-requested', 'approval-responded']

/** Calls of a step that have no result yet. */
export const openCalls = (parts: readonly Part[]) =>
  parts.filter((part) => isToolPart(part) && openStates.includes(part.state as string))

/**
 * Reads what the model wrote as input. What is not valid JSON, or not what the tool takes, becomes an error that the
 * model gets to see; such a call is never run. A call that goes through `use_tool` is from here on one of the tool that it
 * names, for all but the model, which is sent it the way it wrote it.
 */
export function checkCalls(
  parts: Part[],
  offered: Pick<OfferedTools, 'tools' | 'listed'>,
  log: RunLog,
  { earlier = [], isParallel = true }: { earlier?: readonly Part[]; isParallel?: boolean } = {},
): void {
  let hasOne = false
  const taken = new Set(earlier.flatMap((part) => (isToolPart(part) ? [keyOf(part)] : [])))
  for (const part of openCalls(parts)) {
    nameCall(part, taken)
    const { toolCallId, rawInput } = part as Part & { toolCallId: string; rawInput: string }
    delete part.rawInput
    const read: ReadCall = readCall(part.toolName as string, rawInput, offered)
    const { name: toolName, input, isThrough } = read
    const problem: string | undefined = read.problem ?? (hasOne && !isParallel ? oneAtATime : undefined)
    hasOne ||= problem === undefined
    Object.assign(part, { toolName, input, ...(isThrough && { calledThrough: useToolName }) })
    const call = { toolCallId, toolName, input, dynamic: true as const }
    if (problem === undefined) log.emit({ type: 'tool-input-available', ...call })
    else {
      part.state = 'output-error'
      part.errorText = problem
      log.emit({ type: 'tool-input-error', ...call, errorText: problem })
    }
  }
}

const oneAtATime = 'Only one call at a time is wanted. This one was not made; make it in a step of its own.'

/**
 * A model may give two calls of a turn one id. What is stored for a call, such as a person's answer, is kept by a key that
 * no other call of the turn has.
 */
function nameCall(part: Part, taken: Set<string>): void {
  for (let number = 2; taken.has(keyOf(part)); number++)
    part.callKey = `${part.toolCallId as string}~${number}`
  taken.add(keyOf(part))
}

interface ReadCall {
  name: string
  input: unknown
  problem?: string
  /** The model called another tool to have this one called. */
  isThrough?: true
}

function readCall(
  name: string,
  raw: string,
  { tools, listed }: Pick<OfferedTools, 'tools' | 'listed'>,
): ReadCall {
  let input: unknown
  try {
    input = JSON.parse(raw.trim() === '' ? '{}' : raw)
  } catch (error) {
    return { name, input: {}, problem: `The input is not valid JSON: ${(error as Error).message}` }
  }
  const find = (wanted: string) => tools.find((tool) => tool.name === wanted)
  const through = name === useToolName && find(name) ? readCallThrough(input) : undefined
  // it would overflow the code that reads, compares or stores it
  if ([input, through?.input].some((value) => isDeeperThan(value, defaultJsonDepth)))
    return { name, input: {}, problem: `The input is nested in more than ${defaultJsonDepth} levels.` }
  const called = through ?? { name, input }
  const tool = find(called.name)
  if (!tool) return { name, input, problem: describeUnknown(called.name, tools) }
  const problem = checkInput(tool, called.input, listed)
  return { ...called, ...(problem !== undefined && { problem }), ...(through && { isThrough: true }) }
}

// of a schema that is sent with what was wrong
const maxSchemaLength = 20_000

function checkInput(tool: Tool, input: unknown, listed: readonly string[]): string | undefined {
  try {
    const result = tool.input.safeParse(input)
    if (result.success) return undefined
    const problem = `The input does not fit: ${describeIssues(result.error, input)}`
    if (!listed.includes(tool.name)) return problem
    // the model may have called it without having seen what it takes
    const schema = JSON.stringify(inputSchemaOf(tool))
    return schema.length > maxSchemaLength
      ? `${problem} "${useToolName}" with the name alone answers what it takes.`
      : `${problem} Its input schema: ${schema}`
  } catch (error) {
    return `The tool "${tool.name}" could not check its input: ${describeThrown(error)}`
  }
}

/** Whether the model could read the rest of a long result. */
export const canReadOn = (tools: readonly Tool[]): boolean => tools.some(({ name }) => name === 'file')

export interface CallMeans {
  store: Store
  limits: Pick<ChatLimits, 'maxToolOutput' | 'callerTimeoutMs'>
  log: RunLog
  storeStep: StoreStep
}

/**
 * Runs the open calls of a step at once; each result is passed on as soon as it is there. What is left open waits for
 * results from outside.
 */
export async function runCalls(
  parts: Part[],
  tools: readonly Tool[],
  context: CallContext,
  { store, limits: { maxToolOutput, callerTimeoutMs }, log, storeStep }: CallMeans,
): Promise<void> {
  const canRead = canReadOn(tools)
  await Promise.all(
    openCalls(parts).map(async (part) => {
      if (isAwaiting(part)) return
      const tool = tools.find(({ name }) => name === part.toolName)!
      const toolCallId = part.toolCallId as string
      try {
        if (tool.isAwaited)
          return await awaitCall(part, tool, context, { store, log, storeStep, timeoutMs: callerTimeoutMs })
        const { value, workspaces, isDenied } = await makeCall(part, tool, context, log, storeStep)
        if (!isDenied) {
          part.output = await shortenResult(value ?? null, maxToolOutput, {
            toolCallId,
            workspace: canRead ? workspaces?.session : undefined,
          })
          part.state = 'output-available'
          log.emit({ type: 'tool-output-available', toolCallId, output: part.output, dynamic: true })
        }
      } catch (error) {
        // an ask outlives the process that made it: the next owner of the run waits for its answer
        if (part.state === 'approval-requested' && context.signal.reason instanceof HandOver) return
        failCall(part, log, context.signal.aborted ? undefined : whyFailed(error, tool))
      }
      await storeStep()
    }),
  )
}

/** The words of what was thrown, whatever it was. */
const whyFailed = (error: unknown, { name }: Tool): string =>
  error instanceof Error && error.message !== ''
    ? error.message
    : `The tool "${name}" failed: ${describeThrown(error)}`

/**
 * After a crash: the ask for a call is stored before its part says so, and the call is not begun before that. Somebody may
 * have answered it meanwhile.
 */
export async function findAsks(store: Store, { run, log }: Turn, parts: readonly Part[]): Promise<void> {
  for (const part of openCalls(parts)) {
    if (part.state !== 'input-available') continue
    const asked = await store.findApproval(run.id, keyOf(part))
    if (asked) noteAsk(part, asked, log)
  }
}

/** After a crash: what was running may have had its effect. Only tools that can be repeated are. */
export function settleInterrupted(parts: Part[], tools: readonly Tool[], log: RunLog): void {
  for (const part of openCalls(parts)) if (!mayBeMade(part, tools)) failCall(part, log)
}

/** A call that waits for a person, or for a result from outside, was not begun. */
const mayBeMade = (part: Part, tools: readonly Tool[]) => {
  if (isAwaiting(part)) return true
  const tool = tools.find(({ name }) => name === part.toolName)
  return tool !== undefined && (tool.isIdempotent || tool.isAwaited || part.state === 'approval-requested')
}

/** A call whose input was not read yet when the answer broke off is not run. */
export function dropUnread(stepParts: Part[]): void {
  for (let index = stepParts.length - 1; index >= 0; index--)
    if (stepParts[index]!.type === 'dynamic-tool' && stepParts[index]!.state === 'input-available')
      stepParts.splice(index, 1)
}

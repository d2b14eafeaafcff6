import type { Workspaces } from '../files/workspaces.ts'
import { describeIssues } from '../protocol/issues.ts'
import type { Part } from '../protocol/message.ts'
import type { RunLog } from '../runs/event-hub.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { interruptedText, isToolPart, toText } from './history.ts'

const defaultTimeoutMs = 60_000

/** Calls of a step that have no result yet. */
export const openCalls = (parts: readonly Part[]) =>
  parts.filter((part) => isToolPart(part) && part.state === 'input-available')

/**
 * Reads what the model wrote as input. What is not valid JSON, or not what the tool takes, becomes an error that the
 * model gets to see; such a call is never run.
 */
export function checkCalls(parts: Part[], tools: readonly Tool[], log: RunLog): void {
  for (const part of openCalls(parts)) {
    const { toolName, toolCallId, rawInput } = part as Part & {
      toolName: string
      toolCallId: string
      rawInput: string
    }
    delete part.rawInput
    const tool = tools.find(({ name }) => name === toolName)
    const { input, problem } = readInput(rawInput, tool, toolName, tools)
    part.input = input
    const call = { toolCallId, toolName, input, dynamic: true as const }
    if (problem === undefined) log.emit({ type: 'tool-input-available', ...call })
    else {
      fail(part, problem)
      log.emit({ type: 'tool-input-error', ...call, errorText: problem })
    }
  }
}

function readInput(raw: string, tool: Tool | undefined, name: string, tools: readonly Tool[]) {
  let input: unknown
  try {
    input = JSON.parse(raw.trim() === '' ? '{}' : raw)
  } catch (error) {
    return { input: {}, problem: `The input is not valid JSON: ${(error as Error).message}` }
  }
  if (!tool)
    return {
      input,
      problem: `There is no tool "${name}". Tools: ${tools.map((known) => known.name).join(', ') || 'none'}.`,
    }
  const result = tool.input.safeParse(input)
  return result.success
    ? { input }
    : { input, problem: `The input does not fit: ${describeIssues(result.error, input)}` }
}

export interface CallContext extends Omit<ToolContext, 'toolCallId' | 'workspaces'> {
  /** Looked up for each call. */
  readWorkspaces(): Promise<Workspaces>
}

/** Runs the open calls of a step at once; each result is handed on as soon as it is there. */
export async function runCalls(
  parts: Part[],
  tools: readonly Tool[],
  context: CallContext,
  limits: { maxToolOutput: number },
  log: RunLog,
  onResult: () => Promise<void>,
): Promise<void> {
  await Promise.all(
    openCalls(parts).map(async (part) => {
      const tool = tools.find(({ name }) => name === part.toolName)!
      const toolCallId = part.toolCallId as string
      try {
        const workspaces = await context.readWorkspaces()
        const output = await withTimeout(tool, tool.input.parse(part.input), {
          ...context,
          toolCallId,
          workspaces,
        })
        part.state = 'output-available'
        part.output = cut(output ?? null, limits.maxToolOutput)
        log.emit({ type: 'tool-output-available', toolCallId, output: part.output, dynamic: true })
      } catch (error) {
        fail(part, context.signal.aborted ? interruptedText : (error as Error).message || 'The tool failed.')
        log.emit({
          type: 'tool-output-error',
          toolCallId,
          errorText: part.errorText as string,
          dynamic: true,
        })
      }
      await onResult()
    }),
  )
}

/** After a crash: what was running may have had its effect. Only tools that can be repeated are. */
export function settleInterrupted(parts: Part[], tools: readonly Tool[], log: RunLog): void {
  for (const part of openCalls(parts))
    if (!tools.find(({ name }) => name === part.toolName)?.isIdempotent) {
      fail(part, interruptedText)
      log.emit({
        type: 'tool-output-error',
        toolCallId: part.toolCallId as string,
        errorText: interruptedText,
        dynamic: true,
      })
    }
}

function fail(part: Part, errorText: string): void {
  part.state = 'output-error'
  part.errorText = errorText
}

async function withTimeout(tool: Tool, input: unknown, context: ToolContext): Promise<unknown> {
  const timeoutMs = tool.timeoutMs ?? defaultTimeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([context.signal, timeout])
  // told to stop while the step was being stored: the signal says nothing a second time
  if (signal.aborted) throw new Error(interruptedText)
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new Error(timeout.aborted ? `The tool took longer than ${timeoutMs} ms.` : interruptedText)),
    )
  })
  // a tool that does not listen to the signal must not hold up the turn
  return Promise.race([tool.execute(input, { ...context, signal }), aborted])
}

function cut(output: unknown, limit: number): unknown {
  const text = toText(output)
  if (text.length <= limit) return output
  const half = Math.floor(limit / 2)
  return `${text.slice(0, half)}\n… ${text.length - limit} characters left out …\n${text.slice(-half)}`
}

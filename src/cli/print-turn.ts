import { changedFilesOf } from '../extensions/terminal/protocol/changed-files.ts'
import type { AwaitingChunk, RunEvent } from '../core/protocol/chunk.ts'
import { printProgress, streamAnswer, streamProgress } from '../core/command-line/output.ts'
import { dim, exact, oneLine, summarizeInput } from '../core/command-line/printable.ts'

/**
 * Writes an answer as it comes: its text to stdout, what happens around it to stderr. Returns the data parts of it that
 * were not written, by their type.
 */
export async function printTurn(
  events: AsyncIterable<RunEvent>,
  /** A person has to decide; the answer continues afterwards. */
  onAsk?: (approvalId: string) => Promise<void>,
): Promise<ReadonlyMap<string, unknown>> {
  const parts = new Map<string, unknown>()
  const names = new Map<string, string>()
  const answer = streamAnswer()
  const thought = streamProgress()
  for await (const { chunk } of events)
    switch (chunk.type) {
      case 'text-delta':
        answer.add(chunk.delta)
        break
      case 'text-end':
        answer.end()
        break
      case 'reasoning-delta':
        thought.add(chunk.delta)
        break
      case 'reasoning-end':
        thought.end()
        break
      case 'tool-input-available':
        names.set(chunk.toolCallId, chunk.toolName)
        printProgress(dim(['→ ', oneLine(chunk.toolName), ' ', summarizeInput(chunk.input)]))
        break
      case 'tool-input-error':
      case 'tool-output-error':
        printProgress(dim(`✗ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}: ${chunk.errorText}`))
        break
      case 'tool-output-available':
        printProgress(dim(`✓ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}`))
        printChanges(changedFilesOf(names.get(chunk.toolCallId), chunk.output))
        break
      case 'tool-approval-request':
        answer.end()
        // not awaited: somebody else may decide, and then the answer continues
        void onAsk?.(chunk.approvalId)
        break
      case 'tool-output-denied':
        printProgress(dim(`✗ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}: denied`))
        break
      case 'data-retry':
        printProgress(dim(`… ${(chunk.data as { message: string }).message}; trying again`))
        break
      case 'data-awaiting':
        answer.end()
        for (const { id, toolName } of (chunk as AwaitingChunk).data.calls)
          printProgress(dim(['… waiting for the result of ', oneLine(toolName), ` (${id})`]))
        break
      case 'data-resuming':
        answer.end()
        printProgress(dim('… interrupted; resuming'))
        break
      case 'error':
        answer.end()
        printProgress(`parley: ${chunk.errorText}`)
        break
      case 'abort':
        answer.end()
        printProgress(dim('stopped'))
        break
      default:
        if ('data' in chunk) parts.set(chunk.type, chunk.data)
    }
  answer.end()
  return parts
}

/** For whoever runs something in the folder next. */
function printChanges(paths: readonly string[]): void {
  if (paths.length === 0) return
  printProgress('! files that other programs run were made or changed:')
  for (const path of paths) printProgress(['  ', exact(path)])
}

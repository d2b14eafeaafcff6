import { styleText } from 'node:util'
import type { RunEvent } from '../protocol/chunk.ts'
import type { PlanTurn } from '../protocol/plan-run.ts'
import { printProgress } from './output.ts'

/**
 * Writes an answer as it comes: its text to stdout, what happens around it to stderr. Answers the run that does what it
 * asks for, of a session about a plan.
 */
export async function printTurn(
  events: AsyncIterable<RunEvent>,
  /** A person has to decide; the answer goes on when it is done. */
  onAsk?: (approvalId: string) => Promise<void>,
): Promise<string | undefined> {
  let planRunId: string | undefined
  const names = new Map<string, string>()
  let isInText = false
  const endText = () => {
    if (isInText) process.stdout.write('\n')
    isInText = false
  }
  for await (const { chunk } of events)
    switch (chunk.type) {
      case 'text-delta':
        isInText = true
        process.stdout.write(chunk.delta)
        break
      case 'text-end':
        endText()
        break
      case 'reasoning-delta':
        process.stderr.write(dim(chunk.delta))
        break
      case 'reasoning-end':
        process.stderr.write('\n')
        break
      case 'tool-input-available':
        names.set(chunk.toolCallId, chunk.toolName)
        printProgress(dim(`→ ${chunk.toolName} ${JSON.stringify(chunk.input).slice(0, 200)}`))
        break
      case 'tool-input-error':
      case 'tool-output-error':
        printProgress(dim(`✗ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}: ${chunk.errorText}`))
        break
      case 'tool-output-available':
        printProgress(dim(`✓ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}`))
        break
      case 'tool-approval-request':
        endText()
        // not awaited: others may answer too, and the answer goes on then
        void onAsk?.(chunk.approvalId)
        break
      case 'tool-output-denied':
        printProgress(dim(`✗ ${names.get(chunk.toolCallId) ?? chunk.toolCallId}: denied`))
        break
      case 'data-retry':
        printProgress(dim(`… ${(chunk.data as { message: string }).message}; trying again`))
        break
      case 'data-plan':
        planRunId = (chunk.data as PlanTurn).runId
        break
      case 'error':
        endText()
        printProgress(`parley: ${chunk.errorText}`)
        break
      case 'abort':
        endText()
        printProgress(dim('stopped'))
        break
    }
  endText()
  return planRunId
}

const dim = (text: string) => styleText('dim', text, { stream: process.stderr })

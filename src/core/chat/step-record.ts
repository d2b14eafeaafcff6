import type { ModelRequest, ToolSpec, Usage } from '../models/adapter.ts'
import { hashText, type SentFragment } from '../prompt/assemble.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { TurnPrompt } from './prepare-prompt.ts'
import type { Reply } from './stream-reply.ts'

/** What one model call was sent and what came of it: the answer to "what did the model see?". */
export interface StepRecord {
  model: string
  scenario: string
  epoch: number
  /** The texts of static pieces are in the epoch, those of dynamic ones with their message. */
  fragments: Omit<SentFragment, 'text'>[]
  systemHash: string
  toolsHash: string
  /** Those whose schemas were sent. */
  tools: string[]
  /** Those that were offered by a line; steps of earlier versions have no such field. */
  listedTools?: readonly string[]
  /** How many messages of the window were sent. */
  messages: number
  usage: Usage
  finishReason: string
  runId: string
}

const hashes = new WeakMap<readonly ToolSpec[], string>()

function hashTools(tools: readonly ToolSpec[]): string {
  let hash = hashes.get(tools)
  if (hash === undefined) hashes.set(tools, (hash = hashText(JSON.stringify(tools))))
  return hash
}

export function recordStep({
  prompt,
  request,
  listedTools,
  reply,
  adapter,
  run,
}: {
  prompt: TurnPrompt
  request: ModelRequest
  listedTools: readonly string[]
  reply: Reply
  adapter: string
  run: Run
  step: number
}): StepRecord {
  return {
    model: adapter,
    scenario: prompt.scenario,
    epoch: prompt.epoch.epoch,
    fragments: prompt.fragments.map(({ name, placement, hash, tokens }) => ({
      name,
      placement,
      hash,
      tokens,
    })),
    systemHash: hashText(request.system),
    toolsHash: hashTools(request.tools),
    tools: request.tools.map(({ name }) => name),
    listedTools,
    messages: request.messages.length,
    usage: reply.usage,
    finishReason: reply.reason,
    runId: run.id,
  }
}

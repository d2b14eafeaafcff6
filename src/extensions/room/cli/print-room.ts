import { roomName } from '../../agents/protocol/reserved-names.ts'
import type { Chunk, RunEvent } from '../../../core/protocol/chunk.ts'
import type { RoundTurn, Routing } from '../protocol/room.ts'
import type { Label } from '../../agents/cli/agent-colors.ts'
import { createAgentLines } from './agent-lines.ts'
import { printAnswer, printProgress } from '../../../core/command-line/output.ts'
import { dim, type Shown, summarizeInput } from '../../../core/command-line/printable.ts'

interface PrintOptions {
  label: Label
  /** A person has to decide; the answers continue afterwards. */
  onAsk?: (approvalId: string) => Promise<void>
}

/**
 * Writes what is said in a room as it comes: words to stdout, each line with who says it, and what happens around them
 * to stderr. Answers the exit code: 5 when all who were asked failed, 1 when the room did, 130 when it was stopped.
 */
export async function printRoom(
  events: AsyncIterable<RunEvent>,
  { label, onAsk }: PrintOptions,
): Promise<number> {
  const spoken = createAgentLines((speaker, line) =>
    printAnswer(speaker === '' ? [line, '\n'] : [label(speaker), ': ', line, '\n']),
  )
  const thought = createAgentLines((speaker, line) =>
    printProgress([label(speaker), ' ', dim(`thinks: ${line}`)]),
  )
  const speakers = new Map<string, string>()
  const names = new Map<string, string>()
  const ends = new Set<string>()
  let code = 0
  let routing: Shown | undefined
  for await (const { chunk } of events) {
    const { type } = chunk
    // private texts are printed when they are complete
    if (type === 'text-start' && !isPrivate(chunk)) speakers.set(chunk.id, speakerOf(chunk))
    if (type === 'reasoning-start' && !isPrivate(chunk)) speakers.set(chunk.id, speakerOf(chunk))
    if (type === 'tool-input-available') names.set(chunk.toolCallId, chunk.toolName)
    if (type === 'text-delta' && speakers.has(chunk.id))
      spoken.add(chunk.id, speakers.get(chunk.id)!, chunk.delta)
    if (type === 'text-end') spoken.end(chunk.id)
    if (type === 'reasoning-delta' && speakers.has(chunk.id))
      thought.add(chunk.id, speakers.get(chunk.id)!, chunk.delta)
    if (type === 'reasoning-end') thought.end(chunk.id)
    // not awaited: other agents may answer meanwhile
    if (type === 'tool-approval-request') void onAsk?.(chunk.approvalId)
    if (type === 'data-agent' && (chunk.data as RoundTurn).agent !== roomName)
      ends.add((chunk.data as RoundTurn).status)
    if (type === 'error') code = 1
    if (type === 'abort') code = 130
    const line = describe(chunk, names)
    // several rounds of one phase are printed once
    if (line && !(type === 'data-round' && line === routing)) printProgress(dim(line))
    if (type === 'data-round') routing = line
  }
  spoken.endAll()
  thought.endAll()
  const hasNoAnswer = ends.has('failed') && !ends.has('said') && !ends.has('skipped')
  return hasNoAnswer && code !== 130 ? 5 : code
}

/** An event other than text, in one line. */
function describe(chunk: Chunk, names: ReadonlyMap<string, string>): Shown | undefined {
  const call = (id: string) => `${agentIn(id)} ${names.get(id) ?? id}`.trimStart()
  switch (chunk.type) {
    case 'data-round':
      return describeRouting((chunk.data as { routing: Routing }).routing)
    case 'data-agent':
      return describeEnd(chunk.data as RoundTurn)
    case 'data-commands':
      return (chunk.data as { outcomes: Ran[] }).outcomes.map(describeCommand).join('\n')
    case 'tool-input-available':
      return ['→ ', call(chunk.toolCallId), ' ', summarizeInput(chunk.input)]
    case 'tool-output-available':
      return `✓ ${call(chunk.toolCallId)}`
    case 'tool-output-denied':
      return `✗ ${call(chunk.toolCallId)}: denied`
    case 'tool-input-error':
    case 'tool-output-error':
      return `✗ ${call(chunk.toolCallId)}: ${chunk.errorText}`
    case 'error':
      return `parley: ${chunk.errorText}`
    case 'abort':
      return 'stopped'
    default:
      return undefined
  }
}

export function describeRouting({ text, left = [] }: Routing): string {
  return [text, ...left.map(({ agent, reason }) => `${agent} is not asked: ${reason}`)].join('\n')
}

/** Undefined while the turn is running, and where its text is enough. */
export function describeEnd({ agent, status, text, error }: RoundTurn): string | undefined {
  if (status === 'skipped') return `${agent} says nothing`
  if (status === 'stopped') return `${agent} was stopped`
  if (text !== undefined) return `${agent}, in private: ${text}`
  if (status === 'failed') return `${agent} failed: ${error?.message ?? error?.code ?? 'no reason is known'}`
  return undefined
}

interface Ran {
  command: string
  status: 'passed' | 'failed' | 'blocked'
  reason?: string
}

const describeCommand = ({ command, status, reason }: Ran) =>
  `${status === 'passed' ? '✓' : '✗'} ${command}${status === 'passed' ? '' : `: ${reason ?? status}`}`

const isPrivate = ({ providerMetadata }: { providerMetadata?: Record<string, unknown> }) =>
  (providerMetadata?.parley as { private?: true } | undefined)?.private === true

/** Empty for the room itself. */
function speakerOf(chunk: { id: string; providerMetadata?: Record<string, unknown> }): string {
  const { agent, room } = (chunk.providerMetadata?.parley ?? {}) as { agent?: string; room?: true }
  return room ? '' : (agent ?? agentIn(chunk.id))
}

/** Ids of parts and calls begin with the name of the agent, which has no colon in it. */
const agentIn = (id: string) => (id.includes(':') ? id.slice(0, id.indexOf(':')) : '')

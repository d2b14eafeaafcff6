import type { ModelRequest, ToolSpec, Usage } from '../models/adapter.ts'
import { hashText, type SentFragment } from '../prompt/assemble.ts'
import type { ModelParameters } from '../protocol/parameters.ts'
import type { ToolList } from '../store/queries/tool-lists.ts'
import type { Store } from '../store/store.ts'
import type { OfferedTools } from './offer-tools.ts'
import type { TurnPrompt } from './prepare-prompt.ts'
import type { Reply } from './stream-reply.ts'

export type RecordedFragment = Omit<SentFragment, 'text'>

/**
 * What one model call was sent and what came of it: the answer to "what did the model see?". What many calls have in
 * common is stored once and elsewhere; `describeSteps` puts it together.
 */
export interface StepRecord {
  model: string
  scenario: string
  epoch: number
  /** Those of the static part are in the epoch, where it is stored; the texts of dynamic ones are with their message. */
  fragments: RecordedFragment[]
  /** Of a prompt whose epoch is not stored; steps of earlier versions have it always. */
  systemHash?: string
  /** Stored by `keepToolList`. */
  toolList: string
  /** How many messages of the window were sent. */
  messages: number
  /** What the model was asked with beside the prompt; left out when that was nothing. */
  parameters?: ModelParameters
  usage: Usage
  finishReason: string
}

export const recordStep = ({
  prompt: { scenario, epoch, isNewEpoch, fragments },
  parameters,
  request,
  toolList,
  reply,
  adapter,
}: {
  prompt: TurnPrompt
  parameters: ModelParameters
  request: ModelRequest
  toolList: string
  reply: Reply
  adapter: string
}): StepRecord => ({
  model: adapter,
  scenario,
  epoch: epoch.epoch,
  fragments: fragments
    .filter(({ placement }) => isNewEpoch || placement !== 'static')
    .map(({ name, placement, hash, tokens }) => ({ name, placement, hash, tokens })),
  ...(isNewEpoch && { systemHash: hashText(request.system) }),
  toolList,
  messages: request.messages.length,
  ...(Object.keys(parameters).length > 0 && { parameters }),
  usage: reply.usage,
  finishReason: reply.reason,
})

/** Of the lists of specs that are alive, which go with the same listed tools for as long. */
const lists = new WeakMap<readonly ToolSpec[], { id: string; list: ToolList }>()
const keptIn = new WeakMap<Store, Set<string>>()

/** Stores what is offered, unless this process has; returns the id of the list. */
export async function keepToolList(store: Store, { specs, listed }: OfferedTools): Promise<string> {
  const { id, list } = describeList(specs, listed)
  const kept = keptIn.get(store) ?? new Set()
  keptIn.set(store, kept)
  if (!kept.has(id)) await store.addToolList(id, list)
  kept.add(id)
  return id
}

function describeList(
  specs: readonly ToolSpec[],
  listedTools: readonly string[],
): { id: string; list: ToolList } {
  let described = lists.get(specs)
  if (!described) {
    const list = { toolsHash: hashTools(specs), tools: specs.map(({ name }) => name), listedTools }
    // many that are listed are not all named in what is sent
    lists.set(specs, (described = { id: hashText(JSON.stringify(list)), list }))
  }
  return described
}

export const hashTools = (specs: readonly ToolSpec[]): string => hashText(JSON.stringify(specs))

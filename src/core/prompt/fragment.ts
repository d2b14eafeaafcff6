import { sealed, type PromptTag } from '../protocol/prompt-tags.ts'

/** One named piece of a prompt. Pure: same context, same text. `undefined` leaves the piece out. */
export interface Fragment {
  readonly name: string
  /** What its text stands in, where that is not called as the fragment is. */
  readonly tag?: PromptTag
  /** Belongs to one input alone: sent whenever it says something, never missed when it does not. */
  readonly isForOneTurn?: true
  render(context: PromptContext): string | undefined
}

/** All that fragments may look at, gathered beforehand; see `core/chat/prompt-context.ts`. */
export interface PromptContext {
  scope: { name: string; root?: string }
  session: { id: string; kind: string; workspaceDir?: string; persistentWorkspaceDir?: string }
  /** Rules that always apply, with their captions; empty when there are none. */
  rules: string
  /** By name, in order; bodies come through the `skill` tool. */
  availableSkills: { name: string; description: string }[]
  /** Skills whose whole text belongs into the prompt. */
  activeSkills: { name: string; body: string }[]
  callerPreamble?: string
  /** Who the assistant is, in place of what Parley says of itself. */
  persona?: string
  workflow?: WorkflowContext
  managedWorkflow?: { name?: string; label?: string }
  /** Where a node stands in its plan. */
  planNode?: string
  /** What a session about a plan answers with. */
  planReply?: { binding: string; schema: string; actions: string; guidelines: string }
  /** Of an agent in a room: who it is, who else is there, what the rules are; where things stand, and its task. */
  seat?: {
    persona: string
    peers: string
    rules: string
    state?: string
    task?: string
    schema?: Record<string, unknown>
  }

  /** What is kept of messages that left the window. */
  memo?: Record<string, unknown>
  /** Messages that are neither in the window nor in the memo. */
  left?: { fromSeq: number; toSeq: number; heads: string[] }

  /** Fragments that this turn does without, by name: what was sent of them stays as it was. */
  leftOut?: readonly string[]

  /** From here on: what changes from turn to turn. */
  /** Of a background session after its first end: it is talked to, or has work again. */
  taskState?: 'over' | 'again'
  workspace?: string
  /** The day, as the clocks here show it. */
  today?: string
  locks: { resource: string; holder: string; reason?: string }[]
  memories: { text: string; kind: string }[]
  injection?: string
  editedWorkflow?: string
  /** The plan as it is now, or the plans that there are. */
  planOutline?: string
  planList?: string
  planResults?: string
  /** Rules for the paths that the input points at. */
  matchingRules?: string
  /** What the user pointed at with this input: files, runs, things of the workspace. */
  references?: string
  /** Rules or skills that changed since the static part was rendered. */
  changes?: string
}

export interface WorkflowContext {
  name: string
  runId: string
  step: string
  completed: number
  steps: string[]
  nextStep?: string
  outputs: { step: string; output: string }[]
  args: Record<string, unknown>
}

/**
 * Text in a named tag, which it can neither end nor begin another of ours in; `undefined` when there is nothing to say.
 * `holds` names the tags of ours that the text is made of.
 */
export function tagged(
  tag: PromptTag,
  text: string | undefined,
  { attributes = '', holds }: { attributes?: string; holds?: readonly PromptTag[] } = {},
): string | undefined {
  return text === undefined || text.trim() === ''
    ? undefined
    : `<${tag}${attributes}>\n${sealed(text.trim(), holds)}\n</${tag}>`
}

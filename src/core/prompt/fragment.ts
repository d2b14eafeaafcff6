import { reservedTags, sealed, sealedFrom, type PromptTag } from '../protocol/prompt-tags.ts'

/** One named piece of a prompt. Pure: same context, same text. `undefined` leaves the piece out. */
export interface Fragment {
  readonly name: string
  /** What its text stands in, where that is not called as the fragment is. */
  readonly tag?: PromptTag
  /** Tags of its extension that it puts inside of that one. */
  readonly holds?: readonly PromptTag[]
  /** Belongs to one input alone: sent whenever it is not empty, never missed when it is. */
  readonly isForOneTurn?: true
  render(context: PromptContext): string | undefined
}

/**
 * What the sources of extensions know for their fragments. Each adds its own fields from its own folder, by declaration
 * merging.
 */
export interface PromptFacets {}

/** A folder that an extension gave a session. */
export interface NamedFolder {
  name: string
  shownAs: string
  path: string
}

/** All that fragments may read, collected beforehand; see `core/chat/prompt-context.ts`. */
export interface PromptContext extends PromptFacets {
  scope: { name: string; root?: string }
  /** Tags of extensions that are not reserved in every Parley. */
  tags?: readonly string[]
  session: { id: string; kind: string; folders?: readonly NamedFolder[] }
  /** Rules that always apply, with their captions; empty when there are none. */
  rules: string
  /** By name, in order; bodies come through the `skill` tool. */
  availableSkills: { name: string; description: string }[]
  /** Skills whose whole text belongs into the prompt. */
  activeSkills: { name: string; body: string }[]
  callerPreamble?: string
  /** Instructions of the session for the assistant. */
  instructions?: string
  /** Who the assistant is, in place of Parley's own introduction. */
  persona?: string

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
  injection?: string
  /** JSON Schema of the answer to this input. */
  outputSchema?: Record<string, unknown>
  /** Rules for the paths that the input points at. */
  matchingRules?: string
  /** What the user pointed at with this input: files, runs, things of the workspace. */
  references?: string
  /** Rules or skills that changed since the static part was rendered. */
  changes?: string
}

/**
 * Text in a named tag, which it can neither end nor begin another of ours in; `undefined` when it is empty.
 * `holds` names the tags of ours that the text is made of.
 */
export function tagged(
  tag: PromptTag,
  text: string | undefined,
  { attributes = '', holds }: { attributes?: string; holds?: readonly PromptTag[] } = {},
): string | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const inner = sealed(text.trim(), holds)
  return `<${tag}${attributes}>\n${reservedTags.has(tag) ? inner : sealedFrom([tag], inner)}\n</${tag}>`
}

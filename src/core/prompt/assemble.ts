import { createHash } from 'node:crypto'
import type { Fragment, PromptContext } from './fragment.ts'
import { windowHead, type Recipe } from './recipe.ts'
import { sealedFrom, type PromptTag } from '../protocol/prompt-tags.ts'
import { estimateTokens } from '../shared/estimate-tokens.ts'

export type Placement = 'static' | 'head' | 'dynamic'

/** What a step records of each piece that it sent. */
export interface SentFragment {
  name: string
  placement: Placement
  hash: string
  tokens: number
  text: string
}

export interface Rendered {
  /** The pieces joined; empty when there are none. */
  text: string
  fragments: SentFragment[]
}

/** The static part: rendered once per epoch, then replayed from the stored bytes. */
export function renderStatic(recipe: Recipe, context: PromptContext): Rendered {
  const accepted = recipe.acceptCallerPreamble ? context : { ...context, callerPreamble: undefined }
  return join(recipe.sessionStatic.flatMap((fragment) => render(fragment, 'static', accepted) ?? []))
}

/** What stands before the window: the same bytes until the window is cut. */
export const renderHead = (context: PromptContext): Rendered =>
  join(windowHead.flatMap((fragment) => render(fragment, 'head', context) ?? []))

/**
 * The dynamic tail of one turn. A piece that is the same as when it was last sent is not sent again: it is still
 * there, in the window. One that was sent and is empty now is sent once more, as empty.
 */
export function renderDynamic(
  recipe: Recipe,
  context: PromptContext,
  sent: Readonly<Record<string, string>>,
): Rendered & { sent: Record<string, string> } {
  const now: Record<string, string> = {}
  const fragments: SentFragment[] = []
  for (const fragment of recipe.perTurnDynamic) {
    if (context.leftOut?.includes(fragment.name)) {
      if (sent[fragment.name]) now[fragment.name] = sent[fragment.name]!
      continue
    }
    const piece =
      render(fragment, 'dynamic', context) ?? (sent[fragment.name] ? emptied(fragment) : undefined)
    if (!piece) continue
    if (fragment.isForOneTurn) {
      fragments.push(piece)
      continue
    }
    if (piece.hash !== sent[fragment.name]) fragments.push(piece)
    now[fragment.name] = piece.hash
  }
  return { ...join(fragments), sent: now }
}

function render(fragment: Fragment, placement: Placement, context: PromptContext): SentFragment | undefined {
  const text = fragment.render(context)
  return text === undefined
    ? undefined
    : toSent(fragment.name, placement, sealedFrom(othersTags(fragment, context), text))
}

/** Whoever wrote the fragment knows its own tags and the reserved ones; those of further extensions are sealed here. */
const othersTags = ({ name, tag = name as PromptTag, holds = [] }: Fragment, { tags = [] }: PromptContext) =>
  tags.filter((one) => one !== tag && !(holds as readonly string[]).includes(one))

const emptied = ({ name, tag = name as PromptTag }: Fragment) =>
  toSent(name, 'dynamic', `<${tag}>none any more</${tag}>`)

function toSent(name: string, placement: Placement, text: string): SentFragment {
  return { name, placement, hash: hashText(text), tokens: estimateTokens(text), text }
}

export const hashText = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)

const join = (fragments: SentFragment[]): Rendered => ({
  text: fragments.map(({ text }) => text).join('\n\n'),
  fragments,
})

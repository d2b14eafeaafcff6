import type { Approval } from '../../../src/client/index.ts'
import { inputTexts, shorten, sizeOf, touchedBy, type Size } from '../../../src/protocol/ask-texts.ts'

export interface SeenText {
  /** Of an argument: what it is called. */
  name?: string
  text: string
  /** Of all of it, where that is more than one sees at a glance. */
  size?: Size
  /** It goes on after what is seen. */
  isCut?: true
}

/** What a person sees of an ask. */
export interface AskView {
  touched: SeenText[]
  /** What the call is made with besides. */
  given: SeenText[]
  /** What is not seen: as long as there is something, nobody can say yes to it. */
  left?: Size & { items: number }
}

// more of them at once push the buttons out of sight
const maxItems = 8

export function viewAsk(approval: Approval, isWhole: boolean): AskView {
  const touched: { name?: string; text: string }[] = touchedBy(approval).map((text) => ({ text }))
  const given = approval.kind === 'question' ? questionTexts(approval) : inputTexts(approval)
  if (isWhole) return { touched: touched.map(seen), given: given.map(seen) }
  const left = { characters: 0, lines: 0, items: 0 }
  const toBrief = (items: readonly { name?: string; text: string }[]) => {
    left.items += Math.max(0, items.length - maxItems)
    return items.slice(0, maxItems).map((item): SeenText => {
      const brief = shorten(item.text)
      left.characters += brief.left?.characters ?? 0
      left.lines += brief.left?.lines ?? 0
      return { ...seen(item), text: brief.text, ...(brief.left && { isCut: true }) }
    })
  }
  const view = { touched: toBrief(touched), given: toBrief(given) }
  return left.characters > 0 || left.items > 0 ? { ...view, left } : view
}

const glance = 200

function seen({ name, text }: { name?: string; text: string }): SeenText {
  const size = sizeOf(text)
  const isMore = size.characters > glance || size.lines > 1
  return { ...(name !== undefined && { name }), text, ...(isMore && { size }) }
}

/** The question is drawn as it is meant; below it, what that does not show, and what it is about but does not quote. */
function questionTexts(approval: Approval): { name: string; text: string }[] {
  const { input, reason } = approval
  const { content } = (input ?? {}) as { content?: unknown }
  const isQuoted = content === undefined || (typeof content === 'string' && reason.includes(content.trim()))
  return [
    ...(hidesInMarkdown.test(reason) ? [{ name: 'question', text: reason }] : []),
    ...(isQuoted ? [] : inputTexts(approval)),
  ]
}

// addresses of links, definitions and notes are not drawn
const hidesInMarkdown = /\]\(|^\s*\[[^\]]*\]:/m

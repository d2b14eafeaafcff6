import type { Approval } from '../../../src/client/index.ts'
import {
  inputTexts,
  quotes,
  shorten,
  sizeOf,
  touchedBy,
  type PreviewTexts,
  type Size,
} from '../../../src/core/protocol/ask-texts.ts'
import { previewTexts, type PreviewWords } from '../../../src/extensions/plan/protocol/preview-texts.ts'
import { hasHidden } from '../../../src/core/shared/visible.ts'

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

const previewsIn = (words?: PreviewWords): PreviewTexts => ({
  planRun: (shown) => previewTexts(shown, words),
})

export function viewAsk(approval: Approval, isWhole: boolean, words?: PreviewWords): AskView {
  const touched = touchedBy(approval).map((text) => ({ text }))
  const given = approval.kind === 'question' ? askedTexts(approval) : inputTexts(approval, previewsIn(words))
  return viewTexts(touched, given, isWhole)
}

interface Text {
  name?: string
  text: string
}

export function viewTexts(touched: readonly Text[], given: readonly Text[], isWhole: boolean): AskView {
  if (isWhole) return { touched: touched.map(seen), given: given.map(seen) }
  const left = { characters: 0, lines: 0, items: 0 }
  const toBrief = (items: readonly Text[]) => {
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

/** The question is drawn as it is meant; below it, what that may not show, and what it is about but does not quote. */
function askedTexts(approval: Approval): Text[] {
  const { input, reason } = approval
  const { content } = (input ?? {}) as { content?: unknown }
  if (content === undefined || (typeof content === 'string' && quotes(reason, content)))
    return questionTexts(reason)
  const isAsked = ({ name, text }: Text) => name === 'question' && text === reason
  return [...questionTexts(reason), ...inputTexts(approval, previewsIn()).filter((text) => !isAsked(text))]
}

/** The same of a question that is asked elsewhere. */
export const questionTexts = (question: string, content = ''): Text[] => [
  ...(isDrawnAsWritten(question) ? [] : [{ name: 'question', text: question }]),
  ...(quotes(question, content) ? [] : [{ name: 'content', text: content }]),
]

// addresses of links, definitions, notes, cells that are too many, blanks in formulas and comments in diagrams are not
// drawn; rather than to know all of it, this knows what is left as it is: words without any sign of Markdown
const markup = /[\\`*_[\]<>&|~$#\t]|^ *(?:[-+=]|\d+[.)])/m
const isDrawnAsWritten = (text: string) => !markup.test(text) && !hasHidden(text, { isExact: true })

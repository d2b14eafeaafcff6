import { focusComposer } from '../shell/message-moves.ts'

// of an ask that is not shown whole, the way to all of it
const answerable = '[data-answer="approve"]:enabled, [data-answer="show-all"]'

/**
 * After an answer its buttons go away: the focus goes to the next ask, or to what is left of this one, and not to
 * nowhere. Somebody who is elsewhere meanwhile stays there. Called before, with the buttons; the answer is called after.
 */
export function rememberPlace(buttons: HTMLElement | null): () => void {
  const card = buttons?.closest('[data-tool-state]')
  return () => {
    const { activeElement } = document
    if (activeElement && activeElement !== document.body && !buttons?.contains(activeElement)) return
    const asks = [...document.querySelectorAll<HTMLElement>(answerable)]
    const next = asks.find((button) => !buttons?.contains(button)) ?? card?.querySelector('button')
    if (next?.isConnected) next.focus()
    else focusComposer()
  }
}

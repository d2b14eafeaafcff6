/**
 * Moves between what a session's page shows. The page marks it for this:
 * - `data-composer` on the box that one writes in; without it the last box of the page is taken
 * - `data-scroller` on the element that scrolls the messages; it can take the focus
 * - `data-message` and `data-role` on each message
 * - `data-variant-prev`, `data-variant-next` on the buttons of a message that lead to another variant of it
 * What is not mounted is not found: a list that draws only a part of its messages is scrolled a page further instead.
 */
const find = (selector: string) => document.querySelector<HTMLElement>(`#main ${selector}`)
const findAll = (selector: string) => [...document.querySelectorAll<HTMLElement>(`#main ${selector}`)]

const composer = () => find('[data-composer]') ?? findAll('textarea').at(-1)
const messageList = () => find('[data-scroller]')
const focusedMessage = () => document.activeElement?.closest<HTMLElement>('[data-message]')

export function focusComposer(): void {
  composer()?.focus()
}

/** From what was said to where one says something, and back. */
export function switchPane(): void {
  const box = composer()
  const isInBox = box?.contains(document.activeElement) ?? false
  const target = isInBox || !box ? (messageList() ?? document.getElementById('main')) : box
  target?.focus()
}

/** The user's message before (-1) or after (1) what has the focus, a message or the box; or else the top of what is seen. */
export function goToUserMessage(direction: -1 | 1): void {
  const list = messageList()
  const focused = focusedMessage()
  const box = composer()
  const from = focused ?? (box?.contains(document.activeElement) ? box : list)
  const edge = (from ?? document.body).getBoundingClientRect().top
  const isBeyond = (message: HTMLElement) =>
    message !== focused && (message.getBoundingClientRect().top - edge) * direction > 1
  const messages = findAll('[data-message][data-role="user"]')
  const target = direction === 1 ? messages.find(isBeyond) : messages.findLast(isBeyond)
  if (!target) return list?.scrollBy({ top: direction * list.clientHeight * 0.9 })
  // so that the next move starts from here, and a screen reader reads it
  if (!target.hasAttribute('tabindex')) target.tabIndex = -1
  target.scrollIntoView({ block: 'start' })
  target.focus({ preventScroll: true })
}

/** Presses the button of the message that has the focus, or else of the last one that is drawn and has variants. */
export function goToVariant(direction: -1 | 1): void {
  const selector = `[data-variant-${direction === 1 ? 'next' : 'prev'}]`
  const button = focusedMessage()?.querySelector<HTMLElement>(selector) ?? findAll(selector).at(-1)
  button?.click()
}

import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react'

/**
 * Deleting or restoring takes the button away that was pressed, or its whole row: the focus goes to what is left of the
 * row, or to the one beside it, and not to nowhere. Answers what is to be called before such a deed.
 */
export function useRowFocus(row: RefObject<HTMLElement | null>, shown: object): () => void {
  const hasActed = useRef(false)
  useEffect(() => {
    if (hasActed.current && document.activeElement === document.body) focusIn(row.current)
    hasActed.current = false
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- looks when something else is shown
  }, [row, shown])
  useLayoutEffect(() => {
    const element = row.current
    return () => {
      if (!element?.contains(document.activeElement)) return
      if (!focusIn(element.nextElementSibling) && !focusIn(element.previousElementSibling))
        document.querySelector<HTMLElement>('[data-memory-add]')?.focus()
    }
  }, [row])
  return () => {
    hasActed.current = true
  }
}

function focusIn(row: Element | null): boolean {
  const button = row?.querySelector<HTMLElement>('[data-deed]')
  button?.focus()
  return button != null
}

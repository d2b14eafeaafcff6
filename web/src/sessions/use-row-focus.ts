import { useEffect, useRef } from 'react'

/** Puts the focus on a row, as soon as it is drawn. */
export function useRowFocus(scroller: { current: HTMLElement | null }) {
  const wanted = useRef<string>(undefined)
  const put = () => {
    if (wanted.current === undefined) return
    const row = scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.current)}"] a`)
    if (!row) return
    row.focus({ preventScroll: true })
    // one that is being renamed cannot take it yet
    if (row === document.activeElement) wanted.current = undefined
  }
  useEffect(put)
  return (key: string) => {
    wanted.current = key
    put()
  }
}

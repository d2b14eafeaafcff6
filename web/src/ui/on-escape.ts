import type { KeyboardEvent } from 'react'
import { isComposing } from './on-enter.ts'

/** Escape closes what was opened, and nothing behind it. */
export function onEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Escape' || isComposing(event)) return
    event.preventDefault()
    event.stopPropagation()
    close()
  }
}

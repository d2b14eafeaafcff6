import type { KeyboardEvent } from 'react'

/** Whether Enter ends a word of an input method, and not a line: pressed while composing it must not send anything. */
export const isComposing = ({ nativeEvent, keyCode }: KeyboardEvent): boolean =>
  nativeEvent.isComposing || keyCode === 229

/** For every box in which Enter does something: Shift+Enter and Enters of an input method are left alone. */
export function onEnter(submit: (event: KeyboardEvent) => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return
    event.preventDefault()
    submit(event)
  }
}

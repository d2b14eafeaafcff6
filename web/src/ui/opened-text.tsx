import type { ComponentProps } from 'react'
import { onEnter } from './on-enter.ts'
import { onEscape } from './on-escape.ts'

interface Props extends Omit<ComponentProps<'textarea'>, 'value' | 'onChange'> {
  value: string
  onChange(value: string): void
  onSubmit(): void
  onClose(): void
}

/** A box for words that somebody opened to write in: it has the focus, Enter sends and Escape closes. */
export function OpenedText({ onChange, onSubmit, onClose, ...rest }: Props) {
  return (
    <textarea
      // the person asked for this box a moment ago
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      dir="auto"
      rows={2}
      {...rest}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        onEscape(onClose)(event)
        onEnter(onSubmit)(event)
      }}
    />
  )
}

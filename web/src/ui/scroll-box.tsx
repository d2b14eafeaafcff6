import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

interface Props extends ComponentProps<'div'> {
  label: string
}

/** A box that scrolls by itself; whoever has no mouse reaches it by keyboard, and hears what it is. */
export function ScrollBox({ label, className, ...rest }: Props) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
      className={clsx('overflow-auto', className)}
      {...rest}
    />
  )
}

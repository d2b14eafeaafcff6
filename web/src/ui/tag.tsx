import { clsx } from 'clsx'
import type { ComponentProps } from 'react'

export type TagState = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'degraded' | 'plain'

interface Props extends ComponentProps<'span'> {
  state?: TagState
}

const colours: Record<TagState, string> = {
  queued: 'text-[var(--run-queued)]',
  running: 'text-[var(--run-running)]',
  completed: 'text-[var(--run-completed)]',
  failed: 'text-[var(--run-failed)]',
  cancelled: 'text-[var(--run-cancelled)]',
  degraded: 'text-[var(--run-degraded)]',
  plain: 'text-muted',
}

/** A short word about how something stands; never the colour alone. */
export function Tag({ state = 'plain', className, ...rest }: Props) {
  return (
    <span
      className={clsx(
        'inline-flex shrink-0 items-center gap-1 rounded-full border border-current/30 px-2 text-xs leading-5 font-medium whitespace-nowrap',
        colours[state],
        className,
      )}
      {...rest}
    />
  )
}

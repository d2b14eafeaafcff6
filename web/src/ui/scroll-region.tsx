import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface Props {
  label: string
  className?: string
  children: ReactNode
}

// without it those who have only a keyboard cannot scroll
const reachable = { tabIndex: 0 }

/** Holds what may be larger than its place, such as a wide table on a phone. */
export function ScrollRegion({ label, className, children }: Props) {
  return (
    <div role="region" aria-label={label} {...reachable} className={clsx('overflow-auto', className)}>
      {children}
    </div>
  )
}

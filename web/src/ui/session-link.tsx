import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface Props {
  sessionId: string
  className?: string
  children: ReactNode
}

/** Leads to a session of the same scope. */
export function SessionLink({ sessionId, className, children }: Props) {
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      search={(({ scope }: { scope?: string }) => ({ scope })) as never}
      className={clsx('text-accent underline underline-offset-2 hover:text-accent-strong', className)}
    >
      {children}
    </Link>
  )
}

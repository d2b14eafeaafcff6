import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface Props {
  to: '/workflows' | '/workflow-runs' | `/workflows/${string}` | `/workflow-runs/${string}`
  /** What the page keeps in the URL. */
  search?: Record<string, string | undefined>
  className?: string
  children: ReactNode
}

/** Leads to a workflow or a run of the same scope. */
export function WorkflowLink({ to, search, className, children }: Props) {
  return (
    <Link
      to={to as string}
      search={(({ scope, dock }: Record<string, unknown>) => ({ scope, dock, ...search })) as never}
      className={clsx(className ?? 'text-accent underline underline-offset-2 hover:text-accent-strong')}
    >
      {children}
    </Link>
  )
}

import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface Props {
  planId: string
  nodeId?: number
  className?: string
  children: ReactNode
}

/** Leads to a plan, or a node of it, of the same scope. */
export function PlanLink({ planId, nodeId, className, children }: Props) {
  return (
    <Link
      to="/plans/$planId"
      params={{ planId }}
      search={(({ scope, dock }: Record<string, unknown>) => ({ scope, dock, node: nodeId })) as never}
      className={className ?? 'text-accent underline underline-offset-2 hover:text-accent-strong'}
    >
      {children}
    </Link>
  )
}

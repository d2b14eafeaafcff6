import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { ShellSearch } from '../shell/shell-search.ts'
import { useMediaQuery } from '../ui/use-media-query.ts'

interface Props {
  sessionId: string
  messageId: string
  label: string
  children: ReactNode
}

/** Leads to a message of the log; where the dock covers the log, it goes away. */
export function MessageLink({ sessionId, messageId, label, children }: Props) {
  const isBeside = useMediaQuery('(min-width: 1100px)')
  const search = (before: ShellSearch) => ({
    ...before,
    message: messageId,
    ...(!isBeside && { dock: undefined }),
  })
  return (
    <Link
      to="/sessions/$sessionId"
      params={{ sessionId }}
      search={search as never}
      aria-label={label}
      className="rounded text-accent underline underline-offset-2"
    >
      {children}
    </Link>
  )
}

import type { ReactNode } from 'react'
import { Topbar } from '../shell/topbar.tsx'
import { useTitle } from './use-title.ts'

interface Props {
  title: string
  /** Buttons in the bar at the top. */
  actions?: ReactNode
  children: ReactNode
}

/** A page beside the conversations: its name and its buttons in the bar, and below what scrolls. */
export function PageFrame({ title, actions, children }: Props) {
  useTitle(title)
  return (
    <div className="h-full overflow-y-auto">
      <Topbar>
        <h1 className="min-w-0 flex-1 truncate px-1 font-semibold">{title}</h1>
        {actions}
      </Topbar>
      {children}
    </div>
  )
}

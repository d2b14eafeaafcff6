import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SectionName } from './section-name.ts'

interface Props {
  section: SectionName
  children: ReactNode
}

/** Leads to another section of the settings. */
export function SectionLink({ section, children }: Props) {
  return (
    <Link
      to="/settings"
      search={(({ scope }: { scope?: string }) => ({ scope, section })) as never}
      className="text-accent underline underline-offset-2 hover:text-accent-strong"
    >
      {children}
    </Link>
  )
}

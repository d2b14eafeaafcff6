import { Eye } from 'lucide-react'
import type { Session } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { SessionLink } from '../ui/session-link.tsx'
import { roomTexts } from './texts.ts'

/** In place of the box: an agent is talked to in its room. */
export function SeatNote({ session: { title, parentId } }: { session: Session }) {
  const t = useTexts(roomTexts)
  return (
    <p className="mx-auto flex w-full max-w-3xl items-start gap-2 px-4 pb-3 text-sm text-muted">
      <Eye aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {t.seat(title)} {parentId !== undefined && <SessionLink sessionId={parentId}>{t.toRoom}</SessionLink>}
      </span>
    </p>
  )
}
